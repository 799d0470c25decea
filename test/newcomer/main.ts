/** The desk over stdio, for the person that the settings name. */
import { Config, Effect, Layer } from "effect"
import { McpServer } from "effect/ai"
import { ResolveServer } from "effect-resolve"
import { Calendar } from "./calendar.ts"
import * as Desk from "./desk.ts"
import { Patient } from "./resolvers.ts"

const Owner = Layer.unwrap(
  Effect.map(
    Config.String("CLINIC_PATIENT"),
    (name) =>
      McpServer.middleware<{ provides: Patient }>()((call) => Effect.provideService(call, Patient, { name })).layer
  )
)

export const registrations = Desk.registrations.pipe(Layer.provide([Owner, Calendar.layer]))

if (process.argv[1] === import.meta.filename) {
  ResolveServer.run(ResolveServer.layerStdio({ name: "clinic", version: "1.0.0", registrations }))
}
