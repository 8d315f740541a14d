/** Keep the picture up to date: it is inserted once, then only states and texts change. */

import { markDifferences } from "./differences.js";
import { direction } from "./direction.js";
import { findDrawn, setFlag } from "./drawn.js";
import { createFind } from "./find.js";
import { findMerged, updateMerged } from "./merged.js";
import { createMinimap } from "./minimap.js";
import { createPanZoom } from "./panzoom.js";
import { focusAgain, focusedPlace } from "./picture_focus.js";
import { handlePicture } from "./picture_keys.js";
import { nameByContent } from "./spoken.js";
import { createToggles } from "./toggles.js";
import { writeCut } from "../dom/cut.js";
import { make, setText } from "../dom/dom.js";
import { parseSvg } from "../dom/svg.js";
import { isRewriting } from "../state/rewriting.js";
import { isWords } from "../state/said.js";
import { hasChanged } from "../state/view.js";

/** @typedef {import("../state/frames.js").Change} Change */

/**
 * @param {hv.Context} context
 * @returns {hv.Part & {tools: (view: hv.View) => unknown[], pan: (x: number, y: number) => void}}
 */
export function createPicture(context) {
  const { document, words } = context;
  const stage = make(document, "div", "hv-stage", {
    role: "group", "aria-keyshortcuts": "Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown",
  });
  const minimap = createMinimap(context, (x, y) => panzoom.center(x, y));
  const panzoom = createPanZoom(context, stage, minimap.move);
  const find = createFind(context, go);
  const toggles = createToggles(context);
  const missing = make(document, "p", "hv-empty");
  const element = make(document, "div", "hv-picture-box", {}, [stage, minimap.element, missing]);
  /** @type {SVGSVGElement | null} */
  let svg = null;
  /** @type {Map<string, import("./drawn.js").Drawn>} */
  let drawn = new Map();
  /** @type {ReturnType<typeof findMerged>} */
  let merged = new Map();
  /** @type {Set<import("./merged.js").Merged>} Arrows of which an edge has changed. */
  const stale = new Set();
  /** @type {hv.View | null} */
  let shown = null;
  /** @type {Element | undefined} The box inside which the current step happens, unseen. */
  let here;
  /** @type {Set<import("./drawn.js").Drawn>} What has changed since it was last named. */
  const changed = new Set();

  handlePicture(context, stage, { toggle: toggles.toggle, reveal: panzoom.reveal, idOf });

  return {
    element,
    tools: (view) => [find(view), toggles.buttons(view), direction(context, view), panzoom.buttons()],
    pan: panzoom.pan,
    update,
  };

  /**
   * @param {hv.View} view
   * @param {hv.View | null} before
   */
  function update(view, before) {
    shown = view;
    stage.setAttribute("aria-label", words.say("ui.graph"));
    const isNew = hasChanged(view, before, "picture");
    const isTranslated = isNew || hasChanged(view, before, "lang", "strings");
    if (isNew) insert(view, before);
    if (isTranslated) translate(view);
    const isOther = isTranslated || hasChanged(view, before, "frames");
    const changes = isOther ? view.frames.all(view.step) : view.frames.changes(before?.step ?? 0, view.step);
    for (const change of changes) apply(change);
    for (const arrow of stale) updateMerged(arrow, view.frames, view.step, (place, text) => write(place, words.format(text)));
    stale.clear();
    nameChanged();
    if (isTranslated || hasChanged(view, before, "live", "busy")) toggles.update(view);
    if (isNew || hasChanged(view, before, "selected")) select(view);
    if (svg !== null && (isNew || hasChanged(view, before, "comparison"))) markDifferences(svg, view.comparison);
    const isMoved = hasChanged(view, before, "step", "frames");
    if (isNew || isMoved) follow(view, isMoved || toggled(view, before) === undefined);
  }

  /**
   * @param {hv.View} view
   * @param {hv.View | null} before
   */
  function insert(view, before) {
    const old = svg;
    const place = focusedPlace(stage);
    const box = toggled(view, before);
    const anchor = panzoom.placeOf(firstOf(box));
    svg = view.picture ? parseSvg(document, view.picture) : null;
    missing.hidden = svg !== null;
    stage.hidden = svg === null;
    setText(missing, words.say(view.picture ? "ui.error.no_picture" : "ui.empty"));
    stage.replaceChildren(...(svg === null ? [] : [svg]));
    drawn = svg === null ? new Map() : findDrawn(svg);
    merged = svg === null ? new Map() : findMerged(svg);
    toggles.find(svg);
    if (svg === null) return;
    const [, , width, height] = (svg.getAttribute("viewBox") ?? "0 0 1 1").split(" ").map(Number);
    minimap.show(svg, { width, height });
    panzoom.show(svg, old, anchor, firstOf(box));
    if (place !== null) focusAgain(svg, place, view.boxes, box ?? "");
  }

  /** @param {Change} change */
  function apply({ key, field, value }) {
    for (const arrow of merged.get(key) ?? []) stale.add(arrow);
    const parts = drawn.get(key);
    if (parts === undefined) return;
    changed.add(parts);
    const text = words.format(value);
    const places = parts.fields.get(field) ?? [];
    if (field === "state" || field.startsWith("hook-state:")) {
      for (const item of field === "state" ? parts.groups : places) item.setAttribute("data-hv-state", text);
      return;
    }
    if (field === "rewritten") {
      for (const group of parts.groups) setFlag(group, "data-hv-rewritten", text !== "");
    }
    for (const row of parts.fields.get(field.replace(/^hook:/, "hook-state:")) ?? []) {
      if (field.startsWith("hook:")) setFlag(row, "data-hv-rewrote", isRewriting(value));
    }
    for (const place of places) {
      write(place, text);
      place.classList.toggle("hv-said", isWords(value));
    }
  }

  /** @param {hv.View} view */
  function translate(view) {
    for (const [place, message] of messages("data-hv-message")) write(place, words.format(message));
    for (const [tip, lines] of messages("data-hv-lines")) {
      if (Array.isArray(lines)) setText(tip, lines.map((line) => words.format(line)).join("\n"));
    }
    for (const [card, message] of messages("data-hv-label")) card.setAttribute("aria-label", words.format(message));
    const root = view.tensors.find(({ role }) => role === "root");
    if (root) svg?.setAttribute("aria-label", words.say("picture.description", { tensor: root.label }));
  }

  /**
   * @param {string} attribute
   * @returns {[Element, hv.Text][]} What of the picture depends on the language.
   */
  function messages(attribute) {
    return [...(svg?.querySelectorAll(`[${attribute}]`) ?? [])].flatMap((element) => {
      const message = parseMessage(element.getAttribute(attribute));
      return message === null ? [] : [[element, message]];
    });
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

  /** @param {hv.View} view */
  function select({ selected }) {
    for (const group of svg?.querySelectorAll(".hv-card, .hv-module[data-hv-module]") ?? []) {
      const ids = ["data-hv-key", "data-hv-module"].map((name) => group.getAttribute(name));
      const isSelected = selected !== "" && ids.includes(selected);
      group.setAttribute("aria-pressed", String(isSelected));
      setFlag(group, "data-hv-selected", isSelected);
    }
  }

  /**
   * Mark where the current step happens, and bring it into sight.
   *
   * @param {hv.View} view
   * @param {boolean} isRevealed
   */
  function follow({ steps, step, boxes }, isRevealed) {
    const { tensor, node, call = "" } = steps[step] ?? { tensor: "", node: "" };
    const own = cards(tensor)[0] ?? drawn.get(node)?.groups[0];
    // What happens inside a collapsed box is shown at the box.
    const id = own === undefined ? boxes.around(call).find((box) => firstOf(box) !== undefined) : undefined;
    here?.removeAttribute("data-hv-here");
    here = firstOf(id);
    here?.setAttribute("data-hv-here", "true");
    const place = own ?? here ?? svg?.querySelector('[data-hv-role="root"]');
    if (place && isRevealed) panzoom.reveal(place);
  }

  /**
   * A tensor, a module, or one call of a module that was called several times.
   *
   * @param {Element} group
   */
  function idOf(group) {
    const key = group.getAttribute("data-hv-key") ?? "";
    return shown?.boxes.get(key)?.number ? key : (group.getAttribute("data-hv-module") ?? key);
  }

  /**
   * Bring a tensor or a module into sight, or the innermost drawn box that it is in.
   *
   * @param {string} id
   * @param {string[]} boxes From the inside out.
   */
  function go(id, boxes) {
    const drawnModules = [...(svg?.querySelectorAll("[data-hv-module]") ?? [])];
    const ofModule = drawnModules.find((group) => group.getAttribute("data-hv-module") === id);
    const own = firstOf(id) ?? ofModule ?? firstOf(boxes[0]);
    const place = own ?? boxes.map(firstOf).find((group) => group !== undefined);
    if (place) panzoom.reveal(place);
    return own !== undefined;
  }

  /** @param {string} key */
  function cards(key) {
    return (drawn.get(key)?.groups ?? []).filter((group) => group.classList.contains("hv-card"));
  }

  /** @param {string | undefined} key */
  function firstOf(key) {
    return key === undefined ? undefined : drawn.get(key)?.groups[0];
  }
}

/**
 * The one box that was opened or closed between two views, if it was one.
 *
 * @param {hv.View} view
 * @param {hv.View | null} before
 * @returns {string | undefined}
 */
function toggled(view, before) {
  if (!before || view.expanded === before.expanded) return undefined;
  const now = new Set(view.expanded);
  const then = new Set(before.expanded);
  const changed = [...now].filter((id) => !then.has(id)).concat([...then].filter((id) => !now.has(id)));
  // Closing a box may close what is inside it too: it is the outermost of them.
  return changed.find((id) => changed.every((other) => view.boxes.around(other).includes(id)));
}

/**
 * @param {Element} place
 * @param {string} text
 */
function write(place, text) {
  const limit = place.getAttribute("data-hv-cut");
  if (limit === null) setText(place, oneLine(text));
  else writeCut(place, oneLine(text), Number(limit));
}

/** @param {string} text */
function oneLine(text) {
  return text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, " ");
}

/**
 * @param {string | null} json
 * @returns {hv.Text | null}
 */
function parseMessage(json) {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}
