/** Every kind of question, to clients of every version that declare this or that: asked, or refused with what is missing. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Elicitation, Roots, Sampling } from "effect-resolve"
import { Answer, eras, Peer } from "effect-resolve/testing"
import { resolver, tool } from "./rules/kit.ts"

const rain = { name: "rain", inputSchema: { type: "object" as const } }
const turns: ReadonlyArray<Sampling.Message> = [
  { role: "assistant", content: { type: "tool_use", id: "1", name: "rain", input: {} } },
  { role: "user", content: { type: "tool_result", toolUseId: "1", content: [] } }
]

interface Kind {
  readonly ask: Effect.Effect<any, any, any>
  /** The first version that has it. */
  readonly since: Peer.ProtocolVersion
  /** What a client that declares this lacks of it, from 2025-11-25 on. */
  readonly lacks: (declared: Peer.Capabilities) => object | undefined
  /** What it asks for as far as older versions know such a thing, if that is less. */
  readonly before?: (declared: Peer.Capabilities) => object | undefined
}

const sampling = ({ sampling }: Peer.Capabilities) => (sampling === undefined ? { sampling: {} } : undefined)
const samplingPart =
  (...parts: ReadonlyArray<"tools" | "context">) =>
  ({ sampling }: Peer.Capabilities) => {
    const missing = parts.filter((part) => sampling?.[part] === undefined)
    return missing.length === 0 ? undefined : { sampling: Object.fromEntries(missing.map((part) => [part, {}])) }
  }
const message = (options: object) =>
  Sampling.createMessage({ prompt: "?", maxTokens: 1, ...options } as Sampling.Options)

const kinds: { readonly [name: string]: Kind } = {
  form: {
    ask: Elicitation.form({ message: "?", schema: Schema.Struct({ ok: Schema.Boolean }) }),
    since: "2025-06-18",
    lacks: ({ elicitation }) =>
      elicitation === undefined || (elicitation.form === undefined && elicitation.url !== undefined)
        ? { elicitation: { form: {} } }
        : undefined
  },
  url: {
    ask: Elicitation.url({ message: "?", url: "https://pay.example/1" }),
    since: "2025-11-25",
    lacks: ({ elicitation }) => (elicitation?.url === undefined ? { elicitation: { url: {} } } : undefined)
  },
  plain: { ask: message({}), since: "2024-11-05", lacks: sampling },
  none: { ask: message({ includeContext: "none" }), since: "2024-11-05", lacks: sampling },
  tools: { ask: message({ tools: [rain] }), since: "2025-11-25", lacks: samplingPart("tools") },
  no_tools: { ask: message({ tools: [] }), since: "2025-11-25", lacks: samplingPart("tools") },
  choice: { ask: message({ toolChoice: { mode: "none" } }), since: "2025-11-25", lacks: samplingPart("tools") },
  history: { ask: message({ prompt: turns }), since: "2025-11-25", lacks: samplingPart("tools") },
  context: {
    ask: message({ includeContext: "thisServer" }),
    since: "2024-11-05",
    lacks: samplingPart("context"),
    before: sampling
  },
  all_servers: {
    ask: message({ includeContext: "allServers" }),
    since: "2024-11-05",
    lacks: samplingPart("context"),
    before: sampling
  },
  both: {
    ask: message({ includeContext: "thisServer", tools: [rain] }),
    since: "2025-11-25",
    lacks: samplingPart("tools", "context"),
    before: samplingPart("tools")
  },
  roots: {
    ask: Roots.list,
    since: "2024-11-05",
    lacks: ({ roots }) => (roots === undefined ? { roots: {} } : undefined)
  }
}

const declarations: ReadonlyArray<Peer.Capabilities> = [
  {},
  { elicitation: {} },
  { elicitation: { form: {} } },
  { elicitation: { url: {} } },
  { elicitation: { form: {}, url: {} } },
  { sampling: {} },
  { sampling: { tools: {} } },
  { sampling: { context: {} } },
  { sampling: { tools: {}, context: {} } },
  { roots: {} },
  { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, roots: {} }
]

const keyOf = (kind: string) => `ask/${kind}`
const registrations = Layer.mergeAll(
  Layer.empty,
  ...Object.entries(kinds).map(([kind, { ask }]) => {
    const asker = resolver(keyOf(kind), {}, () => ask)
    return tool(kind, { dependencies: [asker] }, () => Effect.succeed("asked"))
  })
) as ReturnType<typeof tool>

const answer = ({ method, params }: { readonly method: string; readonly params: any }) =>
  method === "roots/list"
    ? Answer.roots([])
    : method === "sampling/createMessage"
      ? Answer.sampled("ok")
      : params.mode === "url"
        ? Answer.accept()
        : Answer.accept({ ok: true })

describe("capabilities", () => {
  eras.of(
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05"
  )("every kind and mode is asked of a client that declared it, and refused without a question otherwise", (era) =>
    Effect.gen(function* () {
      const server = yield* Peer.serve({ registrations })
      for (const capabilities of declarations) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.connect(server, { ...era, capabilities, answers: answer })
            for (const [kind, { since, lacks, before }] of Object.entries(kinds)) {
              const cell = `${kind} for ${JSON.stringify(capabilities)}`
              const old = era.protocol < "2025-11-25"
              const missing =
                era.protocol < since
                  ? (before ?? lacks)({}) // as if nothing had been declared
                  : ((old ? before : undefined) ?? lacks)(capabilities)
              const asked = peer.questions.length
              if (missing === undefined) {
                assert.strictEqual((yield* peer.callTool(kind, {})).text, "asked", cell)
                assert.strictEqual(peer.questions.length, asked + 1, cell)
              } else {
                const error = yield* Effect.flip(peer.callTool(kind, {}))
                assert.deepStrictEqual(
                  [error.code, error.data, error.httpStatus],
                  [-32021, { requiredCapabilities: missing }, era.protocol === "2026-07-28" ? 400 : 200],
                  cell
                )
                assert.match(
                  error.message,
                  new RegExp(`^Client did not declare the .* required by resolver '${keyOf(kind)}'$`)
                )
                assert.strictEqual(peer.questions.length, asked, cell)
              }
            }
          })
        )
      }
    })
  )

  const told: ReadonlyArray<readonly [string, string]> = [
    ["form", "Client did not declare the form elicitation capability required by resolver 'ask/form'"],
    ["url", "Client did not declare the url elicitation capability required by resolver 'ask/url'"],
    ["plain", "Client did not declare the sampling capability required by resolver 'ask/plain'"],
    ["tools", "Client did not declare the sampling.tools capability required by resolver 'ask/tools'"],
    ["context", "Client did not declare the sampling.context capability required by resolver 'ask/context'"],
    [
      "both",
      "Client did not declare the sampling.tools, sampling.context capabilities required by resolver 'ask/both'"
    ],
    ["roots", "Client did not declare the roots capability required by resolver 'ask/roots'"]
  ]
  eras("a refusal names what is missing, and who asked", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations, capabilities: {} })
      for (const [kind, sentence] of told) {
        assert.strictEqual((yield* Effect.flip(peer.callTool(kind, {}))).message, sentence)
      }
    })
  )

  eras("what a client declared is known without asking it", (era) =>
    Effect.gen(function* () {
      const known = resolver("ask/known", {}, () =>
        Effect.all([
          Elicitation.supported,
          Elicitation.urlSupported,
          Sampling.supported,
          Sampling.toolsSupported,
          Sampling.contextSupported,
          Roots.supported
        ])
      )
      const server = yield* Peer.serve({
        registrations: tool("known", { dependencies: [known] }, () =>
          Effect.map(known.get, (known) => JSON.stringify(known))
        )
      })
      for (const [capabilities, expected] of [
        [{}, [false, false, false, false, false, false]],
        [{ elicitation: {} }, [true, false, false, false, false, false]],
        [{ elicitation: { url: {} }, sampling: {} }, [false, true, true, false, false, false]],
        [{ sampling: { tools: {} }, roots: {} }, [false, false, true, true, false, true]],
        [{ sampling: { context: {} } }, [false, false, true, false, true, false]]
      ] as const) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const peer = yield* Peer.connect(server, { ...era, capabilities })
            assert.deepStrictEqual(JSON.parse((yield* peer.callTool("known", {})).text), expected)
          })
        )
      }
    })
  )
})
