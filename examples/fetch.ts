/** The README's program as a fetch handler: `bun examples/fetch.ts` and `deno serve examples/fetch.ts` serve it as it is. */
import { Config, Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as RequestState from "effect-resolve/RequestState"
import * as ResolveServer from "effect-resolve/ResolveServer"
import { registrations } from "./shop.ts"

const state = RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "bookshop" })
const endpoint = ResolveServer.layerHttp({ name: "bookshop", version: "1.0.0", path: "/mcp", registrations })
const { handler } = HttpRouter.toWebHandler(Layer.provide(endpoint, state), { disableLogger: true })

export default { fetch: (request: Request) => handler(request) }
