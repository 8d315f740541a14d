/** List every step; the current one is marked and kept in sight. */

import { make, setSegments, setText } from "./dom.js";

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part}
 */
export function createTimeline({ document, signal, words, actions }) {
  const heading = make(document, "h3", "hv-heading");
  const list = make(document, "ol", "hv-rows");
  const box = make(document, "div", "hv-timeline-box", {}, [list]);
  const element = make(document, "section", "hv-timeline", {}, [heading, box]);
  /** @type {HTMLElement | null} */
  let current = null;

  list.addEventListener("click", (event) => {
    const row = /** @type {Element} */ (event.target).closest(".hv-row");
    if (row !== null) actions.goto(rowsOf(list).indexOf(row));
  }, { signal });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    actions.move(event.key === "ArrowUp" ? "previous" : "next");
    current?.focus({ preventScroll: true });
  }, { signal });

  return {
    element,
    update(view, before) {
      if (!before || view.steps !== before.steps || view.lang !== before.lang) {
        setText(heading, words.say("ui.timeline"));
        box.setAttribute("aria-label", words.say("ui.timeline"));
        list.replaceChildren(...view.steps.map((step, index) => row(step, index)));
        current = null;
      }
      const now = /** @type {HTMLElement | undefined} */ (list.children[view.step]?.firstElementChild);
      if (now === undefined || now === current) return;
      mark(current, false);
      mark(now, true);
      current = now;
      scrollInside(box, now);
    },
  };

  /**
   * @param {import("./types.js").Step} step
   * @param {number} index
   */
  function row(step, index) {
    const text = make(document, "span", "hv-row-text", { dir: "auto" });
    setSegments(text, words.segments(step.line));
    const number = make(document, "span", "hv-row-number", {}, [String(index)]);
    // Only the current row is a Tab stop: 3,000 of them would wall off what comes after.
    const button = make(
      document, "button", "hv-row", { type: "button", tabindex: "-1", "data-hv-kind": step.kind }, [number, text],
    );
    return make(document, "li", "hv-row-item", {}, [button]);
  }
}

/** @param {HTMLElement} list */
function rowsOf(list) {
  return [...list.children].map((item) => item.firstElementChild);
}

/**
 * @param {HTMLElement | null} row
 * @param {boolean} isCurrent
 */
function mark(row, isCurrent) {
  if (row === null) return;
  row.tabIndex = isCurrent ? 0 : -1;
  row.parentElement?.toggleAttribute("data-hv-now", isCurrent);
  if (isCurrent) row.setAttribute("aria-current", "step");
  else row.removeAttribute("aria-current");
}

/**
 * Scroll the box and nothing around it: `scrollIntoView` would move the notebook too.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement} row
 */
function scrollInside(box, row) {
  const frame = box.getBoundingClientRect();
  const place = row.getBoundingClientRect();
  const margin = Math.min(48, frame.height / 4);
  const above = place.top - margin - frame.top;
  const below = place.bottom + margin - frame.bottom;
  if (above < 0) box.scrollTop += above;
  else if (below > 0) box.scrollTop += below;
}
