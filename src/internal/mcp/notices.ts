/** Tells clients of a change: those of this server, and of the replicas that it has. */
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Notice, Notices } from "../base/notices.ts"

type Server = McpServer["Service"]

/** The clients of this server alone. */
export const tell = ({ notifications }: Server, notice: Notice): Effect.Effect<void> => {
  switch (notice._tag) {
    case "ToolsChanged":
      return notifications["notifications/tools/list_changed"]({})
    case "PromptsChanged":
      return notifications["notifications/prompts/list_changed"]({})
    case "ResourcesChanged":
      return notifications["notifications/resources/list_changed"]({})
    case "ResourceUpdated":
      return notifications["notifications/resources/updated"]({ uri: notice.uri })
  }
}

/** `effect` tells the clients of this server; this tells the other replicas. */
export const pass = <A, E>(
  context: Context.Context<never>,
  notice: Notice,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const notices = Context.get(context, Notices)
  return notices === undefined ? effect : Effect.tap(effect, notices.publish(notice))
}

export const announce = (server: Server, context: Context.Context<never>, notice: Notice): Effect.Effect<void> =>
  pass(context, notice, tell(server, notice))
