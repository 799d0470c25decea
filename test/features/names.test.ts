/** Two registrations of one name: the second fails and names it, whichever of the two is effect/ai's own. */
import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option, Schema } from "effect"
import { McpSchema, McpServer, Tool, Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"
import { eras, Peer } from "effect-resolve/testing"
import { type Registrations, tool } from "../rules/kit.ts"

const text = (who: string) => Effect.succeed(who)
const theirs = Toolkit.make(Tool.make("refund", { success: Schema.String }))

const kinds: {
  readonly [kind: string]: { readonly ours: Registrations; readonly theirs: Registrations; readonly named: string }
} = {
  tools: {
    ours: tool("refund", {}, () => text("ours")),
    theirs: McpServer.toolkit(theirs).pipe(Layer.provide(theirs.toLayer({ refund: () => text("theirs") }))),
    named: "Tool 'refund'"
  },
  prompts: {
    ours: Resolve.prompt({ name: "greet", content: () => text("ours") }),
    theirs: McpServer.prompt({ name: "greet", content: () => text("theirs") }),
    named: "Prompt 'greet'"
  },
  resources: {
    ours: Resolve.resource({ uri: "shop://genres", name: "genres", content: text("ours") }),
    theirs: McpServer.resource({ uri: "shop://genres", name: "other", content: text("theirs") }),
    named: "Resource 'shop://genres'"
  },
  "resource templates": {
    ours: Resolve.resourceTemplate`shop://books/${McpSchema.param("title", Schema.String)}`({
      name: "book",
      content: () => text("ours")
    }),
    theirs: McpServer.resource`shop://books/${McpSchema.param("title", Schema.String)}`({
      name: "other",
      content: () => text("theirs")
    }),
    named: "Resource template 'shop://books/{title}'"
  }
}

describe("names", () => {
  for (const [kind, { named, ours, theirs }] of Object.entries(kinds)) {
    const said = `${named} is registered already; a second one would take its place without a word. Rename one of them`
    const failing = (
      era: { protocol: Peer.ProtocolVersion },
      registrations: Layer.Layer<never, any, any>,
      typed = true
    ) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(Peer.make({ ...era, registrations: registrations as Registrations }))
        if (Exit.isSuccess(exit)) return assert.fail("registered")
        assert.include(String(exit), said)
        // what effect/ai registers by itself has no errors to fail with
        const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        assert.strictEqual(error instanceof Resolve.InvalidSignature, typed)
      })

    eras(`two ${kind} of one name fail registration, by name`, (era) =>
      failing(era, Layer.mergeAll(ours, Layer.fresh(ours)))
    )
    eras(`a second of ${kind} that comes late fails registration, by name`, (era) =>
      failing(era, Layer.mergeAll(Layer.provide(ours, Layer.effectDiscard(Effect.yieldNow)), Layer.fresh(ours)))
    )
    eras(`${kind} of ours after one of effect/ai's own fail registration, by name`, (era) =>
      failing(era, Layer.provideMerge(ours, theirs))
    )
    eras(`${kind} of effect/ai's own after one of ours fail registration, by name`, (era) =>
      failing(era, Layer.provideMerge(theirs, ours), false)
    )
  }

  eras("a name is free again when its registration is retired", (era) =>
    Effect.gen(function* () {
      const registrations = Layer.effectDiscard(
        Effect.gen(function* () {
          yield* Effect.scoped(Layer.build(kinds.tools!.ours as Layer.Layer<never, never, McpServer.McpServer>))
          yield* Layer.build(Layer.fresh(tool("refund", {}, () => text("second"))))
        })
      )
      const peer = yield* Peer.make({ ...era, registrations: registrations as Registrations })
      assert.strictEqual((yield* peer.callTool("refund")).text, "second")
    })
  )

  eras("what is registered with effect/ai alone keeps replacing what is", (era) =>
    Effect.gen(function* () {
      const again = (who: string) =>
        McpServer.toolkit(theirs).pipe(Layer.provide(theirs.toLayer({ refund: () => text(who) })))
      const other = tool("other", {}, () => text("ours"))
      const registrations = Layer.provideMerge(again("second"), Layer.provideMerge(again("first"), other))
      const peer = yield* Peer.make({ ...era, registrations: registrations as Registrations })
      assert.include((yield* peer.callTool("refund")).text, "second")
    })
  )
})
