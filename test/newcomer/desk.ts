/** The clinic's desk: three tools, a prompt and a template. */
import { Effect, Layer, Result, Schema } from "effect"
import { McpSchema, Toolkit } from "effect/ai"
import { McpContext, Resolve } from "effect-resolve"
import { Appointment, Calendar, Taken } from "./calendar.ts"
import { AppointmentId, ConfirmCancel, FreeSlots, HeldSlot, NothingFree, Patient, Summary } from "./resolvers.ts"

export const Desk = Toolkit.make(
  Resolve.tool("book_appointment", {
    description: "Book an appointment with a doctor.",
    parameters: Schema.Struct({ speciality: Schema.Literals(["dentist", "eyes"]) }),
    success: Appointment,
    failure: Schema.Union([NothingFree, Taken]),
    dependencies: [Patient, AppointmentId, HeldSlot, Summary]
  }),
  Resolve.tool("cancel_appointment", {
    description: "Cancel an appointment.",
    parameters: Schema.Struct({ id: Schema.String }),
    success: Schema.String,
    dependencies: [ConfirmCancel.result]
  }),
  Resolve.tool("my_appointments", {
    description: "List the appointments of whoever is signed in.",
    success: Schema.Array(Appointment),
    dependencies: [Patient]
  })
)

export const DeskLive = Desk.toLayer(
  Effect.gen(function* () {
    const calendar = yield* Calendar
    return {
      book_appointment: Effect.fn(function* () {
        const { name } = yield* Patient
        const reason = yield* Summary
        const slot = yield* HeldSlot
        const id = yield* AppointmentId
        yield* McpContext.reportProgress({ progress: 1, total: 2, message: "Writing it down" })
        return yield* calendar.book(
          new Appointment({ id, patient: name, slot, ...(reason === undefined ? {} : { reason }) })
        )
      }),
      cancel_appointment: Effect.fn(function* ({ id }) {
        const answer = yield* ConfirmCancel.result
        if (Result.isFailure(answer)) return `Kept: ${answer.failure._tag}.`
        yield* calendar.cancel(id)
        return "Cancelled."
      }),
      my_appointments: Effect.fn(function* () {
        return yield* calendar.of((yield* Patient).name)
      })
    }
  })
)

export const Reminder = Resolve.prompt({
  name: "reminder",
  description: "Write a reminder for a visit.",
  parameters: { speciality: Schema.String, words: Schema.Int },
  dependencies: [FreeSlots.result],
  content: Effect.fn(function* ({ speciality, words }) {
    const slots = yield* FreeSlots.result
    const next = Result.isSuccess(slots) ? slots.success[0].at : "soon"
    return `In at most ${words} words, remind a patient of their ${speciality} visit; the next hour is ${next}.`
  })
})

export const Hours = Resolve.resourceTemplate`clinic://hours/${McpSchema.param("speciality", Schema.String)}`({
  name: "hours",
  description: "Free hours of a speciality.",
  mimeType: "application/json",
  dependencies: [FreeSlots],
  content: () => Effect.map(FreeSlots, (slots) => JSON.stringify(slots.map((slot) => slot.at)))
})

export const registrations = Layer.mergeAll(Resolve.toolkit(Desk), Reminder, Hours).pipe(Layer.provide(DeskLive))
