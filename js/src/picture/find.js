/** Find a tensor or a module by its name, and go there in the picture. */

import { html } from "lit-html";
import { guard } from "lit-html/directives/guard.js";

/** @typedef {{id: string, name: string, box: string}} Place */

/** From this many on, names are not all in sight. */
const MANY = 12;
const MOST_OFFERED = 500;

/**
 * @param {hv.Context} context
 * @param {(key: string, boxes: string[]) => boolean} reveal Brings an element into sight, or the innermost drawn one
 *   of the boxes around it.
 * @returns {(view: hv.View) => unknown}
 */
export function createFind({ document, words, actions }, reveal) {
  return (view) => guard([view.tensors, view.modules, view.boxes, view.strings, view.lang], () => {
    const places = placesIn(view);
    const name = words.say("ui.find");
    const search = (/** @type {any} */ { target }) => go(view, target);
    return html`<span class="hv-find-box" ?hidden=${places.length < MANY}><input class="hv-find" type="search" autocomplete="off"
      spellcheck="false" size="12" aria-label=${name} title=${name} placeholder=${name} @focus=${offer} @change=${search}
      @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && search(event)}><datalist>${
      [...new Set(places.map((place) => place.name))].slice(0, MOST_OFFERED)
        .map((offered) => html`<option value=${offered}></option>`)}</datalist></span>`;
  });

  /** @param {any} event */
  function offer({ target: input }) {
    const list = input.nextElementSibling;
    // A list needs an id to be offered; it is made where the page is, and only when it is needed.
    list.id ||= `hv-names-${document.querySelectorAll("datalist[id^=hv-names-]").length}`;
    input.setAttribute("list", list.id);
  }

  /**
   * @param {hv.View} view
   * @param {HTMLInputElement} input
   */
  function go(view, input) {
    const found = findPlace(placesIn(view), input.value);
    input.setCustomValidity("");
    input.toggleAttribute("data-hv-missing", found === null && input.value.trim() !== "");
    if (found === null) return;
    const isDrawn = reveal(found.id, [found.box, ...view.boxes.around(found.box)]);
    const parent = view.boxes.get(found.box)?.parent ?? "";
    if (!isDrawn && parent !== "") actions.toggle(parent, true);
    actions.select(found.id);
  }
}

/**
 * @param {hv.View} view
 * @returns {Place[]}
 */
function placesIn({ tensors, modules, boxes }) {
  return [
    ...tensors.map(({ id, label }) => ({ id, name: label, box: "" })),
    ...modules.map(({ id, label, calls }) => ({ id, name: label, box: calls[0] ?? "" })),
  ].filter(({ name, box }) => name !== "" && (box === "" || boxes.get(box) !== undefined));
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
