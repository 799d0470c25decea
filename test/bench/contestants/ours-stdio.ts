/** Ours over stdio, for the start-up time: written as `examples/server.ts` is. */
import { ResolveServer } from "effect-resolve"
import { registrations } from "./ours-shop.ts"

ResolveServer.run(ResolveServer.layerStdio({ name: "Bookshop", version: "1.0.0", registrations }))
