/** What the model must not decide: who, when, why, and whether. */
import { Context, Effect, Exit, Option, Schema } from "effect"
import { Elicitation, Resolver, Sampling } from "effect-resolve"
import { Calendar } from "./calendar.ts"

export class NothingFree extends Schema.TaggedError<NothingFree>()("NothingFree", { message: Schema.String }) {}

export class Patient extends Context.Service<Patient, { readonly name: string }>()("clinic/Patient") {}

/** One appointment a call. */
export class AppointmentId extends Resolver.Service<AppointmentId>()("clinic/AppointmentId", {
  durable: Schema.String,
  resolve: () => Effect.sync(() => crypto.randomUUID())
}) {}

export class FreeSlots extends Resolver.Service<FreeSlots>()("clinic/FreeSlots", {
  parameters: { speciality: Schema.String },
  timeout: "3 seconds",
  resolve: Effect.fn(function* ({ speciality }) {
    const calendar = yield* Calendar
    const [first, ...more] = yield* calendar.free(speciality)
    if (first === undefined) return yield* new NothingFree({ message: `Nothing is free for '${speciality}'` })
    return [first, ...more] as const
  })
}) {}

/** Asks which hour, unless there is only one. */
export class ChosenSlot extends Resolver.Service<ChosenSlot>()("clinic/ChosenSlot", {
  dependencies: [FreeSlots],
  resolve: Effect.fn(function* () {
    const slots = yield* FreeSlots
    if (slots.length === 1) return slots[0]
    const { hour } = yield* Elicitation.form({
      message: "Which hour suits you?",
      schema: Schema.Struct({ hour: Schema.Literals(slots.map((slot) => slot.at)).annotate({ title: "Hour" }) })
    })
    return slots.find((slot) => slot.at === hour) ?? slots[0]
  })
}) {}

const Details = Schema.Struct({
  reason: Schema.OptionFromOptionalKey(Schema.String.annotate({ title: "Reason", description: "In a few words" })),
  firstVisit: Schema.Boolean.annotate({ title: "First visit?" }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(false))
  ),
  phone: Schema.String.check(Schema.isPattern(/^[0-9 +]{6,}$/)).annotate({ title: "Phone" })
})

/** Asked beside the hour. An answer that does not fit is asked for once more. */
export class VisitDetails extends Resolver.Service<VisitDetails>()("clinic/VisitDetails", {
  dependencies: [Patient],
  resolve: Effect.fn(function* () {
    const { name } = yield* Patient
    return yield* Elicitation.form({ message: `${name}, tell us about your visit.`, schema: Details }).pipe(
      Effect.retry({ times: 1, while: (error) => error._tag === "AskFailed" })
    )
  })
}) {}

/** The client's model puts the reason in three words, if there is one and the client has a model. */
export class Summary extends Resolver.Service<Summary>()("clinic/Summary", {
  dependencies: [VisitDetails],
  resolve: Effect.fn(function* () {
    const { reason } = yield* VisitDetails
    if (Option.isNone(reason)) return undefined
    if (!(yield* Sampling.supported)) return reason.value
    const { content } = yield* Sampling.createMessage({ prompt: `In three words: ${reason.value}`, maxTokens: 20 })
    return content.type === "text" ? content.text : reason.value
  })
}) {}

/** The hour is held while the call writes, and given back when it does not. */
export class HeldSlot extends Resolver.Service<HeldSlot>()("clinic/HeldSlot", {
  dependencies: [ChosenSlot, Summary],
  resolve: Effect.fn(function* () {
    const calendar = yield* Calendar
    const slot = yield* ChosenSlot
    yield* Effect.acquireRelease(calendar.hold(slot), (_, exit) =>
      Effect.andThen(
        calendar.release(slot),
        Exit.isSuccess(exit) ? Effect.void : Effect.logInfo(`${slot.at} is free again`)
      )
    )
    return slot
  })
}) {}

export class ConfirmCancel extends Resolver.Service<ConfirmCancel>()("clinic/ConfirmCancel", {
  parameters: { id: Schema.String },
  resolve: ({ id }) => Elicitation.confirm(`Cancel appointment ${id}?`)
}) {}
