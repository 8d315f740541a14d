/** Show the user's code beside the graph, with the line of the current step lit. */

import { html } from "lit-html";
import { make } from "../dom/dom.js";
import { draw } from "../dom/template.js";
import { scrollInside } from "../page/scroll.js";
import { codeFile, keyOf, shortName } from "./code_file.js";

/** @type {(context: hv.Context) => hv.Part} */
export function createCodePanel(context) {
  const { document, signal, words, actions, redraw } = context;
  // Whether it is open is the page's own business: two views of one explorer may differ.
  const element = make(document, "details", "hv-code-panel", { open: "" });
  let current = "";
  /** @type {Map<string, number>} By line: the first step that belongs to it. */
  let firstSteps = new Map();
  /** @type {Map<string, string>} By file: the line on which the arrow keys stand. */
  const reached = new Map();
  /** The line of the current step. */
  let lit = "";
  let mustFollow = false;

  // A panel that was closed has no size, so nothing could be scrolled in it.
  element.addEventListener("toggle", follow, { signal });

  return {
    element,
    update(view, before) {
      if (view.steps !== before?.steps) firstSteps = findFirstSteps(view.steps);
      const files = [...new Set(view.code.map(({ file }) => file))];
      if (view.code !== before?.code || view.step !== before.step || view.stops !== before.stops) light(view);
      if (!files.includes(current)) current = files[0] ?? "";
      element.hidden = files.length === 0;
      const title = words.say("ui.code");
      draw(element, html`<summary class="hv-summary"><span class="hv-heading">${title}</span><bdi class="hv-chip"
        ?hidden=${files.length !== 1}>${files[0]}</bdi></summary>
        <div class="hv-tabs" role="tablist" aria-label=${title} ?hidden=${files.length < 2}
          @keydown=${(/** @type {KeyboardEvent} */ event) => move(event, files)}>${files.map((file) => tab(file, files))}</div>
        <div class="hv-code-files">${files.map((file) => codeFile(context, view, file, {
          name: shortName(file, files), isShown: file === current, lit, reached: reached.get(file), marked: firstSteps, visit, reach,
        }))}</div>`);
      if (mustFollow) follow();
      mustFollow = false;
    },
  };

  /**
   * @param {string} file
   * @param {string[]} files
   */
  function tab(file, files) {
    const isShown = file === current;
    return html`<button type="button" class="hv-tab" role="tab" title=${file} tabindex=${isShown ? 0 : -1}
      aria-selected=${isShown} @click=${() => show(file)}><bdi>${shortName(file, files)}</bdi></button>`;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string[]} files
   */
  function move(event, files) {
    const last = files.length - 1;
    const now = files.indexOf(current);
    const place = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last }[event.key];
    if (place === undefined) return;
    // The same keys step elsewhere: the explorer leaves alone what is prevented here.
    event.preventDefault();
    show(files[Math.max(0, Math.min(place, last))]);
    /** @type {HTMLElement | null} */ (element.querySelector('[role=tab][aria-selected="true"]'))?.focus({ preventScroll: true });
  }

  /** @param {string} file */
  function show(file) {
    current = file;
    mustFollow = true;
    redraw();
  }

  /**
   * @param {string} file
   * @param {string} key
   */
  function reach(file, key) {
    reached.set(file, key);
    redraw();
  }

  /** @param {string} key Of a line. */
  function visit(key) {
    const step = firstSteps.get(key);
    if (step !== undefined) actions.visit(step);
  }

  /** @param {hv.View} view */
  function light({ stops, step, code }) {
    // Of several steps inside a box the last one that has a line counts.
    const steps = stops.saidAt(step)?.steps ?? [];
    const [index, line] = steps.findLast((item) => item.code)?.code ?? [-1, 0];
    lit = keyOf(index, line);
    mustFollow = true;
    const file = code[index]?.file;
    if (file === undefined) return;
    current = file;
    if (firstSteps.has(lit)) reached.set(file, lit);
  }

  function follow() {
    const line = element.querySelector(".hv-code-file:not([hidden]) [aria-current]");
    if (line) scrollInside(/** @type {HTMLElement} */ (line.closest(".hv-code-file")), /** @type {HTMLElement} */ (line));
  }
}

/**
 * @param {hv.Step[]} steps
 * @returns {Map<string, number>}
 */
function findFirstSteps(steps) {
  const found = new Map();
  steps.forEach(({ code }, step) => {
    const key = code ? keyOf(code[0], code[1]) : "";
    if (key !== "" && !found.has(key)) found.set(key, step);
  });
  return found;
}
