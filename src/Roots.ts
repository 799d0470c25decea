import * as Context from "effect/Context"
import type * as Question from "./Question.ts"
export class Roots extends Context.Service<Roots, Question.Service>()("effect-resolve/Roots") {}
