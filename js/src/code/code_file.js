/** Draw the pieces of one file of the user's code, line by line. */

import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { scrollInside } from "../page/scroll.js";
import { highlightLines } from "./highlight.js";

/**
 * @param {hv.Context} context
 * @param {hv.View} view Of its code the pieces of this file are drawn.
 * @param {string} file
 * @param {object} state
 * @param {string} state.name
 * @param {boolean} state.isShown
 * @param {string} state.lit The line of the current step, in whatever file.
 * @param {string | undefined} state.reached The line on which the arrow keys stand; only that one is a Tab stop.
 * @param {ReadonlyMap<string, unknown>} state.marked The lines at which something was made.
 * @param {(key: string) => void} state.visit Goes to the first stop of a line.
 * @param {(file: string, key: string) => void} state.reach
 */
export function codeFile({ words }, { code, strings, lang }, file, { name, isShown, lit, reached, marked, visit, reach }) {
  const keys = code.flatMap((source, index) =>
    (source.file === file ? source.lines.map((_, row) => keyOf(index, source.first + row)).filter((key) => marked.has(key)) : []));
  const tabStop = reached !== undefined && keys.includes(reached) ? reached : keys[0];
  return html`<div class="hv-code-file" tabindex="0" role="tabpanel" aria-label=${name} ?hidden=${!isShown} @keydown=${move}>${
    code.map((source, index) => (source.file === file ? guarded(source, index) : ""))}</div>`;

  /**
   * A piece, drawn again only when it shows something else.
   *
   * @param {hv.Source} source
   * @param {number} index
   */
  function guarded(source, index) {
    const inside = [lit, tabStop].map((key) => (key?.startsWith(keyOf(index, "")) ? key : ""));
    return guard([source, index, marked, strings, lang, ...inside], () => piece(source, index));
  }

  /**
   * @param {hv.Source} source
   * @param {number} index
   */
  function piece({ first, lines }, index) {
    const texts = highlightLines(lines);
    const digits = String(first + lines.length - 1).length;
    return html`<div class="hv-code-piece" style="--hv-digits: ${digits}">${lines.map((_, row) => {
      const key = keyOf(index, first + row);
      return html`<div class="hv-code-line" aria-current=${key === lit ? "true" : nothing}>${number(first + row, key)}<code
        class="hv-code-text" dir="ltr">${texts[row]}${"\n"}</code></div>`;
    })}</div>`;
  }

  /**
   * @param {number} line
   * @param {string} key
   */
  function number(line, key) {
    const label = html`<span class="hv-code-number">${line}</span>`;
    if (!marked.has(key)) return html`<span class="hv-code-go">${label}</span>`;
    const name = words.say("ui.code.line", { number: String(line) });
    return html`<button type="button" class="hv-code-go" value=${key} tabindex=${key === tabStop ? 0 : -1}
      aria-label=${name} title=${name} @click=${() => visit(key)}>${label}</button>`;
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const now = keys.indexOf(/** @type {HTMLButtonElement} */ (event.target).value);
    if (now < 0) return;
    event.preventDefault();
    const next = keys[now + (event.key === "ArrowUp" ? -1 : 1)];
    if (next === undefined) return;
    const panel = /** @type {HTMLElement} */ (event.currentTarget);
    reach(file, next);
    const button = /** @type {HTMLButtonElement} */ (panel.querySelector(`[value="${next}"]`));
    button.focus({ preventScroll: true });
    scrollInside(panel, button);
  }
}

/**
 * @param {number} source
 * @param {number | ""} line
 */
export function keyOf(source, line) {
  return `${source}:${line}`;
}

/**
 * The last part of a path, with the folder before it where two files have the same.
 *
 * @param {string} file
 * @param {string[]} files
 */
export function shortName(file, files) {
  /** @param {string} path */
  const last = (path) => path.split(/[\\/]/).at(-1) || path;
  const isAlone = files.every((other) => other === file || last(other) !== last(file));
  return isAlone ? last(file) : file.split(/[\\/]/).slice(-2).join("/");
}
