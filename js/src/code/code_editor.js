/** Edit Python in a plain text box that lies over a coloured copy of its text. */

import { make } from "../dom/dom.js";
import { draw } from "../dom/template.js";
import { highlight } from "./highlight.js";
import { nextIndent } from "./indent.js";

/**
 * @typedef {object} CodeEditor
 * @property {HTMLElement} element
 * @property {HTMLTextAreaElement} box
 * @property {(text: string) => void} setText
 */

/**
 * @param {Document} document
 * @param {AbortSignal} signal
 * @param {{input: (text: string) => void, submit: () => void}} callbacks
 * @returns {CodeEditor}
 */
export function createCodeEditor(document, signal, { input, submit }) {
  const box = make(document, "textarea", "hv-source-box", {
    spellcheck: "false", autocomplete: "off", autocapitalize: "off", autocorrect: "off",
    wrap: "off", rows: "2", dir: "ltr",
  });
  const layer = make(document, "pre", "hv-source-layer", { "aria-hidden": "true", dir: "ltr" });
  const element = make(document, "div", "hv-source", {}, [layer, box]);
  /** @type {string | null} */
  let drawn = null;

  box.addEventListener("input", () => {
    color();
    input(box.value);
  }, { signal });
  box.addEventListener("scroll", follow, { signal });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      event.preventDefault();
      submit();
      return;
    }
    const indent = nextIndent(box.value.slice(0, box.selectionStart));
    if (indent === "" || box.readOnly) return;
    event.preventDefault();
    insert(`\n${indent}`);
  }, { signal });

  return {
    element,
    box,
    setText(text) {
      // Assigning the same text would move the caret to the end.
      if (box.value !== text) box.value = text;
      color();
    },
  };

  /** @param {string} text */
  function insert(text) {
    // execCommand is old but the only way that keeps the browser's own undo.
    if (document.execCommand?.("insertText", false, text)) return;
    box.setRangeText(text, box.selectionStart, box.selectionEnd, "end");
    color();
    input(box.value);
  }

  function color() {
    if (box.value === drawn) return;
    drawn = box.value;
    // A last empty line has no height in a <pre> unless something follows it.
    draw(layer, [...highlight(drawn), "\n"]);
    box.rows = Math.min(Math.max(drawn.split("\n").length, 2), 12);
    follow();
  }

  function follow() {
    layer.scrollTop = box.scrollTop;
    layer.scrollLeft = box.scrollLeft;
  }
}
