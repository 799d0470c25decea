/**
 * What a form says of a text beside its length, held to: a client may show a field with a `format` as any other text. As
 * JSON Schema has them, which is what clients that check do
 * (https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
 */
import { formats } from "../base/wanted.ts"

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysOf = (year: number, month: number): number =>
  [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0

const date = /^(\d{4})-(\d{2})-(\d{2})$/
const time = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|[+-](\d{2}):(\d{2}))$/i
const email = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/u

const isDate = (text: string): boolean => {
  const found = date.exec(text)
  if (found === null) return false
  const [year, month, day] = found.slice(1).map(Number)
  return day! >= 1 && day! <= daysOf(year!, month!)
}

const isTime = (text: string): boolean => {
  const found = time.exec(text)
  if (found === null) return false
  const [hour, minute, second, offsetHour, offsetMinute] = found.slice(1).map((part) => Number(part ?? 0))
  return hour! <= 23 && minute! <= 59 && second! <= 60 && offsetHour! <= 23 && offsetMinute! <= 59
}

const isOf: { readonly [format: string]: (text: string) => boolean } = {
  email: (text) => email.test(text),
  uri: (text) => !/\s/.test(text) && URL.canParse(text),
  date: isDate,
  "date-time": (text) => /^.{10}[t ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

/** The formats that a form can show. */
export const names: ReadonlyArray<string> = Object.keys(isOf)

/** What a value that came for a field should have been; `undefined` where the form has nothing to say. */
export const unmet = (field: { readonly [keyword: string]: unknown }, value: unknown): string | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a number"
  const format = field.format
  if (typeof value !== "string" || typeof format !== "string") return undefined
  return isOf[format]?.(value) === false ? formats[format] : undefined
}
