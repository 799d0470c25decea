/**
 * Every sentence that the library says while it runs, in one list, to be read as prose: what happened, where, and what to
 * do about it. A sentence for a client or a language model holds nothing internal (I14): no validator's text, no answer.
 *
 * Elsewhere stand what the compiler says (`checks.ts`, `formTypes.ts`, and the checks of `../Resolver.ts`), the one-word
 * reasons of a state that is not accepted (`Rejected` in `seal.ts`), and what the test kit says (`../testing/internal`).
 */
import { goneCode, tooManyCode } from "./wire.ts"

// ---------------------------------------------------------------- questions that got no answer: shown to clients

/** Named is the resolver that asked, whoever consumed it. Decline and cancel are worded as in other SDKs. */
export const unresolved = (resolver: string, why: string) => `Resolver for '${resolver}' could not resolve: ${why}`
export const declined = "elicitation was decline"
export const cancelled = "elicitation was cancel"
export const tookTooLong = (limit: string) => `it took longer than ${limit}`

export const missingCapability = (resolver: string, names: ReadonlyArray<string>) =>
  `Client did not declare the ${names.join(", ")} ${
    names.length === 1 ? "capability" : "capabilities"
  } required by resolver '${resolver}'`

export const invalidAnswer = (resolver: string, what: string) => `Resolver '${resolver}' ${what}`
export const wrongKind = "received a response of the wrong kind"
export const noContent = "received an accepted elicitation with no content"
export const otherContent = "received an accepted elicitation whose content does not match the requested schema"
export const otherContentIn = (faults: string) => `${otherContent}: ${faults}`
export const notAFile = "received a root that is not a file:// URI"

const clientGone = "the client is gone"
const manyQuestionsOpen = "too many of its questions are open already"
export const clientError = (code: number) =>
  code === goneCode ? clientGone : code === tooManyCode ? manyQuestionsOpen : `the client answered with error ${code}`
export const noAnswerIn = (limit: string) => `no answer came within ${limit}`
export const callTooLong = (limit: string) => `the call was open for more than ${limit}`

export const nobodyToAsk = "there is nobody to ask"
export const askedTooLate = "it asked a question after it had ended"
export const askedTwice = (label: string | undefined) =>
  label === undefined
    ? "it asked two questions without a label; give each further question of one body a `label`"
    : `it asked two questions with the label '${label}'; give each its own`
export const readInsideCall = "the resource is read from inside another call, which cannot ask for it"
export const needsOurAdapters = "a resource asks on this protocol only under the adapters of effect-resolve's Protocols"
export const noUrl = "its question has no valid URL to open"

export const changing = (resolver: string, count: number) =>
  `Resolver '${resolver}' asked a question that changed ${count} times while it was being answered; what it shows must not depend on the time, on chance or on data that moves: durable values, Call.id and Call.startedAt stand still`
export const tooMuchState = (bytes: number, maxBytes: number, heaviest: string | undefined) =>
  `what this call has been told is too large to carry on: ${bytes} bytes, at most ${maxBytes}${
    heaviest === undefined ? "" : `; most of it is the answer of '${heaviest}'`
  }`

// ---------------------------------------------------------------- the client's model

export const notOfTheProtocol = "its request to the client's model does not fit the protocol"
export const noAudio = (protocol: string) => `protocol ${protocol} has no audio for the client's model`
export const modelUnlisted =
  "it calls the client's model in its body; list Sampling.Sampling beside Sampling.languageModel"
export const cannotGiveModel = (what: string) => `The client's model cannot be given ${what}`
export const aFile = (mediaType: string) => `a file (${mediaType})`
export const aVendorsCall = (tool: string) => `a tool-call that another model's vendor ran ('${tool}')`
export const aVendorsResult = (tool: string) => `a tool-result that another model's vendor made ('${tool}')`
export const aVendorsTool = (tool: string) => `the tool '${tool}', which a model's vendor runs`
export const aPart = (type: string) => `a ${type} part`
/** What the model is told, for an answer that must be data. */
export const answerAsJson = (schema: object) =>
  `Answer with one JSON value that matches this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`

/** Messages whose tool calls and results do not belong together; worded as in the specification. */
export const mixedResults = (last: boolean) =>
  `${last ? "The last message" : "A message"} must contain only tool_result content if any is present`
export const noCallBefore = "tool_result requires a previous message containing tool_use"
export const noCallMatches = "tool_result blocks do not match any tool_use in the previous message"
export const otherIds = "ids of tool_result blocks and tool_use blocks from previous message do not match"
export const noResultAfter = "tool_use requires a next message with its tool_result"

// ---------------------------------------------------------------- question schemas: for whoever wrote the question

/** Of a field, or of the schema as a whole. */
export const ofField = (field: string | undefined, problem: string) =>
  field === undefined ? problem : `field '${field}' ${problem}`
export const unshowable = (problem: string) => `its question cannot be shown: ${problem}`

/** Each is the rest of a sentence whose subject is the field, or the schema. */
export const recursiveForm = "is recursive (Schema.suspend); a form is flat: use one Schema.Struct"
export const noForm = "must be a struct of strings, numbers, booleans or lists of choices"
export const noFormOn = (protocol: string) => `has no form on protocol ${protocol}, which cannot ask people`
export const unnameable =
  "has a name that clients cannot send back; use another (Schema.encodeKeys renames it on the wire only)"
export const noListOn = (protocol: string) =>
  `is a list of choices, which protocol ${protocol} cannot show; ask for one of them (Schema.Literals), or for a boolean each`
export const noField = "must be a string, a number, a boolean or a list of choices"
export const objectField = "is an object; a form is flat: ask for its fields directly"
export const recursiveField = "is recursive (Schema.suspend); a form is flat: ask for its fields directly"
export const bigintField = "is a bigint, which no client can send; use Schema.BigIntFromString"
export const unsendable =
  "is not a value that a client can send; use a schema that decodes from a string, such as Schema.DateTimeUtcFromString"
export const secretField = "is a secret (Schema.Redacted), which must not pass through a form; use Elicitation.url"
export const nullable = "admits null, which no form can send; use Schema.optionalKey to let people leave it out"
export const noText = (value: unknown) =>
  `has the ${typeof value} ${String(value)} among its choices, and choices are strings; use ${
    typeof value === "boolean" ? "Schema.Boolean" : "Schema.Literals with strings"
  }`
export const severalTypes = "is a union of several types; ask for one type, or ask one field for each"
export const noChoices = "has no choices to show"
export const freeList =
  "is a list of free values; a form needs a fixed set of choices, such as Schema.Array(Schema.Literals([..]))"
export const tuple = "is a tuple; a form is flat: ask for each element in a field of its own"
export const tooFewChoices = (minimum: number, choices: number) => `asks for at least ${minimum} of ${choices} choices`
export const impossible = (what: string, minimum: number, maximum: number) =>
  `has no possible ${what}: at least ${minimum} and at most ${maximum}`
export const badDefault = "has a default that its own schema refuses"
/** Why an accepted answer did not decode, for the log. */
export const contentIsNoObject = "the content of an accepted answer must be an object"

// ---------------------------------------------------------------- graphs that cannot run: registration fails

export const atPath = (owner: string, problem: string, path: ReadonlyArray<string>) =>
  `${owner}: ${problem}${path.length > 1 ? ` (path: ${path.join(" -> ")})` : ""}`
export const cycle = (path: string) => `its resolvers wait for each other in a cycle: ${path}`
export const noArgument = (name: string, resolver: string, declared: ReadonlyArray<string>) =>
  `no argument '${name}', which resolver '${resolver}' reads; ${
    declared.length === 0 ? "it has none" : `it has ${declared.map((name) => `'${name}'`).join(", ")}`
  }`
export const noResolve = (resolver: string, resolve: unknown) =>
  `resolver '${resolver}' has no function under 'resolve', but ${
    resolve === undefined ? "nothing" : `a value of type ${resolve === null ? "null" : typeof resolve}`
  }; write \`resolve: (args) => ..\`, which gives an Effect`
export const oneKeyTwice = (key: string, first: ReadonlyArray<string>, second: ReadonlyArray<string>) =>
  `two different resolvers have the key '${key}': one at ${first.join(" -> ")}, one at ${second.join(" -> ")}`
export const foreignElement = (element: unknown) =>
  `its dependencies hold ${
    element === undefined
      ? "undefined (a forward reference? Write `dependencies: () => [..]`)"
      : element === null
        ? "null"
        : `a value of type ${typeof element}`
  }, neither a resolver nor a key of a service`
export const unreadableList = (cause: unknown) =>
  `the list of dependencies cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`
export const noList = "dependencies is no list; write `dependencies: [..]` or `dependencies: () => [..]`"
export const bodyAsksAsResolver =
  "its body asks under its name, which is also the key of one of its resolvers; rename one of them"

export const nameTaken = (owner: string) =>
  `${owner} is registered already; a second one would take its place without a word. Rename one of them`
export const headerMisplaced = (header: string) =>
  `the header '${header}' (x-mcp-header) stands where no client looks for it: only on strings, whole numbers and booleans that are not nullable (Schema.optionalKey leaves one out), and only through structs, not through a list, a union or a class inside`
export const headerNoToken = (argument: string) =>
  `the header of argument '${argument}' (x-mcp-header) must be a name of letters, digits and dashes`
export const headerTwice = (header: string) =>
  `the header '${header}' (x-mcp-header) stands on two arguments; names of headers have no upper and lower case`

// ---------------------------------------------------------------- mistakes in a program: thrown, or a defect

export const noFields = (resolver: string) =>
  `Resolver '${resolver}': parameters must be fields, a Schema.Struct or a Schema.Class`
export const otherText = (text: string, named: string) => `Resolver.make: the key's text is '${text}', not '${named}'`
export const brokenDurable = (resolver: string, problem: string) => `Durable resolver '${resolver}': ${problem}`
export const cannotEncode = "its value cannot be encoded by its durable schema"
export const cannotDecode = "its encoded value does not decode with its durable schema"
export const cannotRestore = "its value from an earlier round does not decode with its schema any more"
export const argumentsOf = (tool: string, problem: string) => `Resolve.call: arguments of tool '${tool}': ${problem}`
export const calledTwice = (caller: string, tool: string) =>
  `Resolve.call: '${caller}' calls tool '${tool}' twice; give each further call a \`label\``
export const suspendedOutside = (owner: string) => `${owner} was suspended outside of a call`
export const ownInputRequired = (owner: string) =>
  `${owner} returned an InputRequired: its questions are asked by the question services`
export const interrupted = (owner: string) => `${owner} or one of its resolvers was interrupted`
export const noHandler = (tool: string) =>
  `Tool '${tool}' has no handler: provide the layer of its toolkit's \`toLayer({ ${tool}: .. })\` to its registration`
export const noEffect = (owner: string) => `${owner} did not return an Effect`
export const completionOf = (owner: string) => `A completion of ${owner}`
export const readCannotAsk = "A resource read from inside a call cannot ask"
export const doesNotEncode = "its result does not encode with its schema"
export const resultIsNoJson = "its result is no JSON"
export const notInRevision = (block: string, version: string) =>
  `A block of type '${block}' does not exist in ${version}`
export const noJson = (what: string) => `${what} has no JSON form`
export const tooDeep = (depth: number) => `a value nested more than ${depth} levels deep (or within itself)`

// ---------------------------------------------------------------- requests that are refused: shown to clients

export const inTool = (tool: string, message: string) => `Error executing tool ${tool}: ${message}`
export const internalInTool = "internal error"
export const internal = "Internal error"
export const invalidState = "Invalid or expired requestState"
export const roundOpen =
  "These answers have been received and the call is being worked on. Send the same request again later to be given its reply; nothing will be done twice"
export const notClaimed =
  "The call cannot be continued at this moment, and this request has done nothing. Send the same request again"
export const replyTooLarge = "This call was answered before, and its reply is too large to be given again"

export const invalidArguments = (problem: string) => `Invalid arguments: ${problem}`
export const argumentsInvalid = "the arguments are not valid"
/** What is wrong with one of them, as the rest of a sentence; `names` are in quotation marks. */
export const mustBe = (wanted: string) => `must be ${wanted}`
export const mustBeBut = (wanted: string, kind: string) => `must be ${wanted}, got ${kind}`
export const mustPass = (wanted: string) => `must be ${wanted} that passes a check of its own`
export const isMissing = (wanted: string) => `is missing; it must be ${wanted}`
export const because = (message: string) => `is not valid: ${message}`
export const hasNo = (name: string, names: ReadonlyArray<string>) =>
  `has no ${name}; ${names.length === 0 ? "it has none" : `it has ${names.join(", ")}`}`
export const noSuchArgument = (name: string, names: ReadonlyArray<string>) =>
  `there is no argument ${name}; ${names.length === 0 ? "it has none" : `it has ${names.join(", ")}`}`
export const andMore = (count: number) => `and ${count} more`
export const argumentAt = (path: string) => `argument '${path}'`
export const fieldAt = (path: string) => `'${path}'`
export const contentInvalid = "the answer is not valid"
export const argumentUnreadable = (name: string, resolver: string) =>
  `argument '${name}' is not one that resolver '${resolver}' can read`

export const unknownTool = (name: string) => `Unknown tool: ${name}`
export const unknownPrompt = (name: string) => `Unknown prompt: ${name}`
export const unknownResource = (uri: string) => `Unknown resource: ${uri}`
export const notFound = (uri: string) => `Resource '${uri}' not found`
export const unknownCompletion = "Unknown completion reference or argument"

export const badJson = "Parse error"
export const lineTooLong = "Parse error: line too long"
export const noRequest = "Invalid Request"
export const idInUse = "Invalid Request: the id is in use"
export const badId = "Invalid Request: an id is a string or a number that JSON can give back as it came"
export const nestedTooDeep = (max: number) => `Invalid Request: nested more than ${max} levels deep`
export const emptyBatch = "Invalid Request: the batch is empty"
export const batchTooLong = (count: number, max: number) =>
  `Invalid Request: a batch of ${count} messages; at most ${max} are taken`
export const idTwice = "Invalid Request: two requests of the batch have one id"
export const noBatch = "Invalid Request: this protocol version has no batches; send each message by itself"
export const tooManyAnswers = (count: number, max: number) =>
  `Invalid params: inputResponses has ${count} entries; at most ${max} are taken`
export const connectionClosed = "Connection closed"

export const shuttingDown = "The server is shutting down"
export const insufficientScope = "The token lacks a scope that this needs"
export const foreignHost = "Host not allowed"
export const foreignOrigin = "Origin not allowed"
export const bodyTooLarge = "Request body too large"
export const bodyTooSlow = "Request body not received in time"
export const bodyUnreadable = "Request body could not be read"
export const noEventStream = "Accept must list text/event-stream"
export const notAcceptable = "Accept must list application/json and text/event-stream, or */*"
export const noJsonBody = "Content-Type must be application/json"
export const noSuchMethod = (allowed: string) => `Method not allowed; this path takes ${allowed}`
export const refusedRequest = "The request was refused"
export const noSessionId = "MCP-Session-Id header is required"
export const noSession = "Session not found"
export const otherVersion = (version: string | undefined) => `MCP-Protocol-Version of this session is ${version}`
export const tooLate = "The events after this Last-Event-ID are not kept any more"
export const tooManyStreams = (max: number) => `A session can have ${max} streams open; close one first`
export const tooManySessions = (max: number) => `The server has ${max} sessions open, and takes no more for now`
export const tooManyListening = (max: number) => `The server has ${max} subscriptions open, and takes no more for now`
export const tooManyQuestions = (max: number) => `${max} questions of this session are open`
export const tooManySubscriptions = (max: number) =>
  `A session can subscribe to ${max} resources; unsubscribe from one first`

// ---------------------------------------------------------------- settings of the seal: the server does not start

export const settings = (problem: string) => `RequestState: ${problem}`
export const badDuration = (option: string) => `${option} must be a positive, finite duration`
export const badMaxBytes = "maxBytes must be a positive whole number"
const makeOne = `Make one with: node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`
export const noKeys = `keys is empty; the first key seals and every key opens. ${makeOne}`
export const badKey = (index: number, type: string) =>
  `keys[${index}] is a ${type}; a key is a string, a Uint8Array or a Redacted of one`
export const shortKey = (index: number, bytes: number) =>
  `keys[${index}] is ${bytes} bytes; a key is at least 32 bytes of secret randomness. ${makeOne}`
export const repeatedKey = (index: number, earlier: number) =>
  `keys[${index}] repeats keys[${earlier}]; remove one of them`
export const noAudience = "audience must be the name of your service, the same in every replica"
export const keysOrCodec = "give either keys or a codec, and not both"

// ---------------------------------------------------------------- the log of the server

export const ownKey =
  "requestState is sealed with a key of this process alone: a call that asks cannot be finished by another process or after a restart. Provide RequestState.layerConfig to the server to share keys; right as it is for one process."
export const rejectedState = (reason: string) => `requestState rejected: ${reason}`
/** The reason of a state that is no text: see `RequestState.Rejected`. */
export const stateNotText = "not a string"
export const rejectedStateOn = (method: string, reason: string) => `requestState rejected on ${method}: ${reason}`
export const journal = (description: string) => `Journal: ${description}`
export const noJournal = "there is none; provide a layer of it to this effect as well"
export const listDoubts = "list what is in doubt"
export const settleRound = "settle a round"
export const journalFailed = (operation: string) => `its store could not ${operation}`
export const badTime = (name: string) => `${name} must be a positive, finite duration`
export const badReplySize = "maxReplyBytes must be a positive whole number"
export const badTable = "table must be a name of letters, digits and _"
export const badReplica = (replica: string) => `replica '${replica}' must be 1 to 32 letters, digits, '-' or '_'`
export const noticeLost = "what replicas tell each other of changes was lost"
export const forgetfulRedis =
  "Redis may forget claims: set appendonly yes, appendfsync always and maxmemory-policy noeviction, or a round may run twice after Redis was killed"
const ofCall = (method: string, target: string, call: string) => `${method} of '${target}', call ${call}`
export const givenBack = (method: string, target: string, call: string) =>
  `a round was sent again and given its first reply: ${ofCall(method, target, call)}`
export const roundInDoubt = (method: string, target: string, call: string) =>
  `a round was sent again and is claimed without a reply: ${ofCall(method, target, call)}`
export const leftInDoubt = (method: string, target: string, call: string) =>
  `a round ended without a reply after it had begun, and stays claimed: ${ofCall(method, target, call)}`
export const unclaimed = (method: string, target: string, call: string) =>
  `a round was not run, because it could not be claimed: ${ofCall(method, target, call)}`
export const replyNotKept = (method: string, target: string, call: string) =>
  `the journal did not take the end of a round: ${ofCall(method, target, call)}`
export const unreadableReply = (method: string, target: string, call: string) =>
  `the reply that was kept for a round cannot be read: ${ofCall(method, target, call)}`
export const keptForAnother = "it was kept for another round"
export const spentState = "spent"
export const otherAnswers = "other answers than the ones it was used with"
export const otherPayload = "payload of another version"
export const unsealable = (reason: string) => `requestState could not be sealed: ${reason}`
export const sealedToNoText = "the codec sealed to something that is not a text"
export const openedToNoBytes = "the codec opened to something that is not bytes"
export const noQuestion = (target: string) => `${target}: suspended without a question`
export const questionPut = (method: string, resolver: string, owner: string, protocol: string) =>
  `Question put: ${method} by resolver '${resolver}' of '${owner}' on ${protocol}`
/** Why a question is put once more: in traces, too. */
export const questionChanged = "its question has changed"
export const noAnswerCounts = "it has no answer that counts"
export const stdinFailed = "stdin failed: no further message of the client is read"
export const stdoutFailed = "stdout failed: the client gets no further message"
export const releasedTooLate = "shutdown took too long: what is not released is left behind"
