/** An example over stdio, in a process of its own: `server.ts <file in examples>`. */
import { ResolveServer } from "effect-resolve"

const { registrations } = await import(new URL(`../../examples/${process.argv[2]}`, import.meta.url).href)

ResolveServer.run(ResolveServer.layerStdio({ name: "Bookshop", version: "1.0.0", registrations }))
