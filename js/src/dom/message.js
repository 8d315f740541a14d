/** Turn language-independent texts into words, exactly as `hookviz/_view/text/message.py` does. */

/** @typedef {(key: string) => string | undefined} Lookup */
/** @typedef {{style: string, text: string}} Segment */

/** Placeholders that say what their text is; the others only give sentences their shape. */
export const STYLES = new Set([
  "tensor", "hook", "node", "module", "incoming", "outgoing", "before", "after", "gradient", "error",
]);

const PLACEHOLDER = /\{(\w+)\}/;

/**
 * Cut a text into pieces, each with the name of the placeholder it stands for ("" for the words in
 * between). In a message inside a message the outermost of `STYLES` counts.
 *
 * @param {hv.Text | null | undefined} text
 * @param {Lookup} lookup
 * @param {string} [style]
 * @returns {Segment[]}
 */
export function segments(text, lookup, style = "") {
  if (text === null || text === undefined || text === "") return [];
  if (typeof text !== "object") return [{ style, text: String(text) }];
  if (Array.isArray(text)) {
    const separator = lookup("list.separator") ?? "; ";
    return text.flatMap((item, index) => [
      ...(index > 0 ? [{ style, text: separator }] : []),
      ...segments(item, lookup, style),
    ]);
  }
  const template = lookup(text.key) ?? String(text.key);
  return template.split(PLACEHOLDER).flatMap((piece, index) => {
    if (index % 2 === 0) return segments(piece, lookup, style);
    // Text from the user is never read as a template: only the table's is.
    return segments(argument(text, piece), lookup, STYLES.has(style) ? style : piece);
  });
}

/**
 * Write a text out as one string.
 *
 * @param {hv.Text | null | undefined} text
 * @param {Lookup} lookup
 * @returns {string}
 */
export function format(text, lookup) {
  return segments(text, lookup)
    .map((segment) => segment.text)
    .join("");
}

/**
 * @param {hv.Message} message
 * @param {string} name
 * @returns {hv.Text}
 */
function argument(message, name) {
  const args = message.args ?? {};
  // Names such as __proto__ or constructor must not reach into the prototype.
  return Object.hasOwn(args, name) ? args[name] : `{${name}}`;
}
