/**
 * Stand in for d3-transition and d3-interpolate, of which d3-zoom uses these three things. hookviz
 * never starts a transition: the style sheet lets the picture glide. So there is none to interrupt,
 * and nothing between two views to be computed.
 */

import { selection } from "d3-selection";

/** Nothing runs that could be interrupted. */
export function interrupt() {}

/** @this {import("d3-selection").Selection<any, any, any, any>} */
selection.prototype.interrupt = function () {
  return this;
};

/** d3-zoom asks for this only within a transition. */
export function interpolateZoom() {
  throw new Error("this bundle has no transitions: set the transform, and let the style sheet glide");
}
