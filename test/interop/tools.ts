/** The everything-server's tools: all kinds of question, errors of each kind, and what a test cannot see from outside. */
import { Effect, Exit, Layer, Option, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { Call, Elicitation, McpContext, Resolve, Resolver, Roots, Sampling } from "effect-resolve"
import { Ledger } from "./ledger.ts"

const key = { key: Schema.String }

// ---------------------------------------------------------------- questions

class Confirm extends Resolver.Service<Confirm>()("interop/Confirm", {
  parameters: { title: Schema.String },
  resolve: Effect.fn(function* ({ title }) {
    return yield* Elicitation.form({
      message: `Order '${title}'?`,
      schema: Schema.Struct({ confirm: Schema.Boolean })
    })
  })
}) {}

class SignIn extends Resolver.Service<SignIn>()("interop/SignIn", {
  resolve: () => Effect.as(Elicitation.url({ message: "Sign in first.", url: "https://shop.example/login" }), true)
}) {}

class Suggest extends Resolver.Service<Suggest>()("interop/Suggest", {
  parameters: { genre: Schema.String },
  resolve: Effect.fn(function* ({ genre }) {
    const { content } = yield* Sampling.createMessage({ prompt: `Suggest one ${genre} title.`, maxTokens: 50 })
    return content.type === "text" ? content.text : "the classics"
  })
}) {}

class Folders extends Resolver.Service<Folders>()("interop/Folders", {
  resolve: () => Effect.map(Roots.list, (roots) => roots.map((root) => root.uri))
}) {}

/** Leaves a line each time it runs: one per round. */
class Round extends Resolver.Service<Round>()("interop/Round", {
  parameters: key,
  resolve: Effect.fn(function* ({ key }) {
    yield* (yield* Ledger).add(key, "round")
    return true
  })
}) {}

/** Runs once per call, whatever its rounds, and only after the person has said yes. */
class Charge extends Resolver.Service<Charge>()("interop/Charge", {
  parameters: { key: Schema.String, title: Schema.String },
  dependencies: [Confirm],
  durable: Schema.String,
  resolve: Effect.fn(function* ({ key }) {
    const { confirm } = yield* Confirm
    if (!confirm) return "free"
    yield* (yield* Ledger).add(key, "charged")
    return "paid"
  })
}) {}

class Wrap extends Resolver.Service<Wrap>()("interop/Wrap", {
  dependencies: [Charge],
  resolve: Effect.fn(function* () {
    const paid = yield* Charge
    return yield* Elicitation.form({
      message: `It is ${paid}. Wrap it?`,
      schema: Schema.Struct({ paper: Schema.Literals(["red", "blue"]) })
    })
  })
}) {}

const ask_form = Resolve.tool("ask_form", {
  description: "Asks for a yes by a form.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [Confirm]
})
const ask_url = Resolve.tool("ask_url", {
  description: "Asks to open a page.",
  success: Schema.String,
  dependencies: [SignIn]
})
const ask_model = Resolve.tool("ask_model", {
  description: "Asks the client's model.",
  parameters: Schema.Struct({ genre: Schema.String }),
  success: Schema.String,
  dependencies: [Suggest]
})
const ask_roots = Resolve.tool("ask_roots", {
  description: "Asks for the client's roots.",
  success: Schema.String,
  dependencies: [Folders]
})
const ask_all = Resolve.tool("ask_all", {
  description: "Asks for everything at once.",
  parameters: Schema.Struct({ key: Schema.String, title: Schema.String, genre: Schema.String }),
  success: Schema.String,
  dependencies: [Round, Confirm, SignIn, Suggest, Folders]
})
const ask_twice = Resolve.tool("ask_twice", {
  description: "Asks, charges, and asks again.",
  parameters: Schema.Struct({ key: Schema.String, title: Schema.String }),
  success: Schema.String,
  dependencies: [Charge, Wrap]
})
const ask_in_body = Resolve.tool("ask_in_body", {
  description: "Asks from its body.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [Elicitation.Elicitation]
})
const ask_and_branch = Resolve.tool("ask_and_branch", {
  description: "Carries on when the person refuses.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  dependencies: [Confirm.result]
})
/** A resolver with a resource, so that a test sees how it is given back when a question is cancelled. */
class Hold extends Resolver.Service<Hold>()("interop/Hold", {
  parameters: key,
  resolve: Effect.fn(function* ({ key }) {
    const ledger = yield* Ledger
    yield* Effect.addFinalizer((exit) =>
      ledger.add(key, Exit.isSuccess(exit) ? "committed" : Resolver.isSuspended(exit) ? "suspended" : "rolled back")
    )
    return true
  })
}) {}
const ask_and_hold = Resolve.tool("ask_and_hold", {
  description: "Asks while a resource is held.",
  parameters: Schema.Struct({ key: Schema.String, title: Schema.String }),
  success: Schema.String,
  dependencies: [Hold, Confirm]
})

export const Questions = Toolkit.make(
  ask_form,
  ask_url,
  ask_model,
  ask_roots,
  ask_all,
  ask_twice,
  ask_in_body,
  ask_and_branch,
  ask_and_hold
)

const QuestionsLive = Questions.toLayer(
  Effect.gen(function* () {
    const ledger = yield* Ledger
    return {
      ask_form: Effect.fn(function* ({ title }) {
        const { confirm } = yield* Confirm
        return confirm ? `Ordered '${title}'.` : "No order placed."
      }),
      ask_url: Effect.fn(function* () {
        yield* SignIn
        yield* McpContext.elicitComplete(yield* Call.id)
        return "Signed in."
      }),
      ask_model: Effect.fn(function* () {
        return `Today's pick: ${yield* Suggest}`
      }),
      ask_roots: Effect.fn(function* () {
        return `Roots: ${(yield* Folders).join(", ")}`
      }),
      ask_all: Effect.fn(function* () {
        const { confirm } = yield* Confirm
        const signedIn = yield* SignIn
        return [confirm, signedIn, yield* Suggest, (yield* Folders).join(", ")].join("; ")
      }),
      ask_twice: Effect.fn(function* ({ key }) {
        yield* ledger.add(key, "body")
        return `${yield* Charge}, wrapped in ${(yield* Wrap).paper}`
      }),
      ask_in_body: Effect.fn(function* ({ title }) {
        yield* Elicitation.confirm(`Really order '${title}'?`)
        return `Really ordered '${title}'.`
      }),
      ask_and_branch: Effect.fn(function* ({ title }) {
        const answer = yield* Confirm.result
        return answer._tag === "Failure" ? `Not ordered (${answer.failure._tag}).` : `Ordered '${title}'.`
      }),
      ask_and_hold: Effect.fn(function* ({ key, title }) {
        yield* ledger.add(key, "body")
        return `Held '${title}'.`
      })
    }
  })
)

// ---------------------------------------------------------------- everything else

class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { title: Schema.String }) {
  override get message(): string {
    return `'${this.title}' is sold out.`
  }
}

const echo = Resolve.tool("echo", {
  description: "Says what it was told.",
  parameters: Schema.Struct({ text: Schema.String }),
  success: Schema.String
})
const sum = Resolve.tool("sum", {
  description: "Adds two numbers.",
  parameters: Schema.Struct({ a: Schema.Finite, b: Schema.Finite }),
  success: Schema.Struct({ sum: Schema.Finite })
})
const request_id = Resolve.tool("request_id", {
  description: "Tells the protocol of the request, and whether its id is known.",
  success: Schema.String
})
const progress = Resolve.tool("progress", {
  description: "Reports progress three times, and ends when it is told that all has arrived.",
  parameters: Schema.Struct(key),
  success: Schema.String
})
const slow = Resolve.tool("slow", {
  description: "Never ends by itself.",
  parameters: Schema.Struct(key),
  success: Schema.String
})
const ledger = Resolve.tool("ledger", {
  description: "What happened under a key.",
  parameters: Schema.Struct(key),
  success: Schema.String
})
const tell = Resolve.tool("tell", {
  description: "Adds an event under a key.",
  parameters: Schema.Struct({ key: Schema.String, event: Schema.String }),
  success: Schema.String
})
const wait_for = Resolve.tool("wait_for", {
  description: "Waits until something has happened under a key, and tells all that has.",
  parameters: Schema.Struct({ key: Schema.String, event: Schema.String }),
  success: Schema.String
})
const fail_declared = Resolve.tool("fail_declared", {
  description: "Fails as it declares.",
  parameters: Schema.Struct({ title: Schema.String }),
  success: Schema.String,
  failure: SoldOut
})
const fail_defect = Resolve.tool("fail_defect", { description: "Fails as nobody declared.", success: Schema.String })
const notify = Resolve.tool("notify", {
  description: "Tells clients that the prompts and a resource have changed.",
  parameters: Schema.Struct({ uri: Schema.String }),
  success: Schema.String
})
const open_shelf = Resolve.tool("open_shelf", { description: "Adds the tool browse_shelf.", success: Schema.String })
const close_shelf = Resolve.tool("close_shelf", { description: "Retires browse_shelf.", success: Schema.String })
const read_catalog = Resolve.tool("read_catalog", {
  description: "Reads a resource of this server.",
  parameters: Schema.Struct({ uri: Schema.String }),
  success: Schema.String,
  failure: McpContext.ReadResourceError
})

export const Plain = Toolkit.make(
  echo,
  sum,
  request_id,
  progress,
  slow,
  ledger,
  tell,
  wait_for,
  fail_declared,
  fail_defect,
  notify,
  open_shelf,
  close_shelf,
  read_catalog
)

const Shelf = Toolkit.make(
  Resolve.tool("browse_shelf", { description: "Only there while the shelf is open.", success: Schema.String })
)
const ShelfLive = Shelf.toLayer({ browse_shelf: () => Effect.succeed("Dune, Emma") })

const PlainLive = Plain.toLayer(
  Effect.gen(function* () {
    const events = yield* Ledger
    const shelf = yield* Resolve.register(Shelf).pipe(Effect.provide(ShelfLive))
    const told = (key: string) => Effect.map(events.read(key), (all) => all.join(", "))
    return {
      echo: ({ text }) => Effect.succeed(text),
      sum: ({ a, b }) => Effect.succeed({ sum: a + b }),
      request_id: Effect.fn(function* () {
        return `${yield* McpContext.protocolVersion} ${Option.isSome(yield* McpContext.requestId) ? "known" : "unknown"}`
      }),
      progress: Effect.fn(function* ({ key }) {
        for (const step of [1, 2, 3]) {
          yield* McpContext.reportProgress({ progress: step, total: 3, message: `step ${step}` })
        }
        yield* events.seen(key, "arrived")
        return "done"
      }),
      slow: Effect.fn(function* ({ key }) {
        yield* Effect.addFinalizer((exit) => events.add(key, Exit.hasInterrupts(exit) ? "interrupted" : "ended"))
        yield* events.add(key, "started")
        return yield* Effect.never
      }),
      ledger: ({ key }) => told(key),
      tell: ({ key, event }) => Effect.as(events.add(key, event), "told"),
      wait_for: ({ key, event }) => Effect.andThen(events.seen(key, event), told(key)),
      fail_declared: ({ title }) => Effect.fail(new SoldOut({ title })),
      fail_defect: () => Effect.die(new Error("for the log only")),
      notify: Effect.fn(function* ({ uri }) {
        yield* McpContext.notifyPromptsChanged
        yield* McpContext.notifyResourceUpdated(uri)
        return "told"
      }),
      open_shelf: Effect.fn(function* () {
        yield* Effect.orDie(shelf.add)
        return "open"
      }),
      close_shelf: Effect.fn(function* () {
        yield* shelf.remove
        return "closed"
      }),
      read_catalog: Effect.fn(function* ({ uri }) {
        const contents = yield* McpContext.readResource(uri)
        return contents.map((piece) => ("text" in piece ? piece.text : "")).join("")
      })
    }
  })
)

// ---------------------------------------------------------------- prompts and resources

/** A reader is asked for before a prompt or a resource is given. */
class Reader extends Resolver.Service<Reader>()("interop/Reader", {
  resolve: () => Elicitation.form({ message: "Who reads it?", schema: Schema.Struct({ name: Schema.NonEmptyString }) })
}) {}

const PromptsAndResources = Layer.mergeAll(
  Resolve.prompt({
    name: "blurb",
    description: "Asks for a blurb.",
    parameters: { title: Schema.String },
    completion: {
      title: (value) => Effect.succeed(["Dune", "Emma"].filter((title) => title.startsWith(value)))
    },
    content: ({ title }) => Effect.succeed(`Write a blurb for '${title}'.`)
  }),
  Resolve.prompt({
    name: "blurb_for",
    description: "Asks for a blurb for somebody.",
    parameters: { title: Schema.String },
    dependencies: [Reader],
    content: Effect.fn(function* ({ title }) {
      return `Write a blurb for '${title}', to be read by ${(yield* Reader).name}.`
    })
  }),
  Resolve.resource({
    uri: "catalog://genres",
    name: "genres",
    description: "How the catalog is organised.",
    mimeType: "text/plain",
    content: Effect.succeed("fiction, non-fiction, poetry")
  }),
  Resolve.resource({
    uri: "catalog://for-you",
    name: "for you",
    description: "A shelf for one reader.",
    mimeType: "text/plain",
    dependencies: [Reader],
    content: Effect.map(Reader, (reader) => `Books for ${reader.name}`)
  }),
  Resolve.resourceTemplate`catalog://books/${McpSchema.param("title", Schema.String)}`({
    name: "book",
    description: "One book.",
    mimeType: "text/plain",
    content: (_uri, title) => Effect.succeed(`The book '${title}'`)
  })
)

export const layer = Layer.mergeAll(Resolve.toolkit(Questions), Resolve.toolkit(Plain), PromptsAndResources).pipe(
  Layer.provide([QuestionsLive, PlainLive]),
  Layer.provide([ShelfLive, Ledger.layer])
)
