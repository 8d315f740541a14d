/** Show the values of the current step: tables of small ones, pictures and figures of large ones. */

import { make, setText } from "../dom/dom.js";
import { cellColor, gridCells, limitOf } from "./color_scale.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").StepValue} StepValue */
/** @typedef {import("../types.js").Context} Context */

const SVG = "http://www.w3.org/2000/svg";
/** Side of a cell in a picture: as large as fits, within what looks like a picture. */
const CELLS = { smallest: 9, largest: 18, width: 144 };
const BARS = { width: 144, height: 46 };
const FIGURES = ["minimum", "maximum", "mean", "std", "norm", "zeros", "nans", "infs"];
/** Counts are only said where there is something to count. */
const COUNTS = new Set(["nans", "infs"]);
/** Stands where there is no value. */
const NOTHING = /** @type {StepValue} */ ({ shape: "[]", dtype: "", text: { key: "value.none" } });
/** A single number says all in the sentence above. */
const SCALAR = "[]";

/**
 * @param {Context} context
 * @returns {import("../types.js").Part}
 */
export function createValues(context) {
  const { document, words } = context;
  const heading = make(document, "h3", "hv-heading");
  const body = make(document, "div", "hv-values-body");
  const element = make(document, "section", "hv-values", {}, [heading, body]);

  return {
    element,
    update(view, before) {
      const now = view.steps[view.step]?.values ?? null;
      const sides = now === null ? [] : [side("before", now.before, view), side("after", now.after, view)];
      const found = sides.flatMap(({ items }) => items.map(({ value }) => value));
      element.hidden = !found.some((value) => value.shape !== SCALAR);
      if (element.hidden) {
        body.replaceChildren();
        return;
      }
      setText(heading, words.say("ui.values"));
      const isOld = before !== null && before.step === view.step && before.steps === view.steps
        && before.values === view.values && before.lang === view.lang;
      if (isOld) return;
      const limit = limitOf(found);
      body.replaceChildren(
        ...sides.filter(({ items }) => items.length > 0).map(({ name, items }) =>
          make(document, "div", `hv-values-side hv-values-${name}`, {}, [
            make(document, "h4", "hv-values-name", {}, [words.say(`ui.values.${name}`)]),
            ...items.map(({ label, value }) => drawValue(context, label, value, limit)),
          ])),
        ...difference(context, sides, limit),
      );
    },
  };
}

/**
 * @param {string} name
 * @param {[string, number | null][]} places
 * @param {View} view
 */
function side(name, places, view) {
  const items = places
    // What has a name and no value is said: that there was no `.grad` is what one wants to know.
    .filter(([label, place]) => (place === null ? label !== "" : view.values[place] !== undefined))
    .map(([label, place]) => ({ label, value: place === null ? NOTHING : view.values[place] }));
  return { name, items };
}

/**
 * @param {Context} context
 * @param {string} label
 * @param {StepValue} value
 * @param {number} limit The number with the strongest color.
 */
function drawValue(context, label, value, limit) {
  const { document, words } = context;
  const parts = [];
  if (label !== "") parts.push(make(document, "div", "hv-values-label", { dir: "auto" }, [label]));
  if (value.rows !== undefined && value.levels !== undefined) {
    parts.push(drawTable(document, value, limit));
  } else if (value.grid) {
    parts.push(drawGrid(context, value, limit));
    if (value.histogram.length > 0) parts.push(drawHistogram(context, value));
    parts.push(drawFigures(context, value));
  } else {
    parts.push(make(document, "div", "hv-values-text", { dir: "auto" }, [words.format(value.text)]));
  }
  return make(document, "div", "hv-value", {}, parts);
}

/**
 * @param {Document} document
 * @param {StepValue} value
 * @param {number} limit
 */
function drawTable(document, value, limit) {
  const rows = (value.rows ?? []).map((row, y) =>
    make(document, "tr", "", {}, row.map((text, x) => {
      const cell = make(document, "td", "", {}, [text]);
      const color = cellColor((value.levels ?? [])[y]?.[x] ?? null, limit);
      cell.style.setProperty("--hv-cell", color);
      return cell;
    })));
  const table = make(document, "table", "hv-value-table", {}, [make(document, "tbody", "", {}, rows)]);
  return make(document, "div", "hv-value-scroll", { tabindex: "0" }, [table]);
}

/**
 * @param {Context} context
 * @param {StepValue} value
 * @param {number} limit
 */
function drawGrid({ document, words }, value, limit) {
  const cells = gridCells(value);
  const rows = Math.ceil(cells.length / value.columns);
  const side = cellSide(value.columns);
  const svg = svgElement(document, "svg", {
    class: "hv-value-grid",
    viewBox: `0 0 ${value.columns} ${rows}`,
    width: String(value.columns * side),
    height: String(rows * side),
    role: "img",
    "aria-label": words.say("ui.values.grid", { shape: value.shape }),
    "shape-rendering": "crispEdges",
  });
  cells.forEach((level, place) => {
    svg.append(svgElement(document, "rect", {
      x: String(place % value.columns), y: String(Math.floor(place / value.columns)), width: "1", height: "1",
      class: level === null ? "hv-not-finite" : "",
      style: `--hv-cell: ${cellColor(level, limit)}`,
    }));
  });
  return svg;
}

/**
 * @param {Context} context
 * @param {StepValue} value
 */
function drawHistogram({ document, words }, value) {
  const highest = Math.max(...value.histogram, 1);
  const width = BARS.width / value.histogram.length;
  const svg = svgElement(document, "svg", {
    class: "hv-value-histogram", viewBox: `0 0 ${BARS.width} ${BARS.height}`, width: String(BARS.width),
    height: String(BARS.height), role: "img",
    "aria-label": words.say("ui.values.histogram", { low: value.minimum, high: value.maximum }),
  });
  value.histogram.forEach((count, place) => {
    const height = (count / highest) * (BARS.height - 2);
    svg.append(svgElement(document, "rect", {
      x: String(place * width + 0.5), y: String(BARS.height - height), width: String(width - 1), height: String(height),
    }));
  });
  const ends = make(document, "div", "hv-value-ends", {}, [
    make(document, "span", "", {}, [value.minimum]), make(document, "span", "", {}, [value.maximum]),
  ]);
  return make(document, "div", "hv-value-bars", {}, [svg, ends]);
}

/**
 * @param {Context} context
 * @param {StepValue} value
 */
function drawFigures({ document, words }, value) {
  const list = make(document, "dl", "hv-value-figures");
  const facts = { shape: value.shape, dtype: value.dtype };
  const named = [...Object.entries(facts), ...FIGURES.map((name) => [name, value[/** @type {"mean"} */ (name)]])];
  for (const [name, figure] of named) {
    const isNothing = figure === undefined || figure === ""
      || (String(figure) === "0" && COUNTS.has(String(name)));
    if (isNothing) continue;
    list.append(make(document, "div", "", {}, [
      make(document, "dt", "", {}, [words.say(`ui.values.${name}`)]),
      make(document, "dd", "", {}, [String(figure)]),
    ]));
  }
  return list;
}

/**
 * Where a value of one place became another of the same shape: the difference, in colors only. No
 * number stands there, since none was recorded.
 *
 * @param {Context} context
 * @param {{items: {value: StepValue}[]}[]} sides
 * @param {number} limit
 */
function difference({ document, words }, sides, limit) {
  const [before, after] = sides.map(({ items }) => (items.length === 1 ? items[0].value : null));
  if (!before || !after || before.shape !== after.shape || before.shape === SCALAR) return [];
  const [one, other] = [levelsOf(before), levelsOf(after)];
  const columns = before.grid ? before.columns : (before.levels?.[0]?.length ?? 0);
  if (one.length !== other.length || one.length === 0 || columns === 0) return [];
  const cells = one.map((level, place) => {
    const now = other[place];
    return level === null || now === null ? null : now - level;
  });
  if (cells.every((cell) => cell === 0)) return [];
  const rows = Math.ceil(cells.length / columns);
  const side = cellSide(columns);
  const svg = svgElement(document, "svg", {
    class: "hv-value-grid", viewBox: `0 0 ${columns} ${rows}`, width: String(columns * side),
    height: String(rows * side), role: "img", "aria-label": words.say("ui.values.difference"),
    "shape-rendering": "crispEdges",
  });
  cells.forEach((level, place) => {
    svg.append(svgElement(document, "rect", {
      x: String(place % columns), y: String(Math.floor(place / columns)), width: "1", height: "1",
      class: level === null ? "hv-not-finite" : "", style: `--hv-cell: ${cellColor(level, limit)}`,
    }));
  });
  return [make(document, "div", "hv-values-side hv-values-difference", {}, [
    make(document, "h4", "hv-values-name", {}, [words.say("ui.values.difference")]), svg,
  ])];
}

/** @param {number} columns */
function cellSide(columns) {
  const { smallest, largest, width } = CELLS;
  return Math.min(largest, Math.max(smallest, Math.floor(width / columns)));
}

/** @param {StepValue} value */
function levelsOf(value) {
  return value.grid ? gridCells(value) : (value.levels ?? []).flat();
}

/**
 * @param {Document} document
 * @param {string} tag
 * @param {Record<string, string>} attributes
 */
function svgElement(document, tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== "") element.setAttribute(name, value);
  }
  return element;
}
