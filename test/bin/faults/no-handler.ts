// effect-resolve check
// 1: faults/no-handler.ts: tool 'order_book' has no handler; Layer.provide what its toolkit's `toLayer({ order_book: .. })` gives to the registrations
import { Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String }))

export const registrations = Resolve.toolkit(Shop)
