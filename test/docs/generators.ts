/** What pages show and no file holds: frames of real calls, graphs, and what the compiler and the server say. */
import { readFileSync } from "node:fs"
import { Effect, type Layer } from "effect"
import { Answer, Peer, Transcript } from "effect-resolve/testing"
import * as AskFirst from "../../examples/03-ask-first.ts"
import { Orders } from "../../examples/10-durable.ts"
import { Shop } from "../../examples/app/shop.ts"
import { mermaid } from "../../examples/graph.ts"
import { registrations } from "../../examples/shop.ts"
import { timeline } from "./timeline.ts"

const width = 74

/** A line of a transcript over as many as it takes, broken before a member. */
const wrap = (line: string): string => {
  const spaced = line.replace(/("(?:\\.|[^"\\])*")|([:,])/g, (_, text, mark) => text ?? `${mark} `)
  const lines = [""]
  for (const word of spaced.match(/(?:"(?:\\.|[^"\\])*"(?:: )?|[^" ])+ ?/g)!) {
    const last = lines.length - 1
    if (lines[last]!.length + word.trimEnd().length > width) lines.push(`     ${word}`)
    else lines[last] += word
  }
  return lines.map((line) => line.trimEnd()).join("\n")
}

/** The frames of one call, as the test kit prints them: ids and states masked, without the protocol's own `_meta`. */
const wire = (protocol: Peer.ProtocolVersion) => () =>
  Effect.gen(function* () {
    const answers = { "bookshop/Delivery": Answer.accept({ confirm: true }) }
    const peer = yield* Peer.make({ protocol, registrations, answers })
    yield* peer.callTool("order_book", { title: "Emma" })
    const from = peer.transcript.findIndex(({ message }) => message.method === "tools/call")
    const lines = Transcript.render(peer.transcript.slice(from)).split("\n")
    return `${lines.map(wrap).join("\n")}\n`
  }).pipe(Effect.scoped, Effect.runPromise)

const marker = /^\s*\/\/ ERROR: "(.*)"$/

/** The sentences that test/types pins, as the compiler quotes them: one of each kind. */
const compileErrors = async () => {
  const sentences = ["arguments", "lists", "failures", "questions", "durable"].flatMap((fixture) =>
    readFileSync(new URL(`../types/fixtures/${fixture}.ts`, import.meta.url), "utf8")
      .split("\n")
      .flatMap((line) => marker.exec(line)?.[1] ?? [])
  )
  const kinds = [
    /has no argument/,
    /but resolver .* reads a string/,
    /is not in its dependencies/,
    /which the failure schema/,
    /^Question field/,
    /^The durable schema/
  ]
  return kinds
    .map((kind) => `${sentences.find((sentence) => kind.test(sentence)) ?? `nothing like ${kind}`}\n`)
    .join("")
}

const refusal = (answer: Answer.Answer) =>
  Effect.gen(function* () {
    const peer = yield* Peer.make({
      registrations: AskFirst.registrations as Layer.Layer<never>,
      answers: { "bookshop/ConfirmBackorder": answer }
    })
    return (yield* peer.callTool("order_book", { title: "Neuromancer" })).text
  }).pipe(Effect.scoped)

export const refusals = () =>
  Effect.forEach([Answer.decline, Answer.cancel, Answer.accept({})], refusal).pipe(
    Effect.map((texts) => `${texts.join("\n")}\n`),
    Effect.runPromise
  )

export const generators: { readonly [name: string]: () => Promise<string> } = {
  "wire-2026-07-28": wire("2026-07-28"),
  "wire-2025-11-25": wire("2025-11-25"),
  "graph-10-durable": () => Effect.runPromise(Effect.map(mermaid(Orders), (picture) => `${picture}\n`)),
  "graph-app": () => Effect.runPromise(Effect.map(mermaid(Shop), (picture) => `${picture}\n`)),
  "timeline-2026-07-28": timeline("2026-07-28"),
  "timeline-2025-11-25": timeline("2025-11-25"),
  "compile-errors": compileErrors,
  refusals
}
