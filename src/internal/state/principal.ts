/** Who a request comes from, as the state of a suspended call is bound to it. */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/**
 * Who the request comes from, for the authentication middleware to provide: any stable text that is one person's or one
 * client's alone, such as issuer and subject joined. None (the default) when nobody is authenticated.
 *
 * A state sealed for a principal opens for the same one only, and a state sealed for nobody opens for nobody else. Only a
 * salted digest of the text is in the state. A session of 2025-11-25 and older is bound likewise by
 * `ResolveServer.layerHttp`, when a middleware of the `HttpRouter` provides the principal: `McpServer.middleware` does not see
 * the answers that a client sends.
 *
 * @category services
 * @since 0.1.0
 */
export const Principal: Context.Reference<Option.Option<string>> = Context.Reference<Option.Option<string>>(
  "effect-resolve/RequestState/Principal",
  { defaultValue: () => Option.none() }
)

/** Whose a request is: a text, or undefined for nobody. A middleware without types may provide anything else, which fails. */
export const principalOf = (provided: unknown): Result.Result<string | undefined, void> => {
  if (!Option.isOption(provided)) return Result.failVoid
  if (Option.isNone(provided)) return Result.succeed(undefined)
  return typeof provided.value === "string" ? Result.succeed(provided.value) : Result.failVoid
}
