/** 5. A program of 200 tools with 400 look-ups between them, ours and plain effect/ai, and the time tsc takes over it. */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const dist = fileURLToPath(new URL("../dist/.types/", import.meta.url))
const tools = 200
/** Chains of this length, two look-ups a tool. */
const chain = 20

const head = `import { Context, Effect, Layer, Schema } from "effect"
import { McpServer, Tool, Toolkit } from "effect/ai"
class Inventory extends Context.Service<Inventory, { readonly copies: (title: string) => Effect.Effect<number> }>()("Inventory") {
  static readonly layer = Layer.succeed(Inventory, { copies: () => Effect.succeed(1) })
}
class Stock extends Schema.Class<Stock>("Stock")({ title: Schema.String, copies: Schema.Int }) {}
`

const ours = (): string => {
  const lines = [head, `import { Resolve, Resolver } from "effect-resolve"`]
  const resolver = (i: number) => {
    const first = i % chain === 0
    lines.push(`class R${i} extends Resolver.Service<R${i}>()("shop/R${i}", {
  parameters: { title: Schema.String },${first ? "" : `\n  dependencies: [R${i - 1}],`}
  resolve: Effect.fn(function*({ title }) {
    ${first ? "const inventory = yield* Inventory\n    return new Stock({ title, copies: yield* inventory.copies(title) })" : `const before = yield* R${i - 1}\n    return new Stock({ title, copies: before.copies + 1 })`}
  })
}) {}`)
  }
  for (let t = 0; t < tools; t++) {
    resolver(2 * t)
    resolver(2 * t + 1)
    lines.push(`const T${t} = Resolve.tool("tool_${t}", {
  description: "Tool ${t}", parameters: Schema.Struct({ title: Schema.String, amount: Schema.Int }), success: Schema.String,
  dependencies: [R${2 * t}, R${2 * t + 1}]
})`)
  }
  lines.push(`const All = Toolkit.make(${Array.from({ length: tools }, (_, t) => `T${t}`).join(", ")})`)
  lines.push("const AllLive = All.toLayer({")
  for (let t = 0; t < tools; t++) {
    lines.push(`  tool_${t}: Effect.fn(function*({ title, amount }) {
    const first = yield* R${2 * t}
    const second = yield* R${2 * t + 1}
    return \`\${title} \${amount} \${first.copies} \${second.copies}\`
  }),`)
  }
  lines.push("})", "export const registrations = Resolve.toolkit(All).pipe(Layer.provide([AllLive, Inventory.layer]))")
  lines.push("export type Unused = [typeof McpServer, typeof Tool]")
  return `${lines.join("\n")}\n`
}

const plain = (): string => {
  const lines = [head]
  const lookUp = (i: number) => {
    const first = i % chain === 0
    lines.push(`const r${i} = Effect.fn(function*(title: string) {
  ${first ? "const inventory = yield* Inventory\n  return new Stock({ title, copies: yield* inventory.copies(title) })" : `const before = yield* r${i - 1}(title)\n  return new Stock({ title, copies: before.copies + 1 })`}
})`)
  }
  for (let t = 0; t < tools; t++) {
    lookUp(2 * t)
    lookUp(2 * t + 1)
    lines.push(`const T${t} = Tool.make("tool_${t}", {
  description: "Tool ${t}", parameters: Schema.Struct({ title: Schema.String, amount: Schema.Int }), success: Schema.String,
  dependencies: [Inventory]
})`)
  }
  lines.push(`const All = Toolkit.make(${Array.from({ length: tools }, (_, t) => `T${t}`).join(", ")})`)
  lines.push("const AllLive = All.toLayer({")
  for (let t = 0; t < tools; t++) {
    lines.push(`  tool_${t}: Effect.fn(function*({ title, amount }) {
    const first = yield* r${2 * t}(title)
    const second = yield* r${2 * t + 1}(title)
    return \`\${title} \${amount} \${first.copies} \${second.copies}\`
  }),`)
  }
  lines.push(
    "})",
    "export const registrations = McpServer.toolkit(All).pipe(Layer.provide([AllLive, Inventory.layer]))"
  )
  return `${lines.join("\n")}\n`
}

/** Writes both programs and gives how to check one: seconds of wall time and of CPU, or what tsc says. */
export const prepare = (): ((which: "ours" | "plain") => Promise<{ readonly seconds: number }>) => {
  for (const [name, text] of Object.entries({ ours: ours(), plain: plain() })) {
    mkdirSync(`${dist}${name}`, { recursive: true })
    writeFileSync(`${dist}${name}/program.ts`, text)
    writeFileSync(
      `${dist}${name}/tsconfig.json`,
      JSON.stringify({
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          module: "nodenext",
          target: "es2023",
          lib: ["es2023"],
          types: ["node"],
          skipLibCheck: true,
          noEmit: true
        },
        include: ["program.ts"]
      })
    )
  }
  return (which) =>
    new Promise((resolve, reject) => {
      const started = process.hrtime.bigint()
      const tsc = spawn(
        process.execPath,
        [`${root}node_modules/typescript/bin/tsc`, "-p", `${dist}${which}/tsconfig.json`, "--pretty", "false"],
        { cwd: root, stdio: ["ignore", "pipe", "inherit"] }
      )
      let out = ""
      tsc.stdout.on("data", (chunk) => {
        out += chunk
      })
      tsc.once("error", reject)
      tsc.once("exit", (code) =>
        code === 0
          ? resolve({ seconds: Number(process.hrtime.bigint() - started) / 1e9 })
          : reject(new Error(`tsc on ${which}: ${out.slice(0, 600)}`))
      )
    })
}
