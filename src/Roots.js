import * as Context from "effect/Context";
export class Roots extends Context.Service()("effect-resolve/Roots") {
}
