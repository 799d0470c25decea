/** The README's program with spans, metrics and logs sent to an OTLP collector. */
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { ResolveServer } from "effect-resolve"
import { registrations } from "./shop.ts"

export const telemetry = (baseUrl: string) =>
  Otlp.layerJson({ baseUrl, resource: { serviceName: "bookshop" } }).pipe(Layer.provide(FetchHttpClient.layer))

export const server = (collector: string) =>
  ResolveServer.layerStdio({ name: "bookshop", version: "1.0.0", registrations }).pipe(
    Layer.provide(telemetry(collector))
  )

if (process.argv[1] === import.meta.filename) ResolveServer.run(server("http://localhost:4318"))
