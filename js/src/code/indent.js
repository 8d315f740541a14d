/** Decide how the line after a line of Python is indented. */

const STEP = "    ";

/**
 * @param {string} text Everything before the caret.
 * @returns {string} The white space with which the next line starts.
 */
export function nextIndent(text) {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
  const code = line.replace(/#.*$/, "").trim();
  if (code.endsWith(":")) return indent + STEP;
  if (/^(return|pass|raise|break|continue)\b/.test(code)) return indent.slice(0, -STEP.length);
  return indent;
}
