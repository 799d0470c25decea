import { ResolveServer } from "effect-resolve"
import { registrations } from "./shop.js"

ResolveServer.run(ResolveServer.layerStdio({ name: "consumer", version: "1.0.0", registrations }))
