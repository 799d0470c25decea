/** (b) over stdio, for the start-up time. */
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { makeServer } from "./official-server.ts"

serveStdio(makeServer)
