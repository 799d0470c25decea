/** The README's program as a Cloudflare Worker: `fetch.ts` with the scheduler that workerd needs. */
import { Config, Layer, Scheduler } from "effect"
import { HttpRouter } from "effect/http"
import * as RequestState from "effect-resolve/RequestState"
import * as ResolveServer from "effect-resolve/ResolveServer"
import { registrations } from "./shop.ts"

const state = RequestState.layerConfig({ keys: Config.Redacted("STATE_KEYS"), audience: "bookshop" })
const endpoint = ResolveServer.layerHttp({ name: "bookshop", version: "1.0.0", path: "/mcp", registrations })
// a timer belongs to the request that started it, and an answer comes with another request than its question
const scheduler = Layer.succeed(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
const app = Layer.provide(endpoint, state).pipe(Layer.provideMerge(scheduler))
const { handler } = HttpRouter.toWebHandler(app, { disableLogger: true })

export default { fetch: (request: Request) => handler(request) }
