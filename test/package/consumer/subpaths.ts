/** Every module by its own path, with its types. */
import { Schema } from "effect"
import * as Call from "effect-resolve/Call"
import * as Elicitation from "effect-resolve/Elicitation"
import * as Journal from "effect-resolve/Journal"
import * as McpContext from "effect-resolve/McpContext"
import * as Notices from "effect-resolve/Notices"
import * as Protocols from "effect-resolve/Protocols"
import * as Question from "effect-resolve/Question"
import * as RequestState from "effect-resolve/RequestState"
import * as Resolve from "effect-resolve/Resolve"
import * as Resolver from "effect-resolve/Resolver"
import * as ResolveServer from "effect-resolve/ResolveServer"
import * as Roots from "effect-resolve/Roots"
import * as Sampling from "effect-resolve/Sampling"
import * as All from "effect-resolve"

export const modules = {
  Call,
  Elicitation,
  Journal,
  McpContext,
  Notices,
  Protocols,
  Question,
  RequestState,
  Resolve,
  Resolver,
  ResolveServer,
  Roots,
  Sampling
} satisfies { readonly [Name in keyof typeof All]: (typeof All)[Name] }

for (const [name, module] of Object.entries(modules)) {
  if (module !== All[name as keyof typeof All]) throw new Error(`${name} is there twice`)
}

class Unknown extends Resolver.Service<Unknown>()("consumer/Unknown", {
  parameters: { title: Schema.String },
  // @ts-expect-error the types are not `any`: a resolver gives an Effect
  resolve: ({ title }) => title
}) {}
void Unknown
