/** Show the user's code beside the graph, with the line of the current step lit. */

import { createCodeFile, keyOf } from "./code_file.js";
import { make, setText } from "../dom/dom.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("./code_file.js").CodeFile} CodeFile */

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createCodePanel(context) {
  const { document, signal, words, actions } = context;
  const title = make(document, "span", "hv-heading");
  const name = make(document, "bdi", "hv-chip");
  const summary = make(document, "summary", "hv-summary", {}, [title, name]);
  const tabs = make(document, "div", "hv-tabs", { role: "tablist" });
  const body = make(document, "div", "hv-code-files");
  // Whether it is open is the page's own business: two views of one explorer may differ.
  const element = make(document, "details", "hv-code-panel", { open: "" }, [summary, tabs, body]);
  /** @type {CodeFile[]} */
  let files = [];
  let current = 0;
  /** @type {Map<string, number>} By line: the first step that belongs to it. */
  let firstSteps = new Map();

  tabs.addEventListener("click", (event) => {
    const place = files.findIndex(({ tab }) => tab.contains(/** @type {Node} */ (event.target)));
    if (place >= 0) show(place);
  }, { signal });
  tabs.addEventListener("keydown", (event) => {
    const last = files.length - 1;
    const place = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: last }[event.key];
    if (place === undefined) return;
    // The same keys step elsewhere: the explorer leaves alone what is prevented here.
    event.preventDefault();
    show(Math.max(0, Math.min(place, last)));
    files[current]?.tab.focus({ preventScroll: true });
  }, { signal });
  // A panel that was closed has no size, so nothing could be scrolled in it.
  element.addEventListener("toggle", () => files[current]?.follow(), { signal });

  return {
    element,
    update(view, before) {
      const old = firstSteps;
      if (!before || view.steps !== before.steps) firstSteps = findFirstSteps(view.steps);
      // After a change of a hook the same lines are marked as a rule, and what was scrolled stays.
      const isSame = view.code === before?.code && hasSameKeys(old, firstSteps);
      if (!isSame) draw(view);
      if (!isSame || view.step !== before?.step || view.stops !== before.stops) light(view);
      setText(title, words.say("ui.code"));
      tabs.setAttribute("aria-label", words.say("ui.code"));
      for (const file of files) file.name(words);
    },
  };

  /** @param {View} view */
  function draw({ code }) {
    const names = [...new Set(code.map(({ file }) => file))];
    const isMarked = (/** @type {string} */ key) => firstSteps.has(key);
    files = names.map((file) => createCodeFile(context, code, file, { names, isMarked, visit }));
    tabs.replaceChildren(...files.map(({ tab }) => tab));
    body.replaceChildren(...files.map(({ panel }) => panel));
    element.hidden = files.length === 0;
    tabs.hidden = files.length < 2;
    setText(name, names[0] ?? "");
    name.hidden = files.length !== 1;
    show(Math.min(current, Math.max(files.length - 1, 0)));
  }

  /** @param {string} key Of a line. */
  function visit(key) {
    const step = firstSteps.get(key);
    if (step !== undefined) actions.visit(step);
  }

  /** @param {View} view */
  function light({ stops, step }) {
    // Of several steps inside a box the last one that has a line counts.
    const steps = stops.saidAt(step)?.steps ?? [];
    const [index, line] = steps.findLast((item) => item.code)?.code ?? [-1, 0];
    files.forEach((file, place) => {
      if (file.light(index, line)) show(place);
    });
    files[current]?.follow();
  }

  /** @param {number} place */
  function show(place) {
    current = place;
    files.forEach((file, index) => file.show(index === place));
    files[place]?.follow();
  }
}

/**
 * @param {import("../types.js").Step[]} steps
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

/**
 * @param {Map<string, number>} one
 * @param {Map<string, number>} other
 */
function hasSameKeys(one, other) {
  return one === other || (one.size === other.size && [...one.keys()].every((key) => other.has(key)));
}
