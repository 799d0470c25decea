// Reads a report of vitest's JSON reporter and prints how many tests passed and how many did not: a skipped test, a
// file that could not be run and a report that is missing count as failures.
import { readFileSync } from "node:fs"

const count = (path) => {
  try {
    const report = JSON.parse(readFileSync(path, "utf8"))
    const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0)
    const passed = report.numPassedTests
    return [passed, report.numTotalTests - passed + broken.length]
  } catch {
    return [0, 1]
  }
}

console.log(count(process.argv[2]).join(" "))
