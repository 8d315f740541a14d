/** Find a tensor or a module by its name, and go there in the picture. */

import { make, nameButton } from "../dom/dom.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {{id: string, name: string, box: string}} Place */

/** From this many on, names are not all in sight. */
const MANY = 12;
const MOST_OFFERED = 500;

/**
 * @param {import("../types.js").Context} context
 * @param {(key: string, boxes: string[]) => boolean} reveal Brings an element into sight, or the innermost drawn one
 *   of the boxes around it.
 */
export function createFind({ document, signal, words, actions }, reveal) {
  const input = make(document, "input", "hv-find", {
    type: "search", autocomplete: "off", spellcheck: "false", size: "12",
  });
  const list = make(document, "datalist");
  const element = make(document, "span", "hv-find-box", {}, [input, list]);
  /** @type {View | null} */
  let shown = null;

  input.addEventListener("focus", () => {
    // A list needs an id to be offered; it is made where the page is, and only when it is needed.
    if (list.id === "") {
      list.id = `hv-names-${document.querySelectorAll("datalist[id^=hv-names-]").length}`;
      input.setAttribute("list", list.id);
    }
  }, { signal });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go();
  }, { signal });
  input.addEventListener("change", go, { signal });

  function go() {
    if (shown === null) return;
    const found = findPlace(places(shown), input.value);
    input.setCustomValidity("");
    input.toggleAttribute("data-hv-missing", found === null && input.value.trim() !== "");
    if (found === null) return;
    const isDrawn = reveal(found.id, [found.box, ...shown.boxes.around(found.box)]);
    const parent = shown.boxes.get(found.box)?.parent ?? "";
    if (!isDrawn && parent !== "") actions.toggle(parent, true);
    actions.select(found.id);
  }

  return {
    element,
    /**
     * @param {View} view
     * @param {View | null} before
     */
    update(view, before) {
      shown = view;
      const names = places(view);
      element.hidden = names.length < MANY;
      nameButton(input, words.say("ui.find"));
      input.placeholder = words.say("ui.find");
      if (view.tensors === before?.tensors && view.boxes === before?.boxes) return;
      list.replaceChildren(
        ...[...new Set(names.map(({ name }) => name))].slice(0, MOST_OFFERED)
          .map((value) => make(document, "option", "", { value })),
      );
    },
  };

  /**
   * @param {View} view
   * @returns {Place[]}
   */
  function places({ tensors, modules, boxes }) {
    return [
      ...tensors.map(({ id, label }) => ({ id, name: label, box: "" })),
      ...modules.map(({ id, label, calls }) => ({ id, name: label, box: calls[0] ?? "" })),
    ].filter(({ name, box }) => name !== "" && (box === "" || boxes.get(box) !== undefined));
  }
}

/**
 * @param {Place[]} places
 * @param {string} wanted
 * @returns {Place | null} The one with this name, else the first that begins so, else that has it in it.
 */
export function findPlace(places, wanted) {
  const text = wanted.trim().toLowerCase();
  if (text === "") return null;
  const tests = [
    (/** @type {string} */ name) => name === text,
    (/** @type {string} */ name) => name.startsWith(text),
    (/** @type {string} */ name) => name.includes(text),
  ];
  for (const test of tests) {
    const found = places.find(({ name }) => test(name.toLowerCase()));
    if (found !== undefined) return found;
  }
  return null;
}
