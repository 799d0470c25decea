import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { Elicitation, Resolve, Resolver, Sampling } from "effect-resolve"
import { Answer, eras, Peer, Rounds } from "effect-resolve/testing"
import { Calendar, Slot } from "./calendar.ts"
import { Desk, DeskLive } from "./desk.ts"
import { registrations } from "./main.ts"
import { ChosenSlot, Patient } from "./resolvers.ts"
import { endpoint } from "./web.ts"

const settings = ConfigProvider.layer(ConfigProvider.fromUnknown({ CLINIC_PATIENT: "Ann" }))
const desk = Layer.provide(registrations, settings)
const details = Answer.accept({ phone: "+49 30 1234", reason: "a tooth hurts when I drink coffee" })

describe("the clinic's desk", () => {
  eras("books the hour that was chosen, with the reason in three words", (era) =>
    Effect.gen(function* () {
      const answers = {
        "clinic/ChosenSlot": Answer.accept({ hour: "Monday 11:00" }),
        "clinic/VisitDetails": details,
        "clinic/Summary": Answer.sampled("Coffee tooth pain")
      }
      const peer = yield* Peer.make({ ...era, registrations: desk, answers })
      const booked = yield* peer.callTool("book_appointment", { speciality: "dentist" })
      assert.include(booked.text, "Coffee tooth pain")
      const mine = yield* peer.callTool("my_appointments")
      assert.include(mine.text, "Monday 11:00")
    })
  )

  eras("asks once more after a phone number that is none", (era) =>
    Effect.gen(function* () {
      const answers = { "clinic/VisitDetails": [Answer.accept({ phone: "no" }), Answer.accept({ phone: "555 0199" })] }
      const peer = yield* Peer.make({ ...era, registrations: desk, answers })
      const booked = yield* peer.callTool("book_appointment", { speciality: "eyes" })
      assert.isFalse(booked.isError)
      const full = yield* peer.callTool("book_appointment", { speciality: "eyes" })
      assert.include(full.text, "Nothing is free for 'eyes'")
    })
  )

  eras("keeps an appointment when somebody thinks better of it", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({
        ...era,
        registrations: desk,
        answers: { "clinic/ConfirmCancel": Answer.decline }
      })
      const { text } = yield* peer.callTool("cancel_appointment", { id: "a1" })
      assert.strictEqual(text, "Kept: Declined.")
    })
  )

  eras("reminds, and lists free hours", (era) =>
    Effect.gen(function* () {
      const peer = yield* Peer.make({ ...era, registrations: desk })
      const prompt = yield* peer.getPrompt("reminder", { speciality: "eyes", words: "12" })
      assert.include(JSON.stringify(prompt), "In at most 12 words")
      const hours = yield* peer.readResource("clinic://hours/dentist")
      assert.include(JSON.stringify(hours), "Monday 10:00")
    })
  )

  eras("over HTTP each patient has their own list", (era) =>
    Effect.gen(function* () {
      const server = yield* Peer.serveHttp(endpoint)
      const as = (name: string, answers = {}) =>
        Peer.connect(server, { ...era, answers, headers: { authorization: `Bearer ${name}` } })
      const ann = yield* as("Ann", { "clinic/VisitDetails": Answer.accept({ phone: "555 0199" }) })
      yield* ann.callTool("book_appointment", { speciality: "eyes" })
      const ben = yield* as("Ben")
      assert.strictEqual((yield* ben.callTool("my_appointments")).text, "[]")
    })
  )

  it.effect("in process: a decline is a typed error, and the hour is given", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Resolve.call(Desk, "book_appointment", { speciality: "dentist" }))
      assert.deepInclude(error, { _tag: "Declined", resolver: "clinic/VisitDetails" })
    }).pipe(
      Effect.provide([
        DeskLive,
        Elicitation.layer(() => Effect.succeed({ action: "decline" })),
        Sampling.layerUnavailable,
        Resolver.override(ChosenSlot, new Slot({ id: "d1", doctor: "Dr. Wu", at: "Monday 10:00" }))
      ]),
      Effect.provide(Calendar.layer),
      Effect.provideService(Patient, { name: "Ann" })
    )
  )

  it.effect("its questions stand still between rounds", () =>
    Rounds.stable({
      world: Effect.sync(() => ({ registrations: desk })),
      first: (peer) => peer.callToolOnce("book_appointment", { speciality: "dentist" }),
      answers: {
        "clinic/ChosenSlot": Answer.accept({ hour: "Monday 10:00" }),
        "clinic/VisitDetails": Answer.accept({ phone: "555 0199" })
      }
    })
  )
})
