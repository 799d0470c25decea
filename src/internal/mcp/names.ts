/**
 * Names that are taken. effect/ai puts a registration in the place of an earlier one of its name without a word, and which
 * is the later may hang on how long a Layer takes; ours fail, whichever of the two is second.
 */
import type { McpServer } from "effect/ai/McpServer"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Text from "../base/sentences.ts"
import { InvalidSignature } from "../graph/plan.ts"

type Server = McpServer["Service"]
type Annotations = Context.Context<never>

export type Kind = "Tool" | "Prompt" | "Resource" | "Resource template"

/** What is registered through us, and whether it is retired: then its name is free. */
const ours = new WeakMap<Annotations, () => boolean>()

/** Marks a registration, known by its annotations, as one of ours. */
export const own = (annotations: Annotations, isRetired: () => boolean): void => {
  ours.set(annotations, isRetired)
}

const named = {
  Tool: (server: Server, name: string) => server.tools.find(({ tool }) => tool.name === name),
  Prompt: (server: Server, name: string) => server.prompts.find(({ prompt }) => prompt.name === name),
  Resource: (server: Server, uri: string) => server.resources.find(({ resource }) => resource.uri === uri),
  "Resource template": (server: Server, uri: string) =>
    server.resourceTemplates.find(({ template }) => template.uriTemplate === uri)
}

/** Who has a name now. */
const holder = (server: Server, kind: Kind, name: string): Annotations | undefined => {
  const annotations = named[kind](server, name)?.annotations
  return annotations === undefined || ours.get(annotations)?.() === true ? undefined : annotations
}

/** Fails when a name is taken, whoever took it. */
export const free = (server: Server, kind: Kind, name: string): Effect.Effect<void, InvalidSignature> =>
  Effect.suspend(() => {
    const owner = `${kind} '${name}'`
    return holder(server, kind, name) === undefined
      ? Effect.void
      : Effect.fail(new InvalidSignature({ owner, path: [name], message: Text.nameTaken(owner) }))
  })

const guarded = new WeakSet<Server>()

/** From here on a registration made with effect/ai alone cannot take the place of one of ours. */
export const guard = (server: Server): void => {
  if (guarded.has(server)) return
  guarded.add(server)
  const kept =
    <Options extends { readonly annotations: Annotations }>(
      kind: Kind,
      nameOf: (options: Options) => string,
      add: (options: Options) => Effect.Effect<void>
    ) =>
    (options: Options): Effect.Effect<void> =>
      Effect.suspend(() => {
        const name = nameOf(options)
        const held = holder(server, kind, name)
        return held === undefined || held === options.annotations || !(ours.has(held) || ours.has(options.annotations))
          ? add(options)
          : Effect.die(new Error(Text.nameTaken(`${kind} '${name}'`)))
      })
  // effect/ai's own registrations find the service in their context, and call these
  Object.assign(server, {
    addTool: kept("Tool", ({ tool }) => tool.name, server.addTool),
    addPrompt: kept("Prompt", ({ prompt }) => prompt.name, server.addPrompt),
    addResource: kept("Resource", ({ resource }) => resource.uri, server.addResource),
    addResourceTemplate: kept("Resource template", ({ template }) => template.uriTemplate, server.addResourceTemplate)
  } satisfies Partial<Server>)
}
