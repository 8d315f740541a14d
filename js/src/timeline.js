/** List every step; the current one is marked and kept in sight. */

import { make, setSegments, setText } from "./dom.js";
import { isRewritingStep } from "./rewriting.js";

/** Rows that the browser lays out together, or not at all while they are out of sight. */
const BLOCK = 50;
const ROW_HEIGHT = 28;
const LONG = 200;

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part}
 */
export function createTimeline({ document, signal, words, actions }) {
  const heading = make(document, "h3", "hv-heading");
  const box = make(document, "div", "hv-timeline-box", { role: "group" });
  const element = make(document, "section", "hv-timeline", {}, [heading, box]);
  /** @type {HTMLElement[]} */
  let rows = [];
  let current = 0;

  box.addEventListener("click", (event) => {
    const row = /** @type {Element} */ (event.target).closest(".hv-row");
    if (row !== null) actions.goto(rows.indexOf(/** @type {HTMLElement} */ (row)));
  }, { signal });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    actions.move(event.key === "ArrowUp" ? "previous" : "next");
    rows[current]?.focus({ preventScroll: true });
  }, { signal });

  return {
    element,
    update(view, before) {
      if (!before || view.steps !== before.steps || view.lang !== before.lang) {
        setText(heading, words.say("ui.timeline"));
        box.setAttribute("aria-label", words.say("ui.timeline"));
        rows = view.steps.map(row);
        box.replaceChildren(...blocks());
        current = 0;
      } else if (view.step === before.step) return;
      mark(rows[current], false);
      for (let index = current; index !== view.step; index += index < view.step ? 1 : -1) {
        setAhead(rows[index], index > view.step);
      }
      current = view.step;
      if (rows.length === 0) return;
      mark(rows[current], true);
      follow(3);
    },
  };

  /**
   * Scroll to the current row, and again in the next frames: blocks that have just come into sight
   * may turn out higher than they were taken to be, and the parts drawn later change the box.
   *
   * @param {number} frames
   */
  function follow(frames) {
    if (signal.aborted || rows.length === 0) return;
    scrollInside(box, rows[current]);
    if (frames > 0) document.defaultView?.requestAnimationFrame?.(() => follow(frames - 1));
  }

  function blocks() {
    return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, index) => {
      const own = rows.slice(index * BLOCK, (index + 1) * BLOCK);
      const items = own.map((button) => make(document, "li", "hv-row-item", {}, [button]));
      const block = make(document, "ol", "hv-rows", { start: String(index * BLOCK) }, items);
      if (rows.length > LONG) {
        block.style.setProperty("content-visibility", "auto");
        block.style.setProperty("contain-intrinsic-size", `auto ${own.length * ROW_HEIGHT}px`);
      }
      return block;
    });
  }

  /**
   * @param {import("./types.js").Step} step
   * @param {number} index
   */
  function row(step, index) {
    const text = make(document, "span", "hv-row-text", { dir: "auto" });
    setSegments(text, words.segments(step.line));
    const number = make(document, "span", "hv-row-number", {}, [String(index)]);
    // Only the current row is a Tab stop: 3,000 of them would wall off what comes after.
    const attributes = { type: "button", tabindex: "-1", "data-hv-kind": step.kind, "data-hv-ahead": "true" };
    const made = make(document, "button", "hv-row", attributes, [number, text]);
    made.toggleAttribute("data-hv-rewrote", isRewritingStep(step));
    return made;
  }
}

/**
 * @param {HTMLElement | undefined} row
 * @param {boolean} isCurrent
 */
function mark(row, isCurrent) {
  if (row === undefined) return;
  row.tabIndex = isCurrent ? 0 : -1;
  if (!isCurrent) return row.removeAttribute("aria-current");
  row.setAttribute("aria-current", "step");
  setAhead(row, false);
}

/**
 * Steps that are still to come are pale. Each row knows it by itself: a rule over all siblings
 * would have the browser look at 3,000 of them at every step.
 *
 * @param {HTMLElement} row
 * @param {boolean} isAhead
 */
function setAhead(row, isAhead) {
  if (isAhead) row.setAttribute("data-hv-ahead", "true");
  else row.removeAttribute("data-hv-ahead");
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
