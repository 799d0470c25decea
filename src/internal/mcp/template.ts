/**
 * Parameters of a resource template that would lead a handler out of what it means to serve, as a path of a file does.
 * They come from a URI whose percent-encoding is undone, so that `..%2F..` is `../..` by then.
 */

/** Whether a parameter climbs (a segment `..`), begins at a root or a drive, or hides what follows (NUL). */
export const climbs = (parameter: string): boolean =>
  /^[\\/]|^[A-Za-z]:/.test(parameter) ||
  parameter.includes("\u0000") ||
  parameter.split(/[\\/]/).some((segment) => segment === "..")
