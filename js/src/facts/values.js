/** Show the values of the current step: tables of small ones, pictures and figures of large ones. */

import { html, nothing, svg } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { cellColor, gridCells, limitOf } from "./color_scale.js";

/** Side of a cell in a picture: as large as fits, within what looks like a picture. */
const CELLS = { smallest: 9, largest: 18, width: 144 };
const BARS = { width: 144, height: 46 };
const FIGURES = /** @type {const} */ (["shape", "dtype", "minimum", "maximum", "mean", "std", "norm", "zeros", "nans", "infs"]);
/** Counts are only said where there is something to count. */
const COUNTS = new Set(["nans", "infs"]);
/** Stands where there is no value. */
const NOTHING = /** @type {hv.StepValue} */ ({ shape: "[]", dtype: "", text: { key: "value.none" } });
/** A single number says all in the sentence above. */
const SCALAR = "[]";

/** @type {hv.Panel} */
export function values(context, view) {
  const now = view.steps[view.step]?.values ?? null;
  const sides = now === null ? [] : [side("before", now.before, view), side("after", now.after, view)];
  const found = sides.flatMap(({ items }) => items.map(({ value }) => value));
  const isShown = found.some((value) => value.shape !== SCALAR);
  const drawn = () => (isShown ? draw(context, sides, limitOf(found)) : nothing);
  return html`<section class="hv-values" ?hidden=${!isShown}><h3 class="hv-heading">${context.words.say("ui.values")}</h3>
    <div class="hv-values-body">${guard([now, view.values, view.lang], drawn)}</div>
  </section>`;
}

/**
 * @param {hv.Context} context
 * @param {ReturnType<typeof side>[]} sides
 * @param {number} limit The number with the strongest color.
 */
function draw(context, sides, limit) {
  const there = sides.filter(({ items }) => items.length > 0);
  return html`${there.map(({ name, items }) =>
    drawSide(context, name, items.map(({ label, value }) => drawValue(context, label, value, limit))))}${
    difference(context, sides, limit)}`;
}

/**
 * @param {hv.Context} context
 * @param {string} name
 * @param {unknown} content
 */
function drawSide({ words }, name, content) {
  const heading = html`<h4 class="hv-values-name">${words.say(`ui.values.${name}`)}</h4>`;
  return html`<div class="hv-values-side hv-values-${name}">${heading}${content}</div>`;
}

/**
 * @param {string} name
 * @param {[string, number | null][]} places
 * @param {hv.View} view
 */
function side(name, places, view) {
  const items = places
    // What has a name and no value is said: that there was no `.grad` is what one wants to know.
    .filter(([label, place]) => (place === null ? label !== "" : view.values[place] !== undefined))
    .map(([label, place]) => ({ label, value: place === null ? NOTHING : view.values[place] }));
  return { name, items };
}

/**
 * @param {hv.Context} context
 * @param {string} label
 * @param {hv.StepValue} value
 * @param {number} limit
 */
function drawValue(context, label, value, limit) {
  const { words } = context;
  const name = label === "" ? nothing : html`<div class="hv-values-label" dir="auto">${label}</div>`;
  return html`<div class="hv-value">${name}${content()}</div>`;

  function content() {
    if (value.rows !== undefined && value.levels !== undefined) return drawTable(value, limit);
    if (!value.grid) return html`<div class="hv-values-text" dir="auto">${words.format(value.text)}</div>`;
    const picture = drawGrid(gridCells(value), value.columns, words.say("ui.values.grid", { shape: value.shape }), limit);
    return [picture, drawHistogram(context, value), drawFigures(context, value)];
  }
}

/**
 * @param {hv.StepValue} value
 * @param {number} limit
 */
function drawTable({ rows = [], levels = [] }, limit) {
  const cells = rows.map((row, y) => html`<tr>${row.map((text, x) =>
    html`<td style="--hv-cell: ${cellColor(levels[y]?.[x] ?? null, limit)}">${text}</td>`)}</tr>`);
  return html`<div class="hv-value-scroll" tabindex="0"><table class="hv-value-table"><tbody>${cells}</tbody></table></div>`;
}

/**
 * @param {(number | null)[]} cells
 * @param {number} columns
 * @param {string} name
 * @param {number} limit
 */
function drawGrid(cells, columns, name, limit) {
  const rows = Math.ceil(cells.length / columns);
  const side = Math.min(CELLS.largest, Math.max(CELLS.smallest, Math.floor(CELLS.width / columns)));
  return html`<svg class="hv-value-grid" viewBox="0 0 ${columns} ${rows}" width=${columns * side} height=${rows * side} role="img"
    aria-label=${name} shape-rendering="crispEdges">${cells.map((level, place) => svg`<rect x=${place % columns}
    y=${Math.floor(place / columns)} width="1" height="1" class=${level === null ? "hv-not-finite" : nothing}
    style="--hv-cell: ${cellColor(level, limit)}"></rect>`)}</svg>`;
}

/**
 * @param {hv.Context} context
 * @param {hv.StepValue} value
 */
function drawHistogram({ words }, { histogram, minimum, maximum }) {
  if (histogram.length === 0) return nothing;
  const highest = Math.max(...histogram, 1);
  const width = BARS.width / histogram.length;
  return html`<div class="hv-value-bars"><svg class="hv-value-histogram" viewBox="0 0 ${BARS.width} ${BARS.height}" width=${BARS.width}
    height=${BARS.height} role="img" aria-label=${words.say("ui.values.histogram", { low: minimum, high: maximum })}>${
    histogram.map((count, place) => {
      const height = (count / highest) * (BARS.height - 2);
      return svg`<rect x=${place * width + 0.5} y=${BARS.height - height} width=${width - 1} height=${height}></rect>`;
    })}</svg><div class="hv-value-ends"><span>${minimum}</span><span>${maximum}</span></div></div>`;
}

/**
 * @param {hv.Context} context
 * @param {hv.StepValue} value
 */
function drawFigures({ words }, value) {
  return html`<dl class="hv-value-figures">${FIGURES.map((name) => {
    const figure = String(value[/** @type {"mean"} */ (name)] ?? "");
    const isNothing = figure === "" || (figure === "0" && COUNTS.has(name));
    return isNothing ? nothing : html`<div><dt>${words.say(`ui.values.${name}`)}</dt><dd>${figure}</dd></div>`;
  })}</dl>`;
}

/**
 * Where a value of one place became another of the same shape: the difference, in colors only. No
 * number stands there, since none was recorded.
 *
 * @param {hv.Context} context
 * @param {ReturnType<typeof side>[]} sides
 * @param {number} limit
 */
function difference(context, sides, limit) {
  const [before, after] = sides.map(({ items }) => (items.length === 1 ? items[0].value : null));
  if (!before || !after || before.shape !== after.shape || before.shape === SCALAR) return nothing;
  const [one, other] = [levelsOf(before), levelsOf(after)];
  const columns = before.grid ? before.columns : (before.levels?.[0]?.length ?? 0);
  if (one.length !== other.length || one.length === 0 || columns === 0) return nothing;
  const cells = one.map((level, place) => {
    const now = other[place];
    return level === null || now === null ? null : now - level;
  });
  if (cells.every((cell) => cell === 0)) return nothing;
  return drawSide(context, "difference", drawGrid(cells, columns, context.words.say("ui.values.difference"), limit));
}

/** @param {hv.StepValue} value */
function levelsOf(value) {
  return value.grid ? gridCells(value) : (value.levels ?? []).flat();
}
