import * as Context from "effect/Context";
export class Sampling extends Context.Service()("effect-resolve/Sampling") {
}
