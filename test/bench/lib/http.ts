/** A keep-alive HTTP/1.1 connection on a bare socket: cheap, so that the server stays the bottleneck. */
import { connect, type Socket } from "node:net"

export interface Reply {
  readonly status: number
  readonly headers: string
  readonly body: string
}

export class Connection {
  private buffer: Buffer = Buffer.alloc(0)
  private waiting: { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void } | undefined
  private readonly socket: Socket
  readonly port: number

  private constructor(port: number, socket: Socket) {
    this.port = port
    this.socket = socket
    socket.setNoDelay(true)
    socket.on("data", (chunk: Buffer) => {
      this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk])
      this.read()
    })
    const lost = (error?: Error) => {
      this.waiting?.reject(error ?? new Error("the server closed the connection"))
      this.waiting = undefined
    }
    socket.on("error", lost)
    socket.on("close", () => lost())
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1" })
      socket.once("error", reject)
      socket.once("connect", () => {
        socket.off("error", reject)
        resolve(new Connection(port, socket))
      })
    })
  }

  post(headers: string, body: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject }
      this.socket.write(
        `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${this.port}\r\ncontent-type: application/json\r\n` +
          `accept: application/json, text/event-stream\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
      )
    })
  }

  close(): void {
    this.socket.destroy()
  }

  private read(): void {
    const end = this.buffer.indexOf("\r\n\r\n")
    if (end < 0 || this.waiting === undefined) return
    const headers = this.buffer.toString("latin1", 0, end).toLowerCase()
    const length = /\r\ncontent-length: *(\d+)/.exec(headers)
    const parsed =
      length !== null
        ? fixed(this.buffer, end + 4, Number(length[1]))
        : headers.includes("\r\ntransfer-encoding: chunked")
          ? chunked(this.buffer, end + 4)
          : { body: "", next: end + 4 }
    if (parsed === undefined) return
    this.buffer = this.buffer.subarray(parsed.next)
    const { resolve } = this.waiting
    this.waiting = undefined
    resolve({ status: Number(headers.slice(9, 12)), headers, body: parsed.body })
  }
}

const fixed = (buffer: Buffer, start: number, length: number) =>
  buffer.length < start + length
    ? undefined
    : { body: buffer.toString("utf8", start, start + length), next: start + length }

const chunked = (buffer: Buffer, start: number) => {
  const parts: Array<Buffer> = []
  let at = start
  while (true) {
    const line = buffer.indexOf("\r\n", at)
    if (line < 0) return undefined
    const size = Number.parseInt(buffer.toString("latin1", at, line), 16)
    const data = line + 2
    if (buffer.length < data + size + 2) return undefined
    if (size === 0) return { body: Buffer.concat(parts).toString("utf8"), next: data + 2 }
    parts.push(buffer.subarray(data, data + size))
    at = data + size + 2
  }
}
