/** Ours on effect/ai's own endpoint, the one of (a1) and (a2): what differs from them is the engine alone. */
import { serveEffect } from "./effect-http.ts"
import { registrations } from "./ours-shop.ts"

serveEffect(registrations)
