/** List every stop; the current one is marked and kept in sight. */

import { html } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { make } from "../dom/dom.js";
import { draw } from "../dom/template.js";
import { scrollInside } from "../page/scroll.js";
import { timelineRow } from "./timeline_row.js";

/** Rows that the browser lays out together, or not at all while they are out of sight. */
const BLOCK = 50;
const ROW_HEIGHT = 28;
const LONG = 200;

/**
 * @param {hv.Context} context
 * @returns {{element: HTMLElement, update: (view: hv.View, before: hv.View | null, runTo: unknown) => void}}
 */
export function createTimeline(context) {
  const { document, signal, words, actions } = context;
  const element = make(document, "section", "hv-timeline");
  /** Of the current stop. */
  let place = 0;
  /** In how many frames it is still to be scrolled. */
  let frames = 0;

  return {
    element,
    update(view, before, runTo) {
      const isNew = !before || view.steps !== before.steps || view.stops !== before.stops;
      // Only where rows may go; to look through thousands of them takes longer than to draw a step.
      const hadFocus = isNew && element.querySelector(".hv-timeline-box :focus") !== null;
      place = view.stop;
      draw(element, html`<h3 class="hv-heading">${words.say("ui.timeline")}</h3>${runTo}
        <div class="hv-timeline-box" role="group" aria-label=${words.say("ui.timeline")} @keydown=${keydown}>${
        blocks(view)}</div>`);
      // The rows are others now: the focus goes on from the current one.
      if (hadFocus) focus();
      if (isNew || view.step !== before.step) follow();
    },
  };

  /** @param {KeyboardEvent} event */
  function keydown(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    actions.move(event.key === "ArrowUp" ? "previous" : "next");
    focus();
  }

  function current() {
    const block = element.querySelector(".hv-timeline-box")?.children[Math.floor(place / BLOCK)];
    return /** @type {HTMLElement | null} */ (block?.children[place % BLOCK]?.firstElementChild ?? null);
  }

  function focus() {
    current()?.focus({ preventScroll: true });
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
    const row = current();
    if (signal.aborted || row === null) return;
    scrollInside(/** @type {HTMLElement} */ (row.closest(".hv-timeline-box")), row);
    if (frames > 0) document.defaultView?.requestAnimationFrame?.(scroll);
  }

  /** @param {hv.View} view */
  function blocks(view) {
    const { stops, steps, stop } = view;
    // All that a row shows besides where it is: its texts, and whether a box can be opened now.
    const shown = [stops, steps, view.boxes, view.expanded, view.comparison, view.strings, view.lang, view.live, view.saved, view.busy];
    return Array.from({ length: Math.ceil(stops.count / BLOCK) }, (_, index) => {
      const first = index * BLOCK;
      const size = Math.min(BLOCK, stops.count - first);
      // Of 3,000 rows only the blocks are drawn again in which the current row is, or was.
      const where = Math.max(first - 1, Math.min(stop, first + size));
      return guard([...shown, where], () => html`<ol class="hv-rows" start=${first}
        style=${stops.count > LONG ? `content-visibility: auto; contain-intrinsic-size: auto ${size * ROW_HEIGHT}px` : ""}>${
        // In such a block only those rows that the current one has come to, left or passed.
        Array.from({ length: size }, (_, row) => guard([...shown, Math.sign(first + row - stop)],
          () => timelineRow(context, view, first + row)))}</ol>`);
    });
  }
}
