/** What the replicas of a server tell each other of changes that their clients should hear of. */
import { Context, type Effect } from "effect"

/**
 * A change of a list, or of a resource that clients may have subscribed to.
 *
 * @category models
 * @since 0.2.0
 */
export type Notice =
  | { readonly _tag: "ToolsChanged" }
  | { readonly _tag: "PromptsChanged" }
  | { readonly _tag: "ResourcesChanged" }
  | { readonly _tag: "ResourceUpdated"; readonly uri: string }

/**
 * How notices travel. `publish` gives one to all other replicas and holds up nobody: it returns at once and reports its
 * failures itself. `listen` runs `tell` for each notice that another replica has published, and ends with its scope.
 *
 * @category services
 * @since 0.2.0
 */
export interface Service {
  readonly publish: (notice: Notice) => Effect.Effect<void>
  readonly listen: (tell: (notice: Notice) => Effect.Effect<void>) => Effect.Effect<void>
}

/**
 * The way in use. There is none by default: a change is told to the clients of the replica where it was made.
 *
 * @category services
 * @since 0.2.0
 */
export const Notices: Context.Reference<Service | undefined> = Context.Reference<Service | undefined>(
  "effect-resolve/Notices",
  { defaultValue: () => undefined }
)
