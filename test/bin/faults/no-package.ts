// effect-resolve check
// 2: faults/no-package.ts imports the package 'a-database-that-is-not-installed', which is not installed: npm install a-database-that-is-not-installed
import { connect } from "a-database-that-is-not-installed"

export const registrations = connect()
