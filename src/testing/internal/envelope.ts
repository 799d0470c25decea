/**
 * What a client of each era puts around a request: `_meta` and headers.
 */
import type { McpProtocol } from "effect/ai"
import { Base64 } from "effect/encoding"
import type { HeaderMap } from "./transport.ts"

/**
 * A protocol version a peer can speak.
 *
 * @category models
 * @since 0.1.0
 */
export type ProtocolVersion = McpProtocol.ProtocolVersion

export interface Profile {
  readonly protocol: ProtocolVersion
  readonly stateless: boolean
  readonly capabilities: { readonly [capability: string]: any }
  readonly clientInfo: { readonly name: string; readonly version: string }
}

const prefix = "io.modelcontextprotocol/"

/** The request metadata of 2026-07-28; older versions say it once, in `initialize`. */
export const meta = (profile: Profile): { readonly [key: string]: unknown } =>
  profile.stateless
    ? {
        [`${prefix}protocolVersion`]: profile.protocol,
        [`${prefix}clientInfo`]: profile.clientInfo,
        [`${prefix}clientCapabilities`]: profile.capabilities
      }
    : {}

/** Adds `_meta` to parameters; whatever the test wrote there wins. */
export const withMeta = (params: unknown, extra: { readonly [key: string]: unknown }): unknown => {
  if (params !== undefined && (typeof params !== "object" || params === null || Array.isArray(params))) return params
  const fields = (params ?? {}) as { readonly [key: string]: unknown }
  const given = typeof fields._meta === "object" && fields._meta !== null ? fields._meta : {}
  const merged = { ...extra, ...given }
  if (Object.keys(merged).length === 0) return params
  return { ...fields, _meta: merged }
}

const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/
const sentinel = /^=\?base64\?.*\?=$/i

/** Encodes a value no header may carry as it is, in the form that the streamable HTTP transport has for it. */
const headerValue = (value: string): string =>
  value === "" || (plain.test(value) && !sentinel.test(value)) ? value : `=?base64?${Base64.encode(value)}?=`

const nameKeys: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri"
}

/** The headers of one POST. */
export const headers = (
  profile: Profile,
  session: { readonly id: string | undefined; readonly negotiated: boolean },
  message: { readonly method?: string; readonly params?: unknown }
): HeaderMap => {
  const base = { "content-type": "application/json", accept: "application/json, text/event-stream" }
  if (!profile.stateless) {
    return {
      ...base,
      ...(session.negotiated ? { "mcp-protocol-version": profile.protocol } : {}),
      ...(session.id === undefined ? {} : { "mcp-session-id": session.id })
    }
  }
  const key = message.method === undefined ? undefined : nameKeys[message.method]
  const params = message.params as { readonly [key: string]: unknown } | undefined
  const name = key === undefined ? undefined : params?.[key]
  return {
    ...base,
    "mcp-protocol-version": profile.protocol,
    ...(message.method === undefined ? {} : { "mcp-method": message.method }),
    ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {})
  }
}

/** Replaces headers by name, whatever its case; undefined leaves one out. */
export const override = (
  headers: HeaderMap,
  ...changes: ReadonlyArray<{ readonly [name: string]: string | undefined } | undefined>
): HeaderMap => {
  const result: { [name: string]: string } = { ...headers }
  for (const change of changes) {
    for (const [name, value] of Object.entries(change ?? {})) {
      if (value === undefined) delete result[name.toLowerCase()]
      else result[name.toLowerCase()] = value
    }
  }
  return result
}
