// effect-resolve check
// 2: faults/syntax.ts:3: syntax error: Expression expected
export const registrations = = 1
