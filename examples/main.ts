import { ResolveServer } from "effect-resolve"
import { registrations } from "./shop.ts"

ResolveServer.run(ResolveServer.layerStdio({ name: "bookshop", version: "1.0.0", registrations }))
