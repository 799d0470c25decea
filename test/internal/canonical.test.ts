import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { canonicalJson } from "../../src/internal/base/canonical.ts"

const double = (hex: string): number => Buffer.from(hex, "hex").readDoubleBE(0)

// RFC 8785 gives UTF-8 output; ours is that output with every non-ASCII code unit escaped
const utf8 = (value: unknown): string =>
  canonicalJson(value).replace(/\\u([0-9a-f]{4})/g, (escaped, hex: string) => {
    const unit = Number.parseInt(hex, 16)
    return unit < 0x80 ? escaped : String.fromCharCode(unit)
  })

describe("RFC 8785", () => {
  // https://www.rfc-editor.org/rfc/rfc8785#appendix-B
  const numbers: ReadonlyArray<readonly [hex: string, text: string]> = [
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"]
  ]

  it.each(numbers)("renders the number %s as %s", (hex, text) => {
    assert.strictEqual(canonicalJson(double(hex)), text)
  })

  it("refuses the numbers that have no JSON form", () => {
    assert.throws(() => canonicalJson(double("7fffffffffffffff")), /NaN has no JSON form/)
    assert.throws(() => canonicalJson([{ price: double("7ff0000000000000") }]), /Infinity has no JSON form/)
    assert.throws(() => canonicalJson(1n), /bigint/)
  })

  it("renders the sample of section 3.2.2 and 3.2.3", () => {
    const value = JSON.parse(
      `{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],` +
        `"string":"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}`
    )
    assert.strictEqual(
      utf8(value),
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
        `"string":"€$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`
    )
  })

  it("sorts the sample of section 3.2.3 by UTF-16 code units", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }
    assert.strictEqual(
      canonicalJson(value),
      `{"\\r":"Carriage Return","1":"One","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis",` +
        `"\\u20ac":"Euro Sign","\\ud83d\\ude00":"Emoji: Grinning Face","\\ufb33":"Hebrew Letter Dalet With Dagesh"}`
    )
  })

  it("renders the published arrays, structures, french and unicode samples", () => {
    assert.strictEqual(utf8([56, { d: true, "10": null, "1": [] }]), `[56,{"1":[],"10":null,"d":true}]`)
    assert.strictEqual(
      utf8({ "1": { f: { f: "hi", F: 5 }, "\n": 56.0 }, "10": {}, "": "empty", a: {}, "111": [{}], A: {} }),
      `{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}`
    )
    // no locale-aware order
    assert.strictEqual(utf8({ peach: 1, péché: 2, pêche: 3, sin: 4 }), `{"peach":1,"péché":2,"pêche":3,"sin":4}`)
    // no normalisation
    assert.strictEqual(utf8({ "Unnormalized Unicode": "A\u030a" }), `{"Unnormalized Unicode":"A\u030a"}`)
  })

  it("renders the published weird sample", () => {
    assert.strictEqual(
      utf8({
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\u000a": "Newline",
        "1": "One",
        "\u0080": "Control\u007f",
        "\ud83d\ude02": "Smiley",
        "\u00f6": "Latin Small Letter O With Diaeresis",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "</script>": "Browser Challenge"
      }),
      `{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f",` +
        `"ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley",` +
        `"\ufb33":"Hebrew Letter Dalet With Dagesh"}`
    )
  })
})

describe("one text per value", () => {
  it("is pure ASCII, and tells two lone surrogates apart", () => {
    assert.strictEqual(canonicalJson("\ud800é😀\u007f"), `"\\ud800\\u00e9\\ud83d\\ude00\u007f"`)
    assert.notStrictEqual(canonicalJson({ env: "\ud800-prod" }), canonicalJson({ env: "\udfff-prod" }))
    assert.notStrictEqual(canonicalJson({ "\ud800": 1 }), canonicalJson({ "\udfff": 1 }))
  })

  it("never takes an escape that was written for the character it names", () => {
    assert.notStrictEqual(canonicalJson("\\u00e9"), canonicalJson("é"))
  })

  it("leaves out what JSON leaves out, and keeps holes of lists as null", () => {
    assert.strictEqual(canonicalJson({ b: undefined, a: null, f: () => 1, s: Symbol("x") }), `{"a":null}`)
    assert.strictEqual(canonicalJson(new Array(1).concat([undefined, () => 1])), "[null,null,null]")
    assert.strictEqual(canonicalJson(undefined), "null")
    assert.strictEqual(canonicalJson({ at: new Date(0) }), `{"at":"1970-01-01T00:00:00.000Z"}`)
  })

  it("keeps an own __proto__ and reads nothing that was inherited", () => {
    assert.strictEqual(canonicalJson(JSON.parse(`{"__proto__":{"a":1},"b":2}`)), `{"__proto__":{"a":1},"b":2}`)
    assert.strictEqual(canonicalJson(Object.create({ a: 1 })), "{}")
    assert.strictEqual(canonicalJson(JSON.parse(`{"toJSON":1,"constructor":2}`)), `{"constructor":2,"toJSON":1}`)
  })

  it("does not overflow the stack on deep nesting, and ends on a cycle with a clear error", () => {
    const text = "[".repeat(9_000) + "]".repeat(9_000)
    assert.strictEqual(canonicalJson(JSON.parse(text)), text)
    assert.throws(() => canonicalJson(JSON.parse("[".repeat(50_000) + "]".repeat(50_000))), /nested more than/)
    const cycle: Record<string, unknown> = {}
    cycle.self = [cycle]
    assert.throws(() => canonicalJson(cycle), /nested more than .* within itself/)
  })

  it("writes lists of any length", () => {
    const list = Array.from({ length: 300_000 }, () => 1)
    assert.strictEqual(canonicalJson(list), JSON.stringify(list))
  })

  it("reads back as the value, is the same for any order of members, and differs when the value differs", () => {
    const shuffled = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shuffled)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([name, member]) => [name, shuffled(member)])
            )
          : value
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const text = canonicalJson(one)
        assert.match(text, /^[ -\u007f]*$/)
        assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(one)))
        assert.strictEqual(canonicalJson(shuffled(one)), text)
        assert.strictEqual(canonicalJson(JSON.parse(text)), text)
        if (canonicalJson(other) === text) assert.deepEqual(JSON.parse(JSON.stringify(other)), JSON.parse(text))
      }),
      { numRuns: 500 }
    )
  })
})
