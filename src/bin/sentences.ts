/**
 * Every sentence of the command line, in one list, for whoever writes tools: what it found, where, and what to do about
 * it. What the library says stands in `../internal/base/sentences.ts`.
 */

const quoted = (names: ReadonlyArray<string>) => names.map((name) => `'${name}'`).join(", ")

// ---------------------------------------------------------------- what it says of itself

export const olderNode = (version: string) =>
  `effect-resolve runs your TypeScript as it is, which takes Node 22.19 or later; this is Node ${version}. Without installing another: npx --package=node@24 -- npx effect-resolve`
export const noPlatform =
  "effect-resolve's command line needs @effect/platform-node, which is not installed: npm install @effect/platform-node@~4.1.0"
export const program =
  "Draws, calls and checks MCP tools that are written with effect-resolve, from the module that registers them."
export const moduleArgument = "The file that exports the registrations, TypeScript or JavaScript"
export const whichModule = "Which file exports the registrations?"
export const exportFlag = "The export that holds the registrations, a Layer"
export const endpointFlag =
  "The export is an HTTP endpoint at /mcp (ResolveServer.layerHttp) with all that stands in front of it, and not registrations"
export const answersFlag = `A JSON file of answers by resolver: {"accept": {..}}, "decline", "cancel", {"model": ".."}, {"roots": [..]}, or a list of these`
export const graphCommand =
  "Draws what each tool, prompt and resource needs: its resolvers, what they read, what is durable, who asks. Which questions are asked is read from the resolvers' own text."
export const graphShort = "Draw what each tool, prompt and resource needs"
export const callShort = "Call a tool; what it asks is asked at the keyboard"
export const checkShort = "Say everything that would trouble somebody"
export const graphTool = "Only this tool, prompt or resource"
export const mermaidFlag = "Draw it as a Mermaid flowchart"
export const graphJsonFlag = "Write it as JSON, for other programs"
export const oneForm = "give either --mermaid or --json, and not both"
export const callCommand =
  "Calls a tool over a real protocol, without a client or a socket. What the tool asks is asked at the keyboard, and so is every argument that is missing. Ends with 0, or with 1 when the tool's result is an error."
export const callTool = "The tool; asked for when there are several"
export const callArguments = "The arguments as one JSON object"
export const callLine = "effect-resolve call src/shop.ts"
export const callExample = "Choose a tool, type its arguments, answer its questions"
export const traceLine = `effect-resolve call src/shop.ts order_book '{"title":"Emma"}' --trace`
export const traceExample = "See when each resolver ran"
export const protocolFlag = "The protocol version that the client speaks"
export const modelFlag = "What the client's model answers; typed at the keyboard unless given"
export const rootFlag = "A root of the client as a file:// URI, as often as there are roots"
export const headerFlag = "An HTTP header of the client's requests, name=value, as often as there are headers"
export const withoutFlag = "A capability that the client does not have"
export const traceFlag = "Draw rounds and resolvers on a time axis"
export const callJsonFlag = "Write the result as JSON, and nothing else"
export const checkCommand =
  "Registers, and says everything that would trouble somebody: a graph that cannot run, two of one name, schemas that strict clients refuse, questions that change from round to round. Ends with 0 when nothing is wrong, with 1 when something is, with 2 when it could not look."
export const callsFlag = `A JSON file of calls to rehearse, arguments by tool: {"order_book": {"title": "Emma"}}. It runs their resolvers, and the body of a tool that does not ask`

// ---------------------------------------------------------------- a module that does not load

export const noFile = (file: string) => `there is no file '${file}'`
export const startsServer = (file: string) =>
  `${file} starts a server as it is loaded; name the file that exports the registrations, or start it only when it is the program: \`if (process.argv[1] === import.meta.filename) ..\``
export const noPackage = (name: string, importer: string) =>
  `${importer} imports the package '${name}', which is not installed: npm install ${name}`
export const noEnding = (path: string, ending: string, importer: string) =>
  `${importer} imports '${path}' without its ending; Node wants it as it is: '${path}${ending}'`
export const noModule = (path: string, importer: string) => `${importer} imports '${path}', which does not exist`
export const notErasable = (at: string, problem: string) =>
  `${at}: ${problem}. Node strips types and compiles nothing: no enums, namespaces or parameter properties ("erasableSyntaxOnly": true in tsconfig.json finds them)`
export const notSyntax = (at: string, problem: string) => `${at}: syntax error: ${problem}`
export const noSuchImport = (at: string, name: string, problem: string) =>
  `${at}: ${problem}. If '${name}' is a type, write \`import type\` ("verbatimModuleSyntax": true in tsconfig.json finds it)`
export const tooEarly = (name: string, at: string) =>
  `${at}: '${name}' is used before it is defined. A list of dependencies that names what is defined below is written as a function: \`dependencies: () => [${name}]\``
export const threw = (name: string, problem: string, at: string | undefined) =>
  `${name} threw as it was loaded${at === undefined ? "" : `, at ${at}`}: ${problem}`

export const aToolkit = "a Toolkit; registrations are `Resolve.toolkit(it).pipe(Layer.provide(its handlers))`"
export const aFunction = "a function; export the Layer that it gives"
export const somethingElse =
  "none; registrations are what Resolve.toolkit, .prompt and .resource give, merged with Layer.mergeAll"
export const noLayer = (file: string, name: string, what: string) =>
  `the export '${name}' of ${file} has to be a Layer and is ${what}`
export const noExport = (file: string, name: string, layers: ReadonlyArray<string>) =>
  layers.length === 0
    ? `${file} has no export '${name}', and none that is a Layer: export const ${name} = Resolve.toolkit(..)`
    : `${file} has no export '${name}'; its Layers are ${quoted(layers)}: say which with --export ${layers[0]}`

// ---------------------------------------------------------------- registrations that do not stand up

export const notRegistered = (file: string, problem: string) => `${file}: ${problem}`
export const noHandler = (tool: string) =>
  `tool '${tool}' has no handler; Layer.provide what its toolkit's \`toLayer({ ${tool}: .. })\` gives to the registrations`
export const noService = (key: string) =>
  `nothing provides the service '${key}'; Layer.provide it to the registrations, or, if it is of one request, give it by an McpServer.middleware`
export const badSetting = (problem: string) =>
  `a setting cannot be read: ${problem.replace(/\)$/, "")}; set it in the environment, as where the server runs`
export const anEndpoint = "the export is an endpoint and no registrations: say so with --endpoint"
export const notLetIn = (problem: string) =>
  `${problem}; give the client what it is let in by: --header authorization=..`
export const nothingRegistered = (file: string) =>
  `${file} registers nothing through Resolve: Resolve.toolkit(..), Resolve.prompt(..), Resolve.resource(..)`
export const noOwner = (name: string, names: ReadonlyArray<string>) =>
  `nothing of the name '${name}' is registered; there is ${quoted(names)}`

// ---------------------------------------------------------------- graph

export const onlyToolkits = (file: string, names: ReadonlyArray<string>, reason: string) =>
  `drawn is what the exported toolkits of ${file} hold (${names.join(", ")}): its registrations do not stand up here. ${reason}`
export const reads = (names: ReadonlyArray<string>) => `reads ${names.join(", ")}`
export const asks = (kinds: ReadonlyArray<string>) => `asks: ${kinds.join(", ")}`
export const bodyAsks = "its body may ask"
export const shownAbove = "(above)"

// ---------------------------------------------------------------- call

export const noTools = "no tools are registered, so there is none to call"
export const noTool = (name: string, names: ReadonlyArray<string>) =>
  `there is no tool '${name}'; there is ${quoted(names)}`
export const whichTool = (names: ReadonlyArray<string>) => `which tool? There is ${quoted(names)}`
export const callWhich = "Which tool?"
export const noArguments = `the arguments have to be one JSON object, such as '{"title":"Emma"}'`
export const missingArguments = (names: ReadonlyArray<string>) =>
  `arguments are missing: ${quoted(names)}; give them as JSON, or run it in a terminal to be asked`
export const noAnswers = (file: string) =>
  `${file} is no file of answers: a JSON object of {"accept": {..}}, "decline", "cancel", {"model": ".."} or {"roots": [..]} by resolver, or lists of these`
export const nobodyAnswers = (key: string, message: string | undefined) =>
  `'${key}' asks${message === undefined ? "" : ` "${message}"`}, and nobody is there to answer: run it in a terminal, or give --answers a file with an entry '${key}'`
export const unusedAnswers = (keys: ReadonlyArray<string>) => `answers that nobody asked for: ${quoted(keys)}`
export const refused = (code: number, message: string) => `the call was refused with error ${code}: ${message}`
export const binary = (type: string, mimeType: string) => `[${type} ${mimeType}]`
export const round = (number: number) => `round ${number}`
export const answerOf = (key: string) => `answer to ${key}`

export const askedFor = {
  "elicitation/create": "asks you:",
  "sampling/createMessage": "asks the client's model:",
  "roots/list": "asks for the client's roots:"
} as const
export const yourAnswer = "Your answer"
export const fillIn = "fill it in"
export const openedIt = "opened it and done"
export const modelsAnswer = "The model's answer"
export const yourRoots = "Roots, with commas between them"
export const leaveOut = "(leave it out)"
export const optional = "(optional)"
export const wantsNumber = (whole: boolean) => (whole ? "a whole number is wanted" : "a number is wanted")
export const atLeast = (minimum: number) => `at least ${minimum}`
export const atMost = (maximum: number) => `at most ${maximum}`
export const longer = (minimum: number) => `at least ${minimum} characters`
export const shorter = (maximum: number) => `at most ${maximum} characters`
export const wantsFormat = (format: string) => `this is no ${format}`
export const wantsJson = 'JSON is wanted here, such as [1, 2] or {} or "text"'

// ---------------------------------------------------------------- check

export const ofTool = (tool: string, problem: string) => `Tool '${tool}': ${problem}`
export const badToolName =
  "model APIs take names of 1 to 64 letters, digits, '_' and '-' only, and refuse the whole list for one that is otherwise"
export const noObject = "its arguments are no object; strict clients refuse the tool. Use one Schema.Struct"
export const badRoot = (word: string) =>
  `its arguments have '${word}' at the top, which model APIs refuse; use one Schema.Struct, with the alternatives in a field`
export const badArgumentName = (name: string) =>
  `argument '${name}' has a name that model APIs refuse: 1 to 64 letters, digits, '_', '.' and '-' (Schema.encodeKeys renames it on the wire only)`
export const foreignRef = (at: string, ref: string) => `argument '${at}' refers to '${ref}', which clients do not fetch`
export const noItems = (at: string) =>
  `the list '${at}' does not say what it holds, which model APIs refuse; use Schema.Array`
export const aTuple = (at: string) =>
  `'${at}' is a tuple, which some model APIs refuse; a Schema.Struct names each part`
export const noDescription = "it has no description; models choose a tool by that"
export const noCalls = (file: string) =>
  `${file} is no file of calls: a JSON object of arguments by tool, or of lists of them, such as {"order_book": {"title": "Emma"}}`
export const ofCall = (tool: string, args: string) => `Call of '${tool}' with ${args}`
export const moved = (key: string, first: string | undefined, second: string | undefined) =>
  `'${key}' asked in other words when its round was run again${
    first === undefined || first === second ? "" : `: "${first}", then "${second ?? ""}"`
  }. A person's answer counts for the words that were shown: keep the time, chance and data that moves out of a question (Call.startedAt and durable values stand still)`
export const nothingWrong = (file: string, count: number) =>
  `${file}: nothing is wrong with ${count === 1 ? "the one thing" : `the ${count} things`} it registers`
export const wrong = (file: string, errors: number) =>
  `${file}: ${errors} ${errors === 1 ? "thing is" : "things are"} wrong`
