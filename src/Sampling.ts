import * as Context from "effect/Context"
import type * as Question from "./Question.ts"
export class Sampling extends Context.Service<Sampling, Question.Service>()("effect-resolve/Sampling") {}
