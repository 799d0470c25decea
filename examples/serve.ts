/** The bookshop over HTTP, for as many replicas as you like: `STATE_KEYS=.. node examples/serve.ts`. */
import { Config, Layer } from "effect"
import { RequestState, ResolveServer } from "effect-resolve"
import { registrations } from "./10-durable.ts"

// the same keys and the same audience in every replica: then any of them can finish any call
const state = RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "bookshop" })

const endpoint = ResolveServer.layerHttp({ name: "bookshop", version: "1.0.0", path: "/mcp", registrations })

export const server = (port: number) => ResolveServer.serve(Layer.provide(endpoint, state), { port })

if (process.argv[1] === import.meta.filename) ResolveServer.run(server(3000))
