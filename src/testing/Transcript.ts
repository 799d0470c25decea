/**
 * What went over the wire, in order: as data to assert on, and as text to read.
 *
 * Frames hold the messages exactly as they were sent. Two runs differ in ids, states and session ids; `mask` replaces
 * those by their order of appearance, so that transcripts can be compared.
 *
 * @since 0.1.0
 */

/**
 * A JSON-RPC message as it stands on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface Message {
  readonly jsonrpc?: string
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/**
 * One message, who sent it and when.
 *
 * **Details**
 *
 * `at` is in milliseconds of the test's clock. `headers` are those of the peer's POST and `httpStatus` that of the
 * server's reply; both are undefined on stdio.
 *
 * @category models
 * @since 0.1.0
 */
export interface Frame {
  readonly from: "client" | "server"
  readonly at: number
  readonly message: Message
  readonly headers: { readonly [name: string]: string } | undefined
  readonly httpStatus: number | undefined
}

const protocolMeta = "io.modelcontextprotocol/"

/** Numbers values in order of appearance, keeping the JSON type apart: 1 is not "1". */
const numbering = (label: string) => {
  const seen = new Map<unknown, string>()
  return (value: unknown): string => {
    const known = seen.get(value)
    if (known !== undefined) return known
    const next = `${label}${seen.size + 1}`
    seen.set(value, next)
    return next
  }
}

type Mask = (key: string, value: unknown) => unknown

const mapObject = (value: unknown, mask: Mask): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapObject(item, mask))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => {
      const masked = mask(key, field)
      return masked === undefined ? [] : [[key, masked === field ? mapObject(field, mask) : masked]]
    })
  )
}

/**
 * Replaces what differs from run to run: JSON-RPC ids (`c1` the client's first, `s1` the server's), progress tokens,
 * `requestState`, elicitation ids, session-bound headers and client information.
 *
 * @category combinators
 * @since 0.1.0
 */
export const mask = (frames: ReadonlyArray<Frame>): ReadonlyArray<Pick<Frame, "from" | "message">> => {
  const ids = { client: numbering("c"), server: numbering("s") }
  const states = numbering("state")
  const tokens = numbering("token")
  const elicitations = numbering("elicitation")
  return frames.map(({ from, message }) => {
    const other = from === "client" ? "server" : "client"
    const field: Mask = (key, value) => {
      switch (key) {
        case "requestState":
          return typeof value === "string" ? states(value) : value
        case "requestId":
          return ids[from](value)
        case `${protocolMeta}subscriptionId`:
          return ids.client(value)
        case "progressToken":
          return tokens(value)
        case "elicitationId":
          return elicitations(value)
        case "clientInfo":
        case `${protocolMeta}clientInfo`:
          return "<client>"
        default:
          return value
      }
    }
    const { id, ...rest } = message
    const masked = mapObject(rest, field) as Message
    if (id === undefined) return { from, message: masked }
    if (id === null) return { from, message: { ...masked, id } }
    return { from, message: { ...masked, id: ids[message.method === undefined ? other : from](id) } }
  })
}

const withoutEnvelope = (params: unknown): unknown =>
  mapObject(params, (key, value) => {
    if (key.startsWith(protocolMeta)) return undefined
    if (key !== "_meta" || typeof value !== "object" || value === null) return value
    return Object.keys(value).every((name) => name.startsWith(protocolMeta)) ? undefined : value
  })

const text = (value: unknown): string => (value === undefined ? "" : ` ${JSON.stringify(withoutEnvelope(value))}`)

/**
 * Writes frames as text, one line each, ids and states masked and the protocol's own `_meta` left out.
 *
 * **Details**
 *
 * `->` is what the client sent, `<-` what the server sent; then the id, the method or what kind of answer it is, and
 * the parameters or the result.
 *
 * @category combinators
 * @since 0.1.0
 */
export const render = (frames: ReadonlyArray<Frame>): string =>
  mask(frames)
    .map(({ from, message }) => {
      const head = `${from === "client" ? "->" : "<-"} ${message.id ?? "-"}`
      if (message.method !== undefined) return `${head} ${message.method}${text(message.params)}`
      if (message.error !== undefined) return `${head} error${text(message.error)}`
      const { resultType, ...result } = message.result ?? {}
      return `${head} ${resultType === "input_required" ? resultType : "result"}${text(result)}`
    })
    .join("\n")
