/** How the command line learns what is registered: each plan is announced once it is made. Elsewhere nobody listens. */
import * as Context from "effect/Context"
import type { Plan } from "./plan.ts"

/** A plan, and the body behind it: whether it may ask, and whether there is one at all. */
export interface AnnouncedPlan {
  readonly plan: Plan
  readonly asks: boolean
  readonly handled: boolean
}

/** Called by every registration, in the order in which they are made. */
export const CurrentPlanObserver = Context.Reference<((announced: AnnouncedPlan) => void) | undefined>(
  "effect-resolve/internal/CurrentPlanObserver",
  { defaultValue: () => undefined }
)
