/**
 * The protocol revisions this library serves: effect/ai's own adapters, each with what effect/ai leaves open on the
 * wire filled in.
 *
 * They go wherever effect/ai's go: `ResolveServer.layerHttp`, `ResolveServer.layerStdio`, and effect/ai's own
 * `McpServer.layerHttp`, `layerHttpRequestScoped` and `layerStdio`. Nothing else has to be provided. They add:
 *
 * - `McpContext.requestId`, the client's own JSON-RPC id;
 * - `Unknown tool: <name>`, `Unknown prompt: <name>` and `Unknown resource: <uri>`;
 * - on 2026-07-28, the frozen refusal of a bad `requestState` also where nothing of that name exists (I8), questions in
 *   `resources/read`, and answers of odd shapes read as what they are instead of `Invalid method parameters`;
 * - a member of the protocol that is `null` is as good as absent (`arguments`, `cursor`, `_meta`, a capability).
 *
 * @since 0.1.0
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import { withAnswers } from "./internal/serve/adapter/answers.ts"
import { Stateful, Stateless } from "./internal/serve/adapter/middleware.ts"
import { lenient, tolerant, withoutNullsInMeta } from "./internal/serve/adapter/payload.ts"
import { withServerInfo } from "./internal/serve/adapter/seam.ts"

const retried = ["tools/call", "prompts/get", "resources/read"]

const clientRpcs = (adapter: McpProtocol.ProtocolAdapter) => {
  // the empty prefix is the typed way from the erased group to one that can be changed
  const group = adapter.clientRpcs.prefix("")
  const stateful = adapter.runtime._tag === "Stateful"
  const rpcs = Array.from(group.requests.values(), (rpc) =>
    rpc.setPayload(
      !stateful && retried.includes(rpc._tag) ? lenient(rpc.payloadSchema.fields) : tolerant(rpc.payloadSchema)
    )
  )
  return group.add(...rpcs).middleware(stateful ? Stateful : Stateless)
}

const runtimeOf = ({ runtime }: McpProtocol.ProtocolAdapter): McpProtocol.RuntimeDescriptor =>
  runtime._tag === "Stateful"
    ? runtime
    : {
        ...runtime,
        profileFromRequestMetadata: (meta) => runtime.profileFromRequestMetadata(withoutNullsInMeta(meta))
      }

const wrap = <A extends McpProtocol.ProtocolAdapter>(adapter: A): A =>
  withAnswers(withServerInfo({ ...adapter, runtime: runtimeOf(adapter), clientRpcs: clientRpcs(adapter) }))

/**
 * Protocol 2026-07-28: no sessions; a question rides back in the result and the client sends the call again.
 *
 * @category models
 * @since 0.1.0
 */
export const v2026_07_28: typeof McpProtocol.v2026_07_28 = wrap(McpProtocol.v2026_07_28)

/**
 * Protocol 2025-11-25: sessions; a question is a request to the client in the middle of the call.
 *
 * @category models
 * @since 0.1.0
 */
export const v2025_11_25: typeof McpProtocol.v2025_11_25 = wrap(McpProtocol.v2025_11_25)

/**
 * Protocol 2025-06-18: as 2025-11-25, without questions by URL.
 *
 * @category models
 * @since 0.1.0
 */
export const v2025_06_18: typeof McpProtocol.v2025_06_18 = wrap(McpProtocol.v2025_06_18)

/**
 * Protocol 2025-03-26: as 2025-06-18, without elicitation.
 *
 * @category models
 * @since 0.1.0
 */
export const v2025_03_26: typeof McpProtocol.v2025_03_26 = wrap(McpProtocol.v2025_03_26)

/**
 * Protocol 2024-11-05, over stdio. Its two-endpoint HTTP transport is not served.
 *
 * @category models
 * @since 0.1.0
 */
export const v2024_11_05: typeof McpProtocol.v2024_11_05 = wrap(McpProtocol.v2024_11_05)

/**
 * Every revision, newest first: what `ResolveServer` serves unless told otherwise.
 *
 * @category models
 * @since 0.1.0
 */
export const all = [v2026_07_28, v2025_11_25, v2025_06_18, v2025_03_26, v2024_11_05] as const
