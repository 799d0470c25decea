/** A module of the user's, as Node runs it: its registrations, the files that came with it, or what is in the way. */
import { registerHooks } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect, FileSystem, Layer, Path } from "effect"
import type { Toolkit } from "effect/ai"
import * as Text from "./sentences.ts"
import { type Trouble, unusable } from "./trouble.ts"

export interface Loaded {
  /** As the user named it. */
  readonly name: string
  // whatever it gives, fails with and needs: no type comes with a module that is loaded by its name
  readonly registrations: Layer.Layer<never, any, any>
  /** Toolkits that it exports as well, by name. */
  readonly toolkits: ReadonlyArray<readonly [name: string, toolkit: Toolkit.Any]>
  /** The user's own files that were loaded, in order. */
  readonly files: ReadonlyArray<string>
}

const own = (url: string) => url.startsWith("file:") && !url.includes("/node_modules/")

/** Notes which files Node loads from here on. */
const watchFiles = Effect.acquireRelease(
  Effect.sync(() => {
    const files = new Set<string>()
    const hooks = registerHooks({
      load: (url, context, next) => {
        if (own(url)) files.add(fileURLToPath(url))
        return next(url, context)
      }
    })
    return { files, hooks }
  }),
  ({ hooks }) => Effect.sync(() => hooks.deregister())
)

/** `file.ts:3` for the first line of a stack that is the user's. */
const placeOf = (error: Error): string | undefined => {
  for (const [, url, line] of (error.stack ?? "").matchAll(
    /(?<=^|[\s(])((?:file:\/\/)?\/[^\s()]+?):(\d+)(?::\d+)?\)?$/gm
  )) {
    if (url!.includes("/node_modules/") || /\/(dist|src)\/(internal|bin)\//.test(url!)) continue
    return `${url!.startsWith("file:") ? fileURLToPath(url!) : url}:${line}`
  }
  return undefined
}

const relativeTo = (path: Path.Path) => (text: string) =>
  text.replaceAll(`file://${process.cwd()}${path.sep}`, "").replaceAll(`${process.cwd()}${path.sep}`, "")

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""

/** Why a module did not load, in a sentence that says what to do. */
const explain = Effect.fnUntraced(function* (name: string, cause: unknown) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const short = relativeTo(path)
  const error = cause instanceof Error ? cause : new Error(String(cause))
  const message = short(error.message)
  const place = placeOf(error)
  const at = place === undefined ? name : short(place)
  switch (codeOf(cause)) {
    case "ERR_MODULE_NOT_FOUND": {
      const [, kind, wanted = "", quoted, bare] =
        /Cannot find (package|module) '([^']+)'(?: imported from (?:'([^']+)'|(.+)))?/.exec(message) ?? []
      const importer = short(quoted ?? bare ?? name)
      if (kind === "package") return Text.noPackage(wanted, importer)
      const missing = /Cannot find module '([^']+)'/.exec(error.message)?.[1] ?? wanted
      for (const ending of [".ts", ".mts", ".js", "/index.ts"]) {
        if (yield* Effect.orElseSucceed(fs.exists(`${missing}${ending}`), () => false)) {
          return Text.noEnding(short(missing), ending, importer)
        }
      }
      return Text.noModule(short(missing), importer)
    }
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return Text.notErasable(at, message.split("\n")[0]!)
    case "ERR_INVALID_TYPESCRIPT_SYNTAX":
      return Text.notSyntax(at, message.split("\n")[0]!)
  }
  const [, absent] = /does not provide an export named '([^']+)'/.exec(message) ?? []
  if (absent !== undefined) return Text.noSuchImport(at, absent, message)
  if (error instanceof SyntaxError) return Text.notSyntax(at, message)
  const [, early] = error instanceof ReferenceError ? (/^Cannot access '([^']+)' before/.exec(message) ?? []) : []
  if (early !== undefined) return Text.tooEarly(early, at)
  return Text.threw(name, `${error.name}: ${message}`, place === undefined ? undefined : at)
})

const isToolkit = (value: unknown): value is Toolkit.Any =>
  (typeof value === "object" || typeof value === "function") && value !== null && "toLayer" in value && "tools" in value

const describe = (value: unknown): string => {
  if (isToolkit(value)) return Text.aToolkit
  return typeof value === "function" ? Text.aFunction : Text.somethingElse
}

// a server would read the keyboard that the command line reads
const starts = /^(?!if\b|import\b|export\b|const\b|\/\/|\/?\*)(?=\S).*(ResolveServer\.run\(|NodeRuntime\.runMain)/m

/** Loads `file` and takes the Layer that it exports under `exported`. */
export const load = Effect.fnUntraced(function* (
  named: string,
  exported: string
): Effect.fn.Return<Loaded, Trouble, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const full = path.resolve(named)
  const file = relativeTo(path)(full)
  if (!(yield* Effect.orElseSucceed(fs.exists(full), () => false))) return yield* unusable(Text.noFile(file))
  if (starts.test(yield* Effect.orElseSucceed(fs.readFileString(full), () => ""))) {
    return yield* unusable(Text.startsServer(file))
  }
  const [module, files] = yield* Effect.scoped(
    Effect.flatMap(watchFiles, ({ files }) =>
      Effect.tryPromise({
        try: (): Promise<{ readonly [name: string]: unknown }> => import(pathToFileURL(full).href),
        catch: (cause) => cause
      }).pipe(
        Effect.catch((cause) => Effect.flatMap(explain(file, cause), (text) => Effect.fail(unusable(text)))),
        Effect.map((module) => [module, [...files]] as const)
      )
    )
  )
  const value = module[exported]
  if (Layer.isLayer(value)) {
    const toolkits = Object.entries(module).flatMap(([name, value]) =>
      isToolkit(value) ? [[name, value] as const] : []
    )
    return { name: file, registrations: value as Loaded["registrations"], toolkits, files }
  }
  if (value !== undefined) return yield* unusable(Text.noLayer(file, exported, describe(value)))
  const layers = Object.keys(module).filter((name) => Layer.isLayer(module[name]))
  return yield* unusable(Text.noExport(file, exported, layers))
})
