/** A registration that can be retired: effect/ai has no removal, but hides what is not enabled (WIRE.md 7). */
import { EnabledWhen } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface Live {
  readonly annotate: (annotations: Context.Context<never>) => Context.Context<never>
  /** Hides what was registered, and tells clients, once: it may have been replaced in the meantime. */
  readonly retire: Effect.Effect<void>
}

const lists = {
  tools: "notifications/tools/list_changed",
  prompts: "notifications/prompts/list_changed",
  resources: "notifications/resources/list_changed"
} as const

export const make = (server: McpServer["Service"], list: keyof typeof lists): Live => {
  let live = true
  const own = new Set<Context.Context<never>>()
  const present = () =>
    [...server.tools, ...server.prompts, ...server.resources, ...server.resourceTemplates].some(({ annotations }) =>
      own.has(annotations)
    )
  return {
    annotate: (annotations) => {
      const enabled = Context.getOrUndefined(annotations, EnabledWhen)
      const annotated = Context.add(
        annotations,
        EnabledWhen,
        (client) => live && (enabled === undefined || enabled(client))
      )
      own.add(annotated)
      return annotated
    },
    retire: Effect.suspend(() => {
      if (!live) return Effect.void
      live = false
      return present() ? server.notifications[lists[list]]({}) : Effect.void
    })
  }
}
