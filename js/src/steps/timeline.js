/** List every stop; the current one is marked and kept in sight. */

import { make, setText } from "../dom/dom.js";
import { createTimelineRow } from "./timeline_row.js";
import { scrollInside } from "../page/scroll.js";

/** @typedef {import("./timeline_row.js").TimelineRow} TimelineRow */

/** Rows that the browser lays out together, or not at all while they are out of sight. */
const BLOCK = 50;
const ROW_HEIGHT = 28;
const LONG = 200;

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createTimeline(context) {
  const { document, signal, words, actions } = context;
  const heading = make(document, "h3", "hv-heading");
  const box = make(document, "div", "hv-timeline-box", { role: "group" });
  const element = make(document, "section", "hv-timeline", {}, [heading, box]);
  /** @type {TimelineRow[]} */
  let rows = [];
  let current = 0;
  /** In how many frames it is still to be scrolled. */
  let frames = 0;

  box.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const place = rows.findIndex((row) => row.element.contains(target));
    if (place < 0) return;
    if (rows[place].into?.contains(target)) rows[place].stepInto();
    else if (rows[place].button.contains(target)) actions.gotoStop(place);
  }, { signal });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    actions.move(event.key === "ArrowUp" ? "previous" : "next");
    rows[current]?.button.focus({ preventScroll: true });
  }, { signal });

  return {
    element,
    update(view, before) {
      const isNew = !before || view.steps !== before.steps || view.stops !== before.stops || view.lang !== before.lang;
      if (isNew) {
        setText(heading, words.say("ui.timeline"));
        box.setAttribute("aria-label", words.say("ui.timeline"));
        const hadFocus = box.querySelector(":focus") !== null;
        rows = Array.from({ length: view.stops.count }, (_, place) => createTimelineRow(context, view, place));
        box.replaceChildren(...blocks());
        current = 0;
        mark(view.stop);
        if (hadFocus) rows[current]?.button.focus({ preventScroll: true });
      } else if (view.stop !== before.stop) mark(view.stop);
      if (isNew || view.live !== before.live || view.busy !== before.busy) {
        for (const row of rows) row.enable(view);
      }
      if (isNew || view.step !== before.step) follow();
    },
  };

  /** @param {number} place The stop that is current from now on. */
  function mark(place) {
    rows[current]?.mark(false);
    for (let index = current; index !== place; index += index < place ? 1 : -1) {
      setAhead(rows[index], index > place);
    }
    current = place;
    rows[current]?.mark(true);
    setAhead(rows[current], false);
  }

  /**
   * Scroll to the current row in the next frame, when all parts are drawn and laid out, and again in
   * those after it: blocks that have just come into sight may turn out higher than they were taken
   * to be.
   */
  function follow() {
    const isWaiting = frames > 0;
    frames = 3;
    if (!isWaiting) document.defaultView?.requestAnimationFrame?.(scroll);
  }

  function scroll() {
    frames -= 1;
    if (signal.aborted || rows.length === 0) return;
    scrollInside(box, rows[current].button);
    if (frames > 0) document.defaultView?.requestAnimationFrame?.(scroll);
  }

  function blocks() {
    return Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, index) => {
      const own = rows.slice(index * BLOCK, (index + 1) * BLOCK).map((row) => row.element);
      const block = make(document, "ol", "hv-rows", { start: String(index * BLOCK) }, own);
      if (rows.length > LONG) {
        block.style.setProperty("content-visibility", "auto");
        block.style.setProperty("contain-intrinsic-size", `auto ${own.length * ROW_HEIGHT}px`);
      }
      return block;
    });
  }
}

/**
 * Steps that are still to come are pale. Each row knows it by itself: a rule over all siblings
 * would have the browser look at 3,000 of them at every step.
 *
 * @param {TimelineRow | undefined} row
 * @param {boolean} isAhead
 */
function setAhead(row, isAhead) {
  if (isAhead) row?.button.setAttribute("data-hv-ahead", "true");
  else row?.button.removeAttribute("data-hv-ahead");
}
