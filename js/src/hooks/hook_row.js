/** Draw one hook of a chain: its place, its label, what it did, and its buttons. */

import { html } from "lit-html";
import { needsKernel } from "../dom/needs_kernel.js";
import { iconButton } from "../dom/template.js";
import { isRewriting } from "../state/rewriting.js";
import { isChangeable } from "../state/target.js";

/** How a forward hook may have been registered; names of PyTorch, so the same in every language. */
const FLAGS = /** @type {const} */ (["with_kwargs", "always_call"]);

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {hv.Target} target
 * @param {hv.Hook} hook
 * @param {object} more
 * @param {number} more.number Place in the chain as shown, from 1.
 * @param {boolean} more.isChosen Whether its source is in the text box.
 * @param {(id: string) => void} more.choose
 */
export function hookRow(context, view, target, hook, { number, isChosen, choose }) {
  const { words } = context;
  const did = view.frames.value(view.shownKey, `hook:${hook.id}`, view.step);
  const state = words.format(view.frames.value(view.shownKey, `hook-state:${hook.id}`, view.step)) || "pending";
  const title = [hook.label, where(hook, words)].filter(Boolean).join("\n");
  return html`<li class="hv-hook-item"><div class="hv-chain-row" role="group" aria-label=${hook.label} data-hv-hook=${hook.id}
    data-hv-state=${hook.enabled ? state : "off"} ?data-hv-rewrote=${isRewriting(did)}>
    <button type="button" class="hv-hook-choose" aria-pressed=${isChosen} title=${title} @click=${() => choose(hook.id)}><span
      class="hv-badge">${number}</span><bdi class="hv-hook-label">${hook.label}</bdi></button>
    <span class="hv-hook-buttons">${buttons(context, view, target, hook)}</span>
    <span class="hv-hook-facts"><bdi class="hv-hook-did">${words.format(did)}</bdi><span
      class="hv-hook-kind">${kindOf(hook, words)}</span></span></div></li>`;
}

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {hv.Target} target
 * @param {hv.Hook} hook
 */
function buttons({ words, actions }, { live, saved, busy }, target, hook) {
  const isFixed = !isChangeable(target, hook);
  const same = target.hooks.filter(({ kind }) => kind === hook.kind);
  const place = same.indexOf(hook);
  return [
    button("power", hook.enabled ? "ui.turn_off" : "ui.turn_on", true, { action: hook.enabled ? "disable" : "enable" }),
    button("up", "ui.move_up", place > 0, { action: "move", position: place - 1 }),
    button("down", "ui.move_down", place < same.length - 1, { action: "move", position: place + 1 }),
    button("remove", "ui.remove_hook", true, { action: "remove" }),
  ];

  /**
   * @param {string} sign
   * @param {string} key
   * @param {boolean} isPossible
   * @param {{action: string, position?: number}} request
   */
  function button(sign, key, isPossible, request) {
    const name = words.say(key);
    const isOff = !live || isFixed;
    const why = live ? words.say("ui.hooks.not_editable") : needsKernel(words, saved, name);
    return iconButton(sign, name, () => actions.send({ ...request, hook: hook.id }), {
      look: "hv-quiet", isOff, isPossible: isPossible && !busy && !isOff, title: isOff ? why : name,
    });
  }
}

/**
 * @param {hv.Hook} hook
 * @param {import("../dom/words.js").Words} words
 */
function kindOf(hook, words) {
  // Those of a module stand below the name of their kind.
  if (hook.kind.startsWith("module_")) return FLAGS.filter((flag) => hook[flag]).join(", ");
  return hook.kind === "tensor_hook" ? "" : words.say(`ui.hooks.kind.${hook.kind}`);
}

/**
 * @param {hv.Hook} hook
 * @param {import("../dom/words.js").Words} words
 */
function where(hook, words) {
  if (hook.origin === "explorer") return words.say("ui.hooks.explorer");
  return hook.location ? words.say("ui.hooks.location", { location: hook.location }) : words.say("ui.hooks.user");
}
