/** What every contestant sells and says, as examples 02 and 03 do. Nothing here belongs to a framework. */
export const catalogue: Readonly<Record<string, number>> = { Dune: 7, Neuromancer: 0 }

export const copies = (title: string): number => (Object.hasOwn(catalogue, title) ? catalogue[title]! : 0)

export type Delivery = "tomorrow" | "in 2-3 weeks"

export const delivery = (copies: number): Delivery => (copies > 0 ? "tomorrow" : "in 2-3 weeks")

export const orderText = (title: string, copies: number, delivery: Delivery): string =>
  copies > 0
    ? `Ordered '${title}'; it arrives ${delivery}.`
    : `'${title}' is on backorder; it would arrive ${delivery}.`

export const hoursText = (day: string): string => `On ${day} the shop is open from 9 to 18.`

export const question = (title: string): string => `'${title}' is out of stock (2-3 weeks). Order anyway?`
export const confirmDescription = "Order anyway and wait?"
export const orderedText = (title: string): string => `Ordered '${title}'.`
export const backorderedText = (title: string): string => `Backordered '${title}'; it ships in 2-3 weeks.`
export const notPlaced = "No order placed."

/** Inputs of the comparison before anything is timed. */
export const titles: ReadonlyArray<string> = Array.from({ length: 100 }, (_, i) =>
  i === 0
    ? "Dune"
    : i === 1
      ? "Neuromancer"
      : i === 2
        ? "constructor"
        : i === 3
          ? ""
          : i % 3 === 0
            ? `Książka "${i}" — том ${i}`
            : `Title ${i}`
)

export const descriptions = {
  order_book: "Order a book from the shop.",
  shop_hours: "Tell the opening hours of a day.",
  confirm_order: "Order a book from the shop, asking first when it is out of stock.",
  many_questions: "Ask for as many numbers as it is told to, one after another."
} as const
