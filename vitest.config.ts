import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

// vitest's reporter needs it to print a failure, and Node 20 has it not: a failing test would only say that the reporter
// crashed. The workers, where tests run, are left as they are.
if (!("groupBy" in Map)) {
  Object.defineProperty(Map, "groupBy", {
    value: <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) => {
      const groups = new Map<K, Array<T>>()
      let index = 0
      for (const item of items) {
        const key = keyOf(item, index++)
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [item])
        else group.push(item)
      }
      return groups
    }
  })
}

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

// what starts processes, compiles, listens on a socket or runs for long; all else is in memory and quick
const outside = [
  "test/{app,bin,interop,mutants,package,process,replicas,serving,start,types}/**/*.test.ts",
  "test/context/official.test.ts",
  "test/docs/examples.test.ts",
  "test/durable/replicas.test.ts",
  "test/journal/{expiry,stores}.test.ts",
  "test/upstream/http.test.ts",
  "test/SamplingOfficial.test.ts"
]

export default defineConfig({
  resolve: {
    // tests and examples import the package by its name, as a user does
    alias: [
      { find: /^effect-resolve\/testing$/, replacement: src("testing/index.ts") },
      { find: /^effect-resolve\/peer$/, replacement: src("testing/alone.ts") },
      { find: /^effect-resolve\/(\w+)$/, replacement: src("$1.ts") },
      { find: /^effect-resolve$/, replacement: src("index.ts") }
    ]
  },
  test: {
    projects: [
      { extends: true, test: { name: "memory", include: ["test/**/*.test.ts"], exclude: outside } },
      { extends: true, test: { name: "outside", include: outside } }
    ],
    // they end what hangs, and say nothing of speed
    testTimeout: 120_000,
    hookTimeout: 120_000
  }
})
