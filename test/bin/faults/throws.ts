// effect-resolve check
// 2: faults/throws.ts threw as it was loaded, at faults/throws.ts:4: Error: the setting SHOP_URL is missing
const settings = (name: string): string => {
  throw new Error(`the setting ${name} is missing`)
}

export const registrations = settings("SHOP_URL")
