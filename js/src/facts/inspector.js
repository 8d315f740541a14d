/** Show everything known about one tensor, or one call of a module, at the current step. */

import { html, nothing } from "lit-html";
import { iconButton } from "../dom/template.js";
import { foldAt, foldFacts } from "../state/fold.js";
import { isWords } from "../state/said.js";
import { isModule } from "../state/target.js";

/** @typedef {[name: string, value: hv.Text][]} Facts By the name of the row; rows without a text are not shown. */

/** Of a module, in the order in which they come to be known. */
const CALL_ROWS = ["input", "output", "grad_output", "grad_input"];

/**
 * @typedef {object} Shown
 * @property {string} heading
 * @property {string} name In full.
 * @property {string} role
 * @property {hv.Text | null} [call] Which of its calls is shown, if there are several.
 * @property {Facts} facts
 * @property {hv.Text[]} [notes]
 * @property {string} [none] What is said where there is not a single fact.
 */

/** @type {hv.Panel} */
export function inspector({ words, actions }, view) {
  const shown = shownIn(view);
  const facts = (shown?.facts ?? []).flatMap(([name, value]) => {
    const text = words.format(value);
    return text === "" ? [] : [{ name, text, isSaid: isWords(value) }];
  });
  const hasAny = view.tensors.length + view.modules.length > 0;
  const none = shown === null ? words.say(hasAny ? "ui.inspector.empty" : "ui.inspector.nothing") : (shown.none ?? "");
  const notes = (shown?.notes ?? []).map((note) => words.format(note)).join(" ");
  const call = words.format(shown?.call);
  return html`<section class="hv-inspector">
    <div class="hv-section-head">
      <h3 class="hv-heading" title=${shown?.name ?? nothing} ?hidden=${shown === null}>${shown?.heading}</h3>
      <span class="hv-chip" ?hidden=${shown === null}>${shown?.role}</span>
      <span class="hv-chip" ?hidden=${call === ""}>${call}</span>
      <span class="hv-follows" ?hidden=${shown === null || view.selected !== ""}>${words.say("ui.inspector.follows")}</span>
      ${iconButton("close", words.say("ui.inspector.close"), () => actions.select(""), {
        look: "hv-quiet", isHidden: view.selected === "",
      })}
    </div>
    <p class="hv-empty" ?hidden=${none === "" || facts.length > 0}>${none}</p>
    <dl class="hv-facts" ?hidden=${shown === null}>${facts.map(({ name, text, isSaid }) => html`<div class="hv-fact"><dt
      class="hv-term">${/* What the parameters of a hook are called has one name in every language. */
      name.startsWith("grad_") ? name : words.say(`ui.inspector.${name}`)}</dt><dd
      class="hv-detail hv-detail-${name} ${isSaid ? "hv-said" : ""}" dir="auto">${text}</dd></div>`)}</dl>
    <p class="hv-order" dir="auto" ?hidden=${notes === ""}>${notes}</p>
  </section>`;

  /**
   * @param {hv.View} view
   * @returns {Shown | null}
   */
  function shownIn(view) {
    const fold = foldAt(view);
    if (fold !== null) {
      const { label, type, count } = fold.box;
      return {
        heading: words.say("ui.inspector.box", { module: label }),
        name: words.format(label),
        role: count > 1 ? words.say("box.times", { type, count: String(count) }) : words.format(type),
        facts: foldFacts(fold, view),
      };
    }
    const target = view.shown;
    if (target === null) return null;
    const { label: name } = target;
    if (!isModule(target)) {
      const heading = words.say("ui.inspector", { tensor: name });
      return { heading, name, role: words.say(roleKey(target)), facts: factsOf(target, view) };
    }
    return {
      heading: words.say("ui.inspector.module", { module: name }),
      name,
      role: target.type,
      call: callOf(target, view),
      facts: [...CALL_ROWS, "note"].map((row) => [row, view.frames.value(view.shownKey, row, view.step)]),
      notes: target.notes,
      none: words.say("ui.inspector.not_called"),
    };
  }
}

/**
 * The key of the words for a tensor's role.
 *
 * @param {hv.Tensor} tensor
 */
function roleKey(tensor) {
  const kept = tensor.retains_grad && tensor.role !== "leaf" ? "_retained" : "";
  return `role.${tensor.role.replace("-", "_")}${kept}`;
}

/**
 * @param {hv.Tensor} tensor
 * @param {hv.View} view
 * @returns {Facts}
 */
function factsOf(tensor, { frames, step }) {
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
 * @param {hv.Module} module
 * @param {hv.View} view
 * @returns {hv.Text | null} Which of its calls is shown, if there are several.
 */
function callOf({ calls }, { shownKey }) {
  if (calls.length < 2) return null;
  const place = calls.indexOf(shownKey) + 1;
  return { key: "ui.inspector.call", args: { number: String(place), count: String(calls.length) } };
}
