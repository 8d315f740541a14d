/** Draw the pieces of one file of the user's code, line by line. */

import { make } from "../dom/dom.js";
import { highlightLines } from "./highlight.js";
import { scrollInside } from "../page/scroll.js";

/** @typedef {import("../types.js").Source} Source */

/**
 * @typedef {object} CodeFile
 * @property {string} file
 * @property {HTMLButtonElement} tab
 * @property {HTMLElement} panel
 * @property {(isShown: boolean) => void} show
 * @property {(source: number, line: number) => boolean} light Returns whether the line is here.
 * @property {() => void} follow Scrolls to the line that is lit.
 * @property {(words: import("../dom/words.js").Words) => void} name
 *
 * @typedef {object} Line
 * @property {HTMLElement} element
 * @property {HTMLButtonElement | null} button Goes to the first stop of the line, if it has one.
 * @property {number} number
 */

/**
 * @param {import("../types.js").Context} context
 * @param {Source[]} code All of it; the pieces of this file are drawn.
 * @param {string} file
 * @param {object} more
 * @param {string[]} more.names All files, to tell apart two of the same last name.
 * @param {(key: string) => boolean} more.isMarked Whether something was made at a line.
 * @param {(key: string) => void} more.visit Goes to the first stop of a line.
 * @returns {CodeFile}
 */
export function createCodeFile({ document, signal }, code, file, { names, isMarked, visit }) {
  const name = shortName(file, names);
  const tab = make(document, "button", "hv-tab", { type: "button", role: "tab", title: file }, [
    make(document, "bdi", "", {}, [name]),
  ]);
  const panel = make(document, "div", "hv-code-file", { tabindex: "0", role: "tabpanel", "aria-label": name });
  /** @type {Map<string, Line>} By the number of the source and of the line. */
  const lines = new Map();
  /** @type {Line | null} */
  let lit = null;

  code.forEach((source, index) => {
    if (source.file === file) panel.append(draw(source, index));
  });
  const buttons = [...lines.values()].flatMap(({ button }) => button ?? []);
  if (buttons[0]) buttons[0].tabIndex = 0;

  panel.addEventListener("click", (event) => {
    const button = buttons.find((item) => item.contains(/** @type {Node} */ (event.target)));
    if (button !== undefined) visit(button.value);
  }, { signal });
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const now = buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const next = buttons[now + (event.key === "ArrowUp" ? -1 : 1)];
    if (now < 0) return;
    event.preventDefault();
    if (next === undefined) return;
    reach(next);
    next.focus({ preventScroll: true });
    scrollInside(panel, next);
  }, { signal });

  return {
    file, tab, panel,
    show(isShown) {
      panel.hidden = !isShown;
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
    },
    light(source, line) {
      lit?.element.removeAttribute("aria-current");
      lit = lines.get(keyOf(source, line)) ?? null;
      lit?.element.setAttribute("aria-current", "true");
      if (lit?.button) reach(lit.button);
      return lit !== null;
    },
    follow() {
      if (lit !== null && !panel.hidden) scrollInside(panel, lit.element);
    },
    name(words) {
      for (const { button, number } of lines.values()) {
        if (button === null) continue;
        const name = words.say("ui.code.line", { number: String(number) });
        button.setAttribute("aria-label", name);
        button.title = name;
      }
    },
  };

  /**
   * @param {Source} source
   * @param {number} index
   */
  function draw({ first, lines: texts }, index) {
    const colored = highlightLines(document, texts);
    const digits = String(first + texts.length - 1).length;
    const rows = texts.map((_, row) => {
      const number = first + row;
      const key = keyOf(index, number);
      const label = make(document, "span", "hv-code-number", {}, [String(number)]);
      const button = isMarked(key)
        ? make(document, "button", "hv-code-go", { type: "button", tabindex: "-1", value: key }, [label])
        : null;
      const text = make(document, "code", "hv-code-text", { dir: "ltr" }, [...(colored[row] ?? []), "\n"]);
      const element = make(document, "div", "hv-code-line", {}, [
        button ?? make(document, "span", "hv-code-go", {}, [label]), text,
      ]);
      lines.set(key, { element, button, number });
      return element;
    });
    const block = make(document, "div", "hv-code-piece", {}, rows);
    block.style.setProperty("--hv-digits", String(digits));
    return block;
  }

  /**
   * Only one line is a Tab stop; the arrow keys go on from there.
   *
   * @param {HTMLButtonElement} button
   */
  function reach(button) {
    for (const other of buttons) other.tabIndex = other === button ? 0 : -1;
  }
}

/**
 * @param {number} source
 * @param {number} line
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
function shortName(file, files) {
  /** @param {string} path */
  const last = (path) => path.split(/[\\/]/).at(-1) || path;
  const isAlone = files.every((other) => other === file || last(other) !== last(file));
  return isAlone ? last(file) : file.split(/[\\/]/).slice(-2).join("/");
}
