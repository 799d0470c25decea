import { assert, describe, it } from "@effect/vitest"
import { hasToolBlocks, imbalance, messagesOf, singly } from "../../src/internal/question/samplingMessages.ts"
import type { Block, Message } from "../../src/internal/question/samplingTypes.ts"

const use = (id: string): Block => ({ type: "tool_use", id, name: "look_up", input: {} })
const result = (toolUseId: string): Block => ({ type: "tool_result", toolUseId, content: [] })
const text: Block = { type: "text", text: "hm" }

const user = (...content: ReadonlyArray<Block>): Message => ({ role: "user", content })
const assistant = (...content: ReadonlyArray<Block>): Message => ({ role: "assistant", content })

describe("the order of tool calls and their results", () => {
  const rows: ReadonlyArray<readonly [title: string, messages: ReadonlyArray<Message>, problem: RegExp | undefined]> = [
    ["none are in order", [user(text), assistant(text)], undefined],
    ["a call with its result", [user(text), assistant(text, use("1")), user(result("1"))], undefined],
    [
      "two calls with their results, in any order",
      [assistant(use("1"), use("2")), user(result("2"), result("1"))],
      undefined
    ],
    [
      "two calls one after the other",
      [assistant(use("1")), user(result("1")), assistant(use("2")), user(result("2"))],
      undefined
    ],
    ["a result without a message before it", [user(result("1"))], /requires a previous message/],
    ["a result after a message that calls nothing", [user(text), user(result("1"))], /do not match any tool_use/],
    ["a result beside something else, at the end", [assistant(use("1")), user(result("1"), text)], /^The last message/],
    [
      "a result beside something else, before the end",
      [assistant(use("1")), user(result("1"), text), user(text)],
      /^A message/
    ],
    ["a result of another call", [assistant(use("1")), user(result("2"))], /ids of tool_result/],
    ["one result of two", [assistant(use("1"), use("2")), user(result("1"))], /ids of tool_result/],
    ["two results of one call", [assistant(use("1")), user(result("1"), result("2"))], /ids of tool_result/],
    ["a call that goes on without its result", [assistant(use("1")), user(text)], /ids of tool_result/],
    ["a call at the end", [user(text), assistant(use("1"))], /requires a next message/]
  ]

  it.each(rows)("%s", (_, messages, problem) => {
    const found = imbalance(messagesOf(messages))
    if (problem === undefined) assert.isUndefined(found)
    else assert.match(found ?? "nothing", problem)
  })
})

it("a text is one message of the user, and a text in a message one block", () => {
  assert.deepStrictEqual(messagesOf("hello"), [{ role: "user", content: { type: "text", text: "hello" } }])
  assert.deepStrictEqual(messagesOf([{ role: "assistant", content: "hello" }]), [
    { role: "assistant", content: { type: "text", text: "hello" } }
  ])
})

it("a call and a result are blocks of tools, and a text is none", () => {
  assert.isTrue(hasToolBlocks(messagesOf([assistant(use("1"))])))
  assert.isTrue(hasToolBlocks(messagesOf([user(result("1"))])))
  assert.isFalse(hasToolBlocks(messagesOf("tool_use")))
})

it("before 2025-11-25 several blocks are as many messages of their role, in their order, without `_meta`", () => {
  const encoded = [
    {
      role: "user",
      content: [
        { type: "text", text: "a", _meta: { secret: 1 } },
        { type: "text", text: "b" }
      ]
    },
    { role: "assistant", content: { type: "text", text: "c" } },
    { role: "user", content: [] }
  ]
  assert.deepStrictEqual(singly(encoded), [
    { role: "user", content: { type: "text", text: "a" } },
    { role: "user", content: { type: "text", text: "b" } },
    { role: "assistant", content: { type: "text", text: "c" } }
  ])
})
