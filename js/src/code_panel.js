/** Show the user's code beside the graph, with the line of the current step lit. */

import { createCodeFile } from "./code_file.js";
import { make, setText } from "./dom.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./code_file.js").CodeFile} CodeFile */

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part}
 */
export function createCodePanel(context) {
  const { document, signal, words } = context;
  const summary = make(document, "summary", "hv-summary hv-heading");
  const tabs = make(document, "div", "hv-tabs", { role: "tablist" });
  const body = make(document, "div", "hv-code-files");
  // Whether it is open is the page's own business: two views of one explorer may differ.
  const element = make(document, "details", "hv-code-panel", { open: "" }, [summary, tabs, body]);
  /** @type {CodeFile[]} */
  let files = [];
  let current = 0;

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
      if (!before || view.code !== before.code || view.steps !== before.steps || view.stops !== before.stops) {
        draw(view);
      } else if (view.step !== before.step) light(view);
      setText(summary, words.say("ui.code"));
      tabs.setAttribute("aria-label", words.say("ui.code"));
      for (const file of files) file.name(words);
    },
  };

  /** @param {View} view */
  function draw(view) {
    const names = [...new Set(view.code.map(({ file }) => file))];
    files = names.map((name) => createCodeFile(context, view, name, names));
    tabs.replaceChildren(...files.map(({ tab }) => tab));
    body.replaceChildren(...files.map(({ panel }) => panel));
    element.hidden = files.length === 0;
    tabs.hidden = files.length < 2;
    show(Math.min(current, Math.max(files.length - 1, 0)));
    light(view);
  }

  /** @param {View} view */
  function light({ stops, step, code }) {
    // Of several steps inside a box the last one that has a line counts.
    const steps = stops.saidAt(step)?.steps ?? [];
    const [index, line] = steps.findLast((item) => item.code)?.code ?? [-1, 0];
    const name = code[index]?.file;
    files.forEach((file, place) => {
      const isLit = file.light(index, line);
      if (isLit && file.file === name) show(place);
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
