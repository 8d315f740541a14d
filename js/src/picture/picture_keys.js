/** Let a pointer and the keyboard select what is drawn, and open and close boxes. */

/** @type {Map<string, boolean>} Keys that open or close the box that has the focus. */
const SIGNS = new Map([["+", true], ["=", true], ["-", false], ["_", false]]);

/**
 * @param {hv.Context} context
 * @param {HTMLElement} stage Holds the picture.
 * @param {object} picture
 * @param {(box: string, isExpanded?: boolean) => void} picture.toggle
 * @param {(element: Element) => void} picture.reveal Brings something into sight.
 * @param {(group: Element) => string} picture.idOf What a click on a card or a box selects.
 */
export function handlePicture({ signal, actions }, stage, { toggle, reveal, idOf }) {
  let isPressed = false;

  stage.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const { sign, group } = around(target);
    if (sign !== null) toggle(sign);
    // The frame of an open fold is background: only its sign closes it.
    else if (group !== null && isFold(group)) {
      if (isOpen(group)) actions.select("");
      else toggle(boxOf(group));
    } else actions.select(group === null ? "" : idOf(group));
  }, { signal });

  stage.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { sign, group } = around(/** @type {Element} */ (event.target));
    const box = sign ?? boxOf(group);
    if (event.key === "Enter" || event.key === " ") {
      if (sign !== null || (group !== null && isFold(group))) toggle(box);
      else if (group !== null) actions.select(idOf(group));
      else return;
    } else if (SIGNS.has(event.key) && box !== "") toggle(box, SIGNS.get(event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }, { signal });

  stage.addEventListener("focusin", (event) => {
    const target = /** @type {Element} */ (event.target);
    const place = target.closest("[data-hv-toggle]") ?? around(target).group;
    if (place === null) return;
    // A frame may be larger than what is in sight: its name is what has to be seen. Who presses on
    // it sees it already, and the picture must not run away from under the pointer.
    if (!isOpen(place)) reveal(place);
    else if (!isPressed) reveal(place.querySelector(".hv-title") ?? place);
  }, { signal });
  for (const [event, value] of /** @type {const} */ ([["pointerdown", true], ["pointerup", false], ["pointercancel", false]])) {
    stage.addEventListener(event, () => {
      isPressed = value;
    }, { signal, capture: true });
  }
}

/**
 * @param {Element} target
 * @returns {{sign: string | null, group: Element | null}}
 */
function around(target) {
  const sign = target.closest("[data-hv-toggle]")?.getAttribute("data-hv-toggle") ?? null;
  return { sign, group: target.closest(".hv-card, .hv-module") };
}

/** @param {Element | null} group */
function boxOf(group) {
  return group?.getAttribute("data-hv-box") ?? "";
}

/** @param {Element} group */
function isFold(group) {
  return group.classList.contains("hv-module") && !group.hasAttribute("data-hv-module");
}

/** @param {Element} group */
function isOpen(group) {
  return group.classList.contains("hv-expanded");
}
