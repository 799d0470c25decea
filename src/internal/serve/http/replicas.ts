/** What other replicas of this server say is told to the clients of this one. */
import { Effect, Option, type Scope } from "effect"
import { McpServer } from "effect/ai/McpServer"
import { Notices } from "../../base/notices.ts"
import { tell } from "../../mcp/notices.ts"

/** Listens for as long as the scope is open, where there is a way for notices to travel. */
export const hear = (scope: Scope.Scope): Effect.Effect<void> =>
  Effect.gen(function* () {
    const notices = yield* Notices
    const server = yield* Effect.serviceOption(McpServer)
    if (notices === undefined || Option.isNone(server)) return
    yield* Effect.forkIn(
      notices.listen((notice) => tell(server.value, notice)),
      scope
    )
  })
