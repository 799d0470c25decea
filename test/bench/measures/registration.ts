/** 5. Registration of 1,000 tools, and what each of them keeps: `ours` with five resolvers each, or `plain`. */
import { Effect, Layer, Schema, Scope } from "effect"
import { McpServer, Tool, Toolkit } from "effect/ai"

const which = process.argv[2] ?? "ours"
const size = 1000

const heap = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const parameters = () => Schema.Struct({ title: Schema.String, amount: Schema.Int })

const plain = () => ({
  make: (name: string) => Tool.make(name, { parameters: parameters(), success: Schema.String }),
  register: (toolkit: Toolkit.Toolkit<any>) => McpServer.toolkit(toolkit) as Layer.Layer<never, any, any>
})

const ours = async () => {
  const { Resolve, Resolver } = await import("effect-resolve")
  const resolvers = (tool: string) => {
    const made: Array<any> = []
    for (let i = 0; i < 5; i++) {
      made.push(
        class extends Resolver.Service<any>()(`bench/${tool}/${i}`, {
          parameters: { title: Schema.String },
          dependencies: made.slice(-2),
          resolve: ({ title }: any) => Effect.succeed(title)
        } as any) {}
      )
    }
    return made
  }
  return {
    make: (name: string) =>
      Resolve.tool(name, { parameters: parameters(), success: Schema.String, dependencies: resolvers(name) as any }),
    register: (toolkit: Toolkit.Toolkit<any>) => Resolve.toolkit(toolkit) as Layer.Layer<never, any, any>
  }
}

const run = async () => {
  const { make, register } = which === "ours" ? await ours() : plain()
  const warm = Toolkit.make(make("warm") as any) as Toolkit.Toolkit<any>
  const build = (toolkit: Toolkit.Toolkit<any>, server: Layer.Layer<McpServer.McpServer>) => {
    const names = Object.keys(toolkit.tools)
    const live = toolkit.toLayer(
      Object.fromEntries(names.map((name) => [name, () => Effect.succeed(name)])) as any
    ) as Layer.Layer<never>
    return register(toolkit).pipe(Layer.provide(live), Layer.provideMerge(server)) as Layer.Layer<any, any>
  }
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(Layer.buildWithScope(build(warm, McpServer.McpServer.layer), scope))

  const empty = heap()
  const tools = Array.from({ length: size }, (_, i) => make(`tool_${i}`) as any)
  const toolkit = Toolkit.make(...tools) as Toolkit.Toolkit<any>
  const layer = build(toolkit, McpServer.McpServer.layer)
  const defined = heap()
  const started = process.hrtime.bigint()
  const built = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  const registered = heap()
  // both stay reachable until here
  if (built === undefined || tools.length !== size) throw new Error("unreachable")
  return { seconds, definition: (defined - empty) / size, registration: (registered - defined) / size }
}

run().then(
  (result) => process.send?.(result),
  (error) => process.send?.({ failed: String(error?.stack ?? error) })
)
process.on("message", () => process.exit(0))
