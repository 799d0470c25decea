import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    // tests and examples import the package by its name, as a user does
    alias: [
      { find: /^effect-resolve\/testing$/, replacement: src("testing/index.ts") },
      { find: /^effect-resolve$/, replacement: src("index.ts") }
    ]
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000
  }
})
