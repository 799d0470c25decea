/** The clinic's records: an app service. */
import { Context, Effect, Layer, Schema } from "effect"

export class Slot extends Schema.Class<Slot>("Slot")({ id: Schema.String, doctor: Schema.String, at: Schema.String }) {}

export class Appointment extends Schema.Class<Appointment>("Appointment")({
  id: Schema.String,
  patient: Schema.String,
  slot: Slot,
  reason: Schema.optionalKey(Schema.String)
}) {}

export class Taken extends Schema.TaggedError<Taken>()("Taken", { message: Schema.String }) {}

export class Calendar extends Context.Service<
  Calendar,
  {
    readonly free: (speciality: string) => Effect.Effect<ReadonlyArray<Slot>>
    readonly hold: (slot: Slot) => Effect.Effect<boolean>
    readonly release: (slot: Slot) => Effect.Effect<void>
    readonly book: (appointment: Appointment) => Effect.Effect<Appointment, Taken>
    readonly of: (patient: string) => Effect.Effect<ReadonlyArray<Appointment>>
    readonly cancel: (id: string) => Effect.Effect<void>
  }
>()("clinic/Calendar") {
  static readonly layer = Layer.effect(
    Calendar,
    Effect.sync(() => {
      const slots: Record<string, ReadonlyArray<Slot>> = {
        dentist: [
          new Slot({ id: "d1", doctor: "Dr. Wu", at: "Monday 10:00" }),
          new Slot({ id: "d2", doctor: "Dr. Wu", at: "Monday 11:00" })
        ],
        eyes: [new Slot({ id: "e1", doctor: "Dr. Ray", at: "Tuesday 9:00" })]
      }
      const held = new Set<string>()
      const booked = new Map<string, Appointment>()
      const isTaken = (slot: Slot) => [...booked.values()].some((one) => one.slot.id === slot.id)
      return {
        free: (speciality) => Effect.sync(() => (slots[speciality] ?? []).filter((slot) => !isTaken(slot))),
        hold: (slot) => Effect.sync(() => !held.has(slot.id) && held.add(slot.id) !== undefined),
        release: (slot) => Effect.sync(() => void held.delete(slot.id)),
        book: (appointment) =>
          Effect.suspend(() => {
            const before = booked.get(appointment.id)
            if (before !== undefined) return Effect.succeed(before)
            if (isTaken(appointment.slot)) return Effect.fail(new Taken({ message: "Somebody else took that hour" }))
            booked.set(appointment.id, appointment)
            return Effect.succeed(appointment)
          }),
        of: (patient) => Effect.sync(() => [...booked.values()].filter((one) => one.patient === patient)),
        cancel: (id) => Effect.sync(() => void booked.delete(id))
      }
    })
  )
}
