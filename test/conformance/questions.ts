/** The suite's tools and prompts that ask. Keys on the wire are the resolvers' own, so they are named as the suite wants. */
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Elicitation, Resolve, Resolver, Roots, Sampling } from "effect-resolve"

const Name = Schema.Struct({ name: Schema.String })
const Ok = Schema.Struct({ ok: Schema.Boolean })

class UserName extends Resolver.Service<UserName>()("user_name", {
  resolve: () => Elicitation.form({ message: "What is your name?", schema: Name })
}) {}
const ask = (prompt: string, maxTokens: number) =>
  Effect.map(Sampling.createMessage({ prompt, maxTokens }), ({ content }) =>
    content.type === "text" ? content.text : `<${content.type}>`
  )

class Capital extends Resolver.Service<Capital>()("capital_question", {
  resolve: () => ask("What is the capital of France?", 100)
}) {}
class Greeting extends Resolver.Service<Greeting>()("greeting", {
  resolve: () => ask("Generate a greeting", 50)
}) {}
class ClientRoots extends Resolver.Service<ClientRoots>()("client_roots", {
  resolve: () => Effect.map(Roots.list, (roots) => roots.map((root) => root.uri))
}) {}
class Confirm extends Resolver.Service<Confirm>()("confirm", {
  resolve: () => Elicitation.form({ message: "Please confirm", schema: Ok })
}) {}
class Step1 extends Resolver.Service<Step1>()("step1", {
  resolve: () => Elicitation.form({ message: "Step 1: What is your name?", schema: Name })
}) {}
class Step2 extends Resolver.Service<Step2>()("step2", {
  dependencies: [Step1],
  resolve: Effect.fn(function* () {
    yield* Step1
    return yield* Elicitation.form({
      message: "Step 2: What is your favorite color?",
      schema: Schema.Struct({ color: Schema.String })
    })
  })
}) {}
/** Asks what the client can answer, and nothing else. */
class Whatever extends Resolver.Service<Whatever>()("whatever", {
  resolve: Effect.fn(function* () {
    if (yield* Sampling.supported) {
      return yield* ask("Suggest a name", 50)
    }
    return (yield* Elicitation.form({ message: "What is your name?", schema: Name })).name
  })
}) {}
class FromModel extends Resolver.Service<FromModel>()("from_model", {
  parameters: { prompt: Schema.String },
  resolve: ({ prompt }) => ask(prompt, 100)
}) {}
class FromUser extends Resolver.Service<FromUser>()("from_user", {
  parameters: { message: Schema.String },
  resolve: ({ message }) =>
    Elicitation.form({
      message,
      schema: Schema.Struct({
        username: Schema.String.annotate({ description: "User's response" }),
        email: Schema.String.annotate({ description: "User's email address" })
      })
    })
}) {}
/** Defaults of every primitive kind. */
class Defaults extends Resolver.Service<Defaults>()("defaults", {
  resolve: () =>
    Elicitation.form({
      message: "Please review your details",
      schema: Schema.Struct({
        name: Schema.String.annotate({ default: "John Doe" }),
        age: Schema.Int.annotate({ default: 30 }),
        score: Schema.Finite.annotate({ default: 95.5 }),
        status: Schema.Literals(["active", "inactive", "pending"]).annotate({ default: "active" }),
        verified: Schema.Boolean.annotate({ default: true })
      })
    })
}) {}

const options = ["option1", "option2", "option3"] as const
const titledOptions = Schema.Union([
  Schema.Literal("value1").annotate({ title: "First Option" }),
  Schema.Literal("value2").annotate({ title: "Second Option" }),
  Schema.Literal("value3").annotate({ title: "Third Option" })
])
/** Choices of every kind. */
class Choices extends Resolver.Service<Choices>()("choices", {
  resolve: () =>
    Elicitation.form({
      message: "Please choose",
      schema: Schema.Struct({
        untitledSingle: Schema.Literals(options),
        titledSingle: titledOptions,
        legacyEnum: Schema.Literals(["opt1", "opt2", "opt3"]).annotate({
          enumNames: ["Option One", "Option Two", "Option Three"]
        }),
        untitledMulti: Schema.Array(Schema.Literals(options)),
        titledMulti: Schema.Array(titledOptions)
      })
    })
}) {}

const success = Schema.String
const description = "Asks the client."
export const Questions = Toolkit.make(
  Resolve.tool("test_input_required_result_elicitation", { description, success, dependencies: [UserName] }),
  Resolve.tool("test_input_required_result_sampling", { description, success, dependencies: [Capital] }),
  Resolve.tool("test_input_required_result_list_roots", { description, success, dependencies: [ClientRoots] }),
  Resolve.tool("test_input_required_result_request_state", { description, success, dependencies: [Confirm] }),
  Resolve.tool("test_input_required_result_multiple_inputs", {
    description,
    success,
    dependencies: [UserName, Greeting, ClientRoots]
  }),
  Resolve.tool("test_input_required_result_multi_round", { description, success, dependencies: [Step1, Step2] }),
  Resolve.tool("test_input_required_result_tampered_state", { description, success, dependencies: [Confirm] }),
  Resolve.tool("test_input_required_result_capabilities", { description, success, dependencies: [Whatever] }),
  Resolve.tool("test_missing_capability", { description, success, dependencies: [Greeting] }),
  Resolve.tool("test_streaming_elicitation", { description, success, dependencies: [UserName] }),
  Resolve.tool("test_sampling", {
    description,
    success,
    parameters: Schema.Struct({ prompt: Schema.String }),
    dependencies: [FromModel]
  }),
  Resolve.tool("test_elicitation", {
    description,
    success,
    parameters: Schema.Struct({ message: Schema.String }),
    dependencies: [FromUser]
  }),
  Resolve.tool("test_elicitation_sep1034_defaults", { description, success, dependencies: [Defaults] }),
  Resolve.tool("test_elicitation_sep1330_enums", { description, success, dependencies: [Choices] })
)

const QuestionsLive = Questions.toLayer({
  test_input_required_result_elicitation: () => Effect.map(UserName, ({ name }) => `Hello, ${name}!`),
  test_input_required_result_sampling: () => Effect.map(Capital, (answer) => `The model says: ${answer}`),
  test_input_required_result_list_roots: () => Effect.map(ClientRoots, (roots) => `Roots: ${roots.join(", ")}`),
  test_input_required_result_request_state: () => Effect.map(Confirm, ({ ok }) => `state-ok ${ok}`),
  test_input_required_result_multiple_inputs: Effect.fn(function* () {
    return `${(yield* UserName).name}: ${yield* Greeting} (${(yield* ClientRoots).join(", ")})`
  }),
  test_input_required_result_multi_round: Effect.fn(function* () {
    return `${(yield* Step1).name} likes ${(yield* Step2).color}`
  }),
  test_input_required_result_tampered_state: () => Effect.map(Confirm, ({ ok }) => `confirmed: ${ok}`),
  test_input_required_result_capabilities: () => Effect.map(Whatever, (name) => `Hello, ${name}!`),
  test_missing_capability: () => Effect.map(Greeting, (greeting) => greeting),
  test_streaming_elicitation: () => Effect.map(UserName, ({ name }) => `Hello, ${name}!`),
  test_sampling: () => Effect.map(FromModel, (answer) => `LLM response: ${answer}`),
  test_elicitation: () => Effect.map(FromUser, (content) => `User response: ${JSON.stringify(content)}`),
  test_elicitation_sep1034_defaults: () =>
    Effect.map(Defaults, (content) => `Elicitation completed: action=accept, content=${JSON.stringify(content)}`),
  test_elicitation_sep1330_enums: () =>
    Effect.map(Choices, (content) => `Elicitation completed: action=accept, content=${JSON.stringify(content)}`)
})

class UserContext extends Resolver.Service<UserContext>()("user_context", {
  resolve: () =>
    Elicitation.form({
      message: "What context should the prompt use?",
      schema: Schema.Struct({ context: Schema.String })
    })
}) {}
const AskingPrompt = Resolve.prompt({
  name: "test_input_required_result_prompt",
  description: "Asks before it is given.",
  dependencies: [UserContext],
  content: () => Effect.map(UserContext, ({ context }) => `Use this context: ${context}`)
})

export const layer = Layer.merge(Resolve.toolkit(Questions).pipe(Layer.provide(QuestionsLive)), AskingPrompt)
