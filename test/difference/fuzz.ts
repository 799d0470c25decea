/**
 * `npm run fuzz -- --minutes 10 [--seed 7]`: the generators of this folder for as long as it is given, from a seed that
 * is printed. Two processors share it: bodies and graphs run beside each other.
 */
import { spawnSync } from "node:child_process"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string" } }
})
const seed = values.seed ?? String(Date.now() % 1_000_000_000)
// five tests of bodies and two of graphs, one after the other
const total = Number(values.minutes) * 60
process.stdout.write(`seed ${seed}; again with: npm run fuzz -- --minutes ${values.minutes} --seed ${seed}\n`)
const run = (file: string, tests: number) =>
  ["run", `test/difference/${file}.test.ts`, Math.max(1, Math.floor(total / tests))] as const
let failed = false
for (const [command, file, seconds] of [run("bodies", 10), run("graphs", 4)]) {
  const { status } = spawnSync("npx", ["vitest", command, file], {
    stdio: "inherit",
    env: { ...process.env, FUZZ_SECONDS: String(seconds), FUZZ_SEED: seed }
  })
  failed ||= status !== 0
}
process.exitCode = failed ? 1 : 0
