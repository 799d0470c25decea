/** Text that was made elsewhere and is shown to people or to a model. */

// C0 and C1 controls but tab and line breaks, and the characters that reorder or hide text
const unsafe =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g

/** People decide by what they read, so text that could be made to look like other text is removed. */
export const printable = (message: string): string => message.replace(unsafe, "")

/** In one line, and no longer than `most` characters. */
export const short = (text: string, most: number): string => {
  const line = printable(text.slice(0, most * 2)).replace(/\s+/g, " ")
  const characters = Array.from(line)
  return characters.length > most || text.length > most * 2 ? `${characters.slice(0, most).join("")}…` : line
}
