/**
 * The requests of a client by name, and their results as data.
 */
import { Effect } from "effect"
import type { JsonRpcError } from "../PeerError.ts"
import type * as Rounds from "./rounds.ts"
import type { RequestOptions, Session } from "./session.ts"

/**
 * What a tool call may change of itself.
 *
 * **Details**
 *
 * `progress`: true sends a progress token of the peer's, any other value is the token; the reports are in the result.
 *
 * @category models
 * @since 0.1.0
 */
export interface CallOptions extends RequestOptions {
  readonly progress?: boolean | string | number | undefined
}

/**
 * A tool's result. `text` is all text blocks, joined by line breaks; `progress` holds the reports, if the call asked for
 * any; `raw` is the result as it was on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface ToolResult {
  readonly isError: boolean
  readonly content: ReadonlyArray<any>
  readonly text: string
  readonly structuredContent: any
  readonly progress: ReadonlyArray<{ readonly progress: number; readonly total?: number; readonly message?: string }>
  readonly raw: any
}

/**
 * A prompt's messages. `text` is all text blocks, joined by line breaks; `raw` is the result as it was on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface PromptResult {
  readonly messages: ReadonlyArray<any>
  readonly text: string
  readonly description: string | undefined
  readonly raw: any
}

/**
 * A resource's contents. `text` is all texts, joined by line breaks; `raw` is the result as it was on the wire.
 *
 * @category models
 * @since 0.1.0
 */
export interface ResourceResult {
  readonly contents: ReadonlyArray<any>
  readonly text: string
  readonly raw: any
}

type Arguments = { readonly [name: string]: unknown }

export interface Calls {
  readonly callTool: (name: string, args?: Arguments, options?: CallOptions) => Effect.Effect<ToolResult, JsonRpcError>
  readonly getPrompt: (
    name: string,
    args?: Arguments,
    options?: RequestOptions
  ) => Effect.Effect<PromptResult, JsonRpcError>
  readonly readResource: (uri: string, options?: RequestOptions) => Effect.Effect<ResourceResult, JsonRpcError>
  readonly listTools: Effect.Effect<ReadonlyArray<any>, JsonRpcError>
  readonly listPrompts: Effect.Effect<ReadonlyArray<any>, JsonRpcError>
  readonly listResources: Effect.Effect<ReadonlyArray<any>, JsonRpcError>
  readonly listResourceTemplates: Effect.Effect<ReadonlyArray<any>, JsonRpcError>
  readonly complete: (params: {
    readonly ref:
      | { readonly type: "ref/prompt"; readonly name: string }
      | { readonly type: "ref/resource"; readonly uri: string }
    readonly argument: { readonly name: string; readonly value: string }
    readonly context?: { readonly arguments: { readonly [name: string]: string } }
  }) => Effect.Effect<ReadonlyArray<string>, JsonRpcError>
  readonly callToolOnce: (
    name: string,
    args?: Arguments,
    options?: CallOptions
  ) => Effect.Effect<Rounds.Round<ToolResult>, JsonRpcError>
  readonly once: (
    method: string,
    params: Arguments,
    options?: RequestOptions
  ) => Effect.Effect<Rounds.Round<any>, JsonRpcError>
  readonly retry: <A>(
    round: Rounds.InputRequired<A>,
    changes?: Rounds.Retry
  ) => Effect.Effect<Rounds.Round<A>, JsonRpcError>
  readonly request: (method: string, params?: unknown, options?: RequestOptions) => Effect.Effect<any, JsonRpcError>
}

const joined = (blocks: ReadonlyArray<any>): string =>
  blocks.flatMap((block) => (typeof block?.text === "string" ? [block.text] : [])).join("\n")

const prompt = (raw: any): PromptResult => ({
  messages: raw.messages,
  text: joined(raw.messages.map((message: any) => message.content)),
  description: raw.description,
  raw
})

const resource = (raw: any): ResourceResult => ({ contents: raw.contents, text: joined(raw.contents), raw })

export const make = (session: Session, rounds: Rounds.Rounds): Calls => {
  let tokens = 0

  const tool = (name: string, args: Arguments = {}, options: CallOptions = {}): Rounds.Call<ToolResult> => {
    const { progress, ...rest } = options
    const token = progress === true ? `progress-${++tokens}` : progress === false ? undefined : progress
    const meta = token === undefined ? rest.meta : { progressToken: token, ...rest.meta }
    const reports = () =>
      session.mailbox.all.flatMap(({ method, params }) => {
        if (method !== "notifications/progress" || params.progressToken !== token) return []
        const { progressToken: _, _meta, ...report } = params
        return [report]
      })
    return {
      method: "tools/call",
      params: { name, arguments: args },
      options: { ...rest, meta },
      decode: (raw) => ({
        isError: raw.isError === true,
        content: raw.content,
        text: joined(raw.content),
        structuredContent: raw.structuredContent,
        progress: token === undefined ? [] : reports(),
        raw
      })
    }
  }

  const list = (method: string, field: string) => Effect.map(rounds.result(method, undefined), (raw) => raw[field])

  return {
    callTool: (name, args, options) => rounds.run(tool(name, args, options)),
    callToolOnce: (name, args, options) => rounds.first(tool(name, args, options)),
    getPrompt: (name, args, options = {}) =>
      rounds.run({
        method: "prompts/get",
        params: { name, ...(args === undefined ? {} : { arguments: args }) },
        options,
        decode: prompt
      }),
    readResource: (uri, options = {}) =>
      rounds.run({ method: "resources/read", params: { uri }, options, decode: resource }),
    listTools: list("tools/list", "tools"),
    listPrompts: list("prompts/list", "prompts"),
    listResources: list("resources/list", "resources"),
    listResourceTemplates: list("resources/templates/list", "resourceTemplates"),
    complete: (params) => Effect.map(rounds.result("completion/complete", params), (raw) => raw.completion.values),
    once: (method, params, options = {}) => rounds.first({ method, params, options, decode: (raw) => raw }),
    retry: rounds.retry,
    request: rounds.result
  }
}
