/** A registration that can be retired: effect/ai has no removal, but hides what is not enabled. */
import { EnabledWhen } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Names from "./names.ts"

export interface Live {
  readonly annotate: (annotations: Context.Context<never>) => Context.Context<never>
  readonly isRetired: () => boolean
  /** Whether clients see all of it: it may have been retired, or replaced in part by another of that name. */
  readonly intact: () => boolean
  /** Hides what was registered, and tells clients, once, and only if there was anything left to see. */
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
  const present = (): number =>
    live
      ? [...server.tools, ...server.prompts, ...server.resources, ...server.resourceTemplates].filter(
          ({ annotations }) => own.has(annotations)
        ).length
      : 0
  return {
    isRetired: () => !live,
    intact: () => own.size > 0 && present() === own.size,
    annotate: (annotations) => {
      const enabled = Context.getOrUndefined(annotations, EnabledWhen)
      const annotated = Context.add(
        annotations,
        EnabledWhen,
        (client) => live && (enabled === undefined || enabled(client))
      )
      own.add(annotated)
      Names.own(annotated, () => !live)
      return annotated
    },
    retire: Effect.suspend(() => {
      const seen = present() > 0
      live = false
      return seen ? server.notifications[lists[list]]({}) : Effect.void
    })
  }
}
