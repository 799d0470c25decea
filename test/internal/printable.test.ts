import { assert, it } from "@effect/vitest"
import { printable, short } from "../../src/internal/base/printable.ts"

it("what reorders, hides or controls is removed; line breaks, tabs and every script stay", () => {
  assert.strictEqual(printable("pay \u202e001\u202c now"), "pay 001 now")
  assert.strictEqual(printable("a\u0000b\u001b[31mc\u007f\u0085"), "ab[31mc")
  assert.strictEqual(printable("ad\u00admin\u200b\ufeff\u2066\u2069"), "admin")
  const kept = "Zoë\tsagt\r\n「はい」 😀 שלום مرحبا"
  assert.strictEqual(printable(kept), kept)
})

it("a short text is one line, and says that it was cut", () => {
  assert.strictEqual(short("one\n  two\tthree", 20), "one two three")
  assert.strictEqual(short("abcdef", 5), "abcde…")
  assert.strictEqual(short("abcde", 5), "abcde")
})

it("no character is cut in half, and nothing long is looked at to its end", () => {
  assert.strictEqual(short("😀".repeat(6), 5), `${"😀".repeat(5)}…`)
  assert.strictEqual(short(`a${"😀".repeat(1000)}`, 5), `a${"😀".repeat(4)}…`)
  assert.strictEqual(short("\u200b".repeat(100), 5), "…")
})
