/** Show everything known about one tensor, or one call of a module, at the current step. */

import { iconButton, make, nameButton, setText } from "../dom/dom.js";
import { foldAt, foldFacts } from "../state/fold.js";
import { isModule } from "../state/target.js";
import { isWords } from "../state/said.js";

/** @typedef {import("../types.js").Text} Text */
/** @typedef {import("../types.js").Tensor} Tensor */
/** @typedef {import("../types.js").Module} Module */
/** @typedef {import("../types.js").View} View */
/** @typedef {[name: string, value: Text][]} Facts By the name of the row; rows without a text are not shown. */

/** Of a module, in the order in which they come to be known. */
const CALL_ROWS = ["input", "output", "grad_output", "grad_input"];
const ROWS = [
  "value", "incoming", "rewritten", "grad", "shape", "dtype", "device", "layout", "names", ...CALL_ROWS, "note",
  "repeated", "times", "inside",
];

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createInspector({ document, signal, words, actions }) {
  const heading = make(document, "h3", "hv-heading");
  const role = make(document, "span", "hv-chip");
  const call = make(document, "span", "hv-chip");
  const follows = make(document, "span", "hv-follows");
  const close = iconButton(document, "close", "hv-quiet");
  const empty = make(document, "p", "hv-empty");
  const list = make(document, "dl", "hv-facts");
  const notes = make(document, "p", "hv-order", { dir: "auto" });
  const tiles = new Map(ROWS.map((name) => [name, fact(document, list, name)]));
  const element = make(document, "section", "hv-inspector", {}, [
    make(document, "div", "hv-section-head", {}, [heading, role, call, follows, close]), empty, list, notes,
  ]);

  close.addEventListener("click", () => actions.select(""), { signal });

  return {
    element,
    update(view) {
      const target = view.shown;
      const fold = foldAt(view);
      for (const part of [heading, role, list]) part.hidden = target === null && fold === null;
      close.hidden = view.selected === "";
      follows.hidden = heading.hidden || view.selected !== "";
      setText(follows, words.say("ui.inspector.follows"));
      nameButton(close, words.say("ui.inspector.close"));
      if (fold !== null) {
        showFold(fold, view);
        return;
      }
      const which = target !== null && isModule(target) ? callOf(target, view) : null;
      call.hidden = which === null;
      setText(call, words.format(which));
      const facts = target === null ? [] : isModule(target) ? moduleFacts(view) : factsOf(target, view);
      const hasFacts = showFacts(facts);
      empty.hidden = target !== null && hasFacts;
      const hasAny = view.tensors.length + view.modules.length > 0;
      const none = hasAny ? "ui.inspector.empty" : "ui.inspector.nothing";
      setText(empty, words.say(target === null ? none : "ui.inspector.not_called"));
      const said = target !== null && isModule(target) ? (target.notes ?? []) : [];
      setText(notes, said.map((note) => words.format(note)).join(" "));
      notes.hidden = said.length === 0;
      if (target === null) return;
      const key = isModule(target) ? "ui.inspector.module" : "ui.inspector";
      setText(heading, words.say(key, isModule(target) ? { module: target.label } : { tensor: target.label }));
      heading.title = target.label;
      setText(role, isModule(target) ? target.type : words.say(roleKey(target)));
    },
  };

  /**
   * @param {import("../state/fold.js").Fold} fold
   * @param {View} view
   */
  function showFold(fold, view) {
    const { label, type, count } = fold.box;
    call.hidden = notes.hidden = empty.hidden = true;
    showFacts(foldFacts(fold, view));
    setText(heading, words.say("ui.inspector.box", { module: label }));
    heading.title = words.format(label);
    setText(role, count > 1 ? words.say("box.times", { type, count: String(count) }) : words.format(type));
  }

  /**
   * @param {Facts} facts
   * @returns {boolean} Whether there is any.
   */
  function showFacts(facts) {
    const values = new Map(facts);
    let shown = 0;
    for (const [name, { tile, term, detail }] of tiles) {
      const value = values.get(name);
      const text = words.format(value);
      tile.hidden = text === "";
      if (text !== "") shown += 1;
      // What the parameters of a hook are called has one name in every language.
      setText(term, name.startsWith("grad_") ? name : words.say(`ui.inspector.${name}`));
      setText(detail, text);
      detail.classList.toggle("hv-said", isWords(value));
    }
    return shown > 0;
  }
}

/**
 * The key of the words for a tensor's role.
 *
 * @param {Tensor} tensor
 */
export function roleKey(tensor) {
  const kept = tensor.retains_grad && tensor.role !== "leaf" ? "_retained" : "";
  return `role.${tensor.role.replace("-", "_")}${kept}`;
}

/**
 * @param {Tensor} tensor
 * @param {View} view
 * @returns {Facts}
 */
export function factsOf(tensor, { frames, step }) {
  /** @param {string} field */
  const now = (field) => frames.value(tensor.id, field, step);
  return [
    ["value", tensor.value],
    ["incoming", now("incoming") || now("flow")],
    ["rewritten", now("rewritten")],
    ["grad", now("grad")],
    ["shape", tensor.shape.length === 0 ? { key: "ui.inspector.scalar" } : `[${tensor.shape.join(", ")}]`],
    ["dtype", tensor.dtype],
    ["device", tensor.device === "cpu" ? "" : tensor.device],
    ["layout", tensor.layout === "strided" ? "" : tensor.layout],
    ["names", tensor.names.length > 1 ? tensor.names.join(", ") : ""],
    ["note", now("note")],
  ];
}

/**
 * @param {View} view
 * @returns {Facts}
 */
function moduleFacts({ frames, step, shownKey }) {
  return [...CALL_ROWS, "note"].map((name) => [name, frames.value(shownKey, name, step)]);
}

/**
 * @param {Module} module
 * @param {View} view
 * @returns {Text | null} Which of its calls is shown, if there are several.
 */
function callOf({ calls }, { shownKey }) {
  if (calls.length < 2) return null;
  const place = calls.indexOf(shownKey) + 1;
  return { key: "ui.inspector.call", args: { number: String(place), count: String(calls.length) } };
}

/**
 * @param {Document} document
 * @param {HTMLElement} list
 * @param {string} name
 */
function fact(document, list, name) {
  const term = make(document, "dt", "hv-term");
  const detail = make(document, "dd", `hv-detail hv-detail-${name}`, { dir: "auto" });
  const tile = make(document, "div", "hv-fact", {}, [term, detail]);
  list.append(tile);
  return { tile, term, detail };
}
