// effect-resolve check
// 2: faults/no-file.ts imports 'faults/shop.ts', which does not exist
export { registrations } from "./shop.ts"
