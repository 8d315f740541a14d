// @ts-nocheck: Prism's own files are not written for type checking.
/** Prism's tokenizer with its grammar of Python, without the part that looks for code in pages. */

import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-python.js";

/**
 * @param {string} source
 * @returns {(string | import("prismjs").Token)[]}
 */
export function tokenize(source) {
  return Prism.tokenize(source, Prism.languages.python);
}
