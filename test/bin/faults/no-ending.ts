// effect-resolve check
// 2: faults/no-ending.ts imports 'faults/no-export' without its ending; Node wants it as it is: 'faults/no-export.ts'
export { registrations } from "./no-export"
