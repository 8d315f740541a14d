/** Hold the tables of words of the page and the language in use. */

import { format, segments } from "./message.js";

export class Words {
  /** @type {hv.Strings} */
  #strings = {};
  #lang = "en";

  /**
   * @param {hv.Strings} strings
   * @param {string} lang
   */
  use(strings, lang) {
    this.#strings = strings ?? {};
    this.#lang = lang;
  }

  /** @type {import("./message.js").Lookup} */
  lookup = (key) => own(own(this.#strings, this.#lang), key) ?? own(own(this.#strings, "en"), key);

  /**
   * Say one of our own strings.
   *
   * @param {string} key
   * @param {Record<string, hv.Text>} [args]
   */
  say(key, args = {}) {
    return format({ key, args }, this.lookup);
  }

  /** @param {hv.Text | null | undefined} text */
  format(text) {
    return format(text, this.lookup);
  }

  /** @param {hv.Text | null | undefined} text */
  segments(text) {
    return segments(text, this.lookup);
  }
}

/**
 * @template T
 * @param {Record<string, T> | undefined} table
 * @param {string} key
 * @returns {T | undefined}
 */
function own(table, key) {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
