// effect-resolve check
// 2: the export 'registrations' of faults/toolkit.ts has to be a Layer and is a Toolkit; registrations are `Resolve.toolkit(it).pipe(Layer.provide(its handlers))`
import { Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Resolve } from "effect-resolve"

export const registrations = Toolkit.make(Resolve.tool("order_book", { success: Schema.String }))
