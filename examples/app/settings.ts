/** What the environment says. */
import { Config, Context, Effect, Layer } from "effect"

export interface Settings {
  readonly publicUrl: string
  /** From this total on, in cents, an order is paid before it is placed. */
  readonly prepayFrom: number
}

export class AppSettings extends Context.Service<AppSettings, Settings>()("app/Settings") {
  static readonly layerConfig = Layer.effect(
    AppSettings,
    Effect.gen(function* () {
      return {
        publicUrl: yield* Config.String("PUBLIC_URL"),
        prepayFrom: yield* Config.Int("PREPAY_FROM").pipe(Config.withDefault(10_000))
      }
    })
  )
}
