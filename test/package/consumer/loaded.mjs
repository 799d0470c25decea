// node --import ./loaded.mjs --input-type=module -e 'import ..': prints each module that was loaded, one a line.
import { writeSync } from "node:fs"
import { register } from "node:module"

export const load = async (url, context, next) => {
  writeSync(1, `${url}\n`)
  return next(url, context)
}

// the hooks' thread reads this file as well
if (!import.meta.url.endsWith("#hooks")) register(`${import.meta.url}#hooks`)
