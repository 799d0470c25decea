// effect-resolve check
// 2: faults/no-export.ts has no export 'registrations', and none that is a Layer: export const registrations = Resolve.toolkit(..)
import { Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

export const Shop = Toolkit.make(Resolve.tool("order_book", { success: Schema.String }))
