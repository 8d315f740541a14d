/** Show everything known about one tensor at the current step. */

import { iconButton, make, nameButton, setText } from "./dom.js";

/** @typedef {import("./types.js").Text} Text */
/** @typedef {import("./types.js").Tensor} Tensor */
/** @typedef {import("./types.js").View} View */

const ROWS = ["value", "incoming", "rewritten", "grad", "shape", "dtype", "device", "layout", "names", "note"];

/**
 * @param {import("./types.js").Context} context
 * @returns {import("./types.js").Part}
 */
export function createInspector({ document, signal, words, actions }) {
  const heading = make(document, "h3", "hv-heading");
  const role = make(document, "span", "hv-chip");
  const follows = make(document, "span", "hv-follows");
  const close = iconButton(document, "close", "hv-quiet");
  const empty = make(document, "p", "hv-empty");
  const list = make(document, "dl", "hv-facts");
  const facts = new Map(ROWS.map((name) => [name, fact(document, list, name)]));
  const element = make(document, "section", "hv-inspector", {}, [
    make(document, "div", "hv-section-head", {}, [heading, role, follows, close]), empty, list,
  ]);

  close.addEventListener("click", () => actions.select(""), { signal });

  return {
    element,
    update(view) {
      const tensor = view.shown;
      for (const part of [heading, role, list]) part.hidden = tensor === null;
      close.hidden = view.selected === "";
      follows.hidden = tensor === null || view.selected !== "";
      empty.hidden = tensor !== null;
      setText(empty, words.say("ui.inspector.empty"));
      setText(follows, words.say("ui.inspector.follows"));
      nameButton(close, words.say("ui.inspector.close"));
      if (tensor === null) return;
      setText(heading, words.say("ui.inspector", { tensor: tensor.label }));
      heading.title = tensor.label;
      setText(role, words.say(roleKey(tensor)));
      const values = factsOf(tensor, view);
      for (const [name, { tile, term, detail }] of facts) {
        const value = values.get(name);
        const text = words.format(value);
        tile.hidden = text === "";
        setText(term, words.say(`ui.inspector.${name}`));
        setText(detail, text);
        detail.classList.toggle("hv-said", isWords(value));
      }
    },
  };
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
 * @returns {Map<string, Text>} By the name of the row; rows without a text are not shown.
 */
export function factsOf(tensor, { frames, step }) {
  /** @param {string} field */
  const now = (field) => frames.value(tensor.id, field, step);
  return new Map(/** @type {[string, Text][]} */ ([
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
  ]));
}

/**
 * Words that stand where a number would: "not computed yet", "None: never reached".
 *
 * @param {Text | undefined} value
 */
function isWords(value) {
  if (typeof value !== "object" || Array.isArray(value)) return false;
  return /^(flow|grad|note)\.|^value\.none$/.test(value.key);
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
