/** Keep the picture up to date: it is inserted once, then only states and texts change. */

import { cut } from "./cut.js";
import { make, setText } from "./dom.js";
import { createPanZoom } from "./panzoom.js";
import { isRewriting } from "./rewriting.js";
import { nameByContent } from "./spoken.js";
import { parseSvg } from "./svg.js";

/** @typedef {import("./types.js").View} View */
/** @typedef {import("./frames.js").Change} Change */

/**
 * @typedef {object} Drawn The elements of one tensor, node or edge; a leaf may be drawn many times.
 * @property {Element[]} groups
 * @property {Map<string, Element[]>} fields
 */

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part & {zoomButtons: HTMLElement, pan: (x: number, y: number) => void}}
 */
export function createPicture(context) {
  const { document, signal, words, actions } = context;
  const stage = make(document, "div", "hv-stage", {
    role: "group", "aria-keyshortcuts": "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown",
  });
  const panzoom = createPanZoom(context, stage);
  const missing = make(document, "p", "hv-empty");
  const element = make(document, "div", "hv-picture-box", {}, [stage, missing]);
  /** @type {SVGSVGElement | null} */
  let svg = null;
  /** @type {Map<string, Drawn>} */
  let drawn = new Map();
  /** @type {Set<Drawn>} What has changed since it was last named. */
  const changed = new Set();

  stage.addEventListener("click", (event) => {
    const card = /** @type {Element} */ (event.target).closest(".hv-card");
    actions.select(card?.getAttribute("data-hv-key") ?? "");
  }, { signal });
  stage.addEventListener("keydown", (event) => {
    const card = /** @type {Element} */ (event.target).closest(".hv-card");
    if (card === null || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    actions.select(card.getAttribute("data-hv-key") ?? "");
  }, { signal });
  stage.addEventListener("focusin", (event) => {
    const card = /** @type {Element} */ (event.target).closest(".hv-card");
    if (card !== null) panzoom.reveal(card);
  }, { signal });

  return { element, zoomButtons: panzoom.element, pan: panzoom.pan, update };

  /**
   * @param {View} view
   * @param {View | null} before
   */
  function update(view, before) {
    stage.setAttribute("aria-label", words.say("ui.graph"));
    panzoom.update();
    const isNew = !before || view.picture !== before.picture;
    if (isNew) insert(view.picture);
    if (isNew || view.frames !== before.frames || view.lang !== before.lang) {
      if (isNew || view.lang !== before?.lang) translate(view);
      for (const change of view.frames.all(view.step)) apply(change);
    } else {
      for (const change of view.frames.changes(before.step, view.step)) apply(change);
    }
    nameChanged();
    if (isNew || view.selected !== before?.selected) select(view.selected);
    if (isNew || view.step !== before.step || view.frames !== before.frames) follow(view);
  }

  /** @param {string} markup */
  function insert(markup) {
    const old = svg;
    svg = markup ? parseSvg(document, markup) : null;
    missing.hidden = svg !== null;
    stage.hidden = svg === null;
    setText(missing, words.say(markup ? "ui.error.no_picture" : "ui.empty"));
    stage.replaceChildren(...(svg === null ? [] : [svg]));
    drawn = svg === null ? new Map() : find(svg);
    if (svg !== null) panzoom.show(svg, old);
  }

  /** @param {Change} change */
  function apply({ key, field, value }) {
    const parts = drawn.get(key);
    if (parts === undefined) return;
    changed.add(parts);
    const text = words.format(value);
    if (field === "state") {
      for (const group of parts.groups) group.setAttribute("data-hv-state", text);
    } else if (field.startsWith("hook-state:")) {
      for (const row of parts.fields.get(field) ?? []) row.setAttribute("data-hv-state", text);
    } else {
      if (field === "rewritten") {
        for (const group of parts.groups) setFlag(group, "data-hv-rewritten", text !== "");
      }
      if (field.startsWith("hook:")) {
        for (const row of parts.fields.get(field.replace("hook:", "hook-state:")) ?? []) {
          setFlag(row, "data-hv-rewrote", isRewriting(value));
        }
      }
      for (const place of parts.fields.get(field) ?? []) write(place, text);
    }
  }

  /** @param {View} view */
  function translate(view) {
    for (const place of svg?.querySelectorAll("[data-hv-message]") ?? []) {
      const message = parseMessage(place.getAttribute("data-hv-message"));
      if (message !== null) write(place, words.format(message));
    }
    for (const card of svg?.querySelectorAll("[data-hv-label]") ?? []) {
      const message = parseMessage(card.getAttribute("data-hv-label"));
      if (message !== null) card.setAttribute("aria-label", words.format(message));
    }
    const root = view.tensors.find(({ role }) => role === "root");
    if (root) svg?.setAttribute("aria-label", words.say("picture.description", { tensor: root.label }));
  }

  function nameChanged() {
    for (const { groups } of changed) {
      for (const group of groups) {
        const message = parseMessage(group.getAttribute("data-hv-label"));
        if (message !== null) nameByContent(group, words.format(message));
      }
    }
    changed.clear();
  }

  /** @param {string} selected */
  function select(selected) {
    for (const card of svg?.querySelectorAll(".hv-card") ?? []) {
      const isSelected = selected !== "" && card.getAttribute("data-hv-key") === selected;
      card.setAttribute("aria-pressed", String(isSelected));
      setFlag(card, "data-hv-selected", isSelected);
    }
  }

  /** @param {View} view */
  function follow({ steps, step }) {
    const { tensor, node } = steps[step] ?? { tensor: "", node: "" };
    const place = cards(tensor)[0] ?? drawn.get(node)?.groups[0] ?? svg?.querySelector('[data-hv-role="root"]');
    if (place) panzoom.reveal(place);
  }

  /** @param {string} key */
  function cards(key) {
    return (drawn.get(key)?.groups ?? []).filter((group) => group.classList.contains("hv-card"));
  }
}

/**
 * Find the elements of every key once; looking them up at each step would be slow.
 *
 * @param {SVGSVGElement} svg
 */
function find(svg) {
  /** @type {Map<string, Drawn>} */
  const drawn = new Map();
  /**
   * @param {string | null} key
   * @returns {Drawn}
   */
  const of = (key) => {
    const parts = drawn.get(key ?? "") ?? { groups: [], fields: new Map() };
    drawn.set(key ?? "", parts);
    return parts;
  };
  /**
   * @param {Drawn} parts
   * @param {string} field
   * @param {Element} place
   */
  const add = ({ fields }, field, place) => fields.set(field, [...(fields.get(field) ?? []), place]);

  for (const group of svg.querySelectorAll("[data-hv-key]")) {
    const parts = of(group.getAttribute("data-hv-key"));
    parts.groups.push(group);
    for (const place of group.querySelectorAll("[data-hv-field]")) {
      add(parts, place.getAttribute("data-hv-field") ?? "", place);
    }
    for (const row of group.querySelectorAll("[data-hv-hook]")) {
      add(parts, `hook-state:${row.getAttribute("data-hv-hook")}`, row);
    }
  }
  // The stretch between a card and its function takes the state of the card.
  for (const feed of svg.querySelectorAll("[data-hv-feed]")) {
    of(feed.getAttribute("data-hv-feed")).groups.push(feed);
  }
  return drawn;
}

/**
 * @param {Element} place
 * @param {string} text
 */
function write(place, text) {
  const limit = Number(place.getAttribute("data-hv-cut") ?? Infinity);
  const line = oneLine(text);
  setText(place, cut(line, limit));
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {boolean} isSet
 */
function setFlag(element, name, isSet) {
  if (isSet) element.setAttribute(name, "true");
  else element.removeAttribute(name);
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ");
}

/**
 * @param {string | null} json
 * @returns {import("./types.js").Text | null}
 */
function parseMessage(json) {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}
