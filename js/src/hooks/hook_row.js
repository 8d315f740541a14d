/** Draw one hook of a chain: its place, its label, what it did, and its buttons. */

import { iconButton, make, nameButton, setText } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";

/** @typedef {import("../types.js").Hook} Hook */

/** How a forward hook may have been registered; names of PyTorch, so the same in every language. */
const FLAGS = /** @type {const} */ (["with_kwargs", "always_call"]);

/**
 * @typedef {object} HookRow
 * @property {HTMLElement} element
 * @property {HTMLButtonElement} choose
 * @property {(hook: Hook, state: HookRowState) => void} update
 *
 * @typedef {object} HookRowState
 * @property {number} number Place in the chain as shown, from 1.
 * @property {number} place Place among the hooks of the same kind, from 0.
 * @property {number} last The last place among the hooks of the same kind.
 * @property {string} did What it did up to the current step.
 * @property {boolean} rewrote Whether that changed anything.
 * @property {string} state
 * @property {boolean} chosen Whether its source is in the text box.
 * @property {boolean} fixed Whether it cannot be changed here at all.
 * @property {boolean} live
 * @property {boolean} saved Whether this is a page that was saved.
 * @property {boolean} busy
 */

/**
 * @param {import("../types.js").Context} context
 * @param {(id: string) => void} onChoose
 * @returns {HookRow}
 */
export function createHookRow({ document, signal, words, actions }, onChoose) {
  const number = make(document, "span", "hv-badge");
  const label = make(document, "bdi", "hv-hook-label");
  const choose = make(document, "button", "hv-hook-choose", { type: "button" }, [number, label]);
  const did = make(document, "bdi", "hv-hook-did");
  const kind = make(document, "span", "hv-hook-kind");
  const buttons = {
    power: iconButton(document, "power", "hv-quiet"),
    up: iconButton(document, "up", "hv-quiet"),
    down: iconButton(document, "down", "hv-quiet"),
    remove: iconButton(document, "remove", "hv-quiet"),
  };
  const group = make(document, "div", "hv-chain-row", { role: "group" }, [
    choose,
    make(document, "span", "hv-hook-buttons", {}, Object.values(buttons)),
    make(document, "span", "hv-hook-facts", {}, [did, kind]),
  ]);
  const element = make(document, "li", "hv-hook-item", {}, [group]);
  let id = "";
  let enabled = true;
  let place = 0;

  choose.addEventListener("click", () => onChoose(id), { signal });
  listen(buttons.power, () => actions.send({ action: enabled ? "disable" : "enable", hook: id }));
  listen(buttons.up, () => actions.send({ action: "move", hook: id, position: place - 1 }));
  listen(buttons.down, () => actions.send({ action: "move", hook: id, position: place + 1 }));
  listen(buttons.remove, () => actions.send({ action: "remove", hook: id }));

  return {
    element,
    choose,
    update(hook, state) {
      ({ id, enabled } = hook);
      place = state.place;
      group.setAttribute("aria-label", hook.label);
      group.dataset.hvHook = hook.id;
      group.dataset.hvState = hook.enabled ? state.state : "off";
      group.toggleAttribute("data-hv-rewrote", state.rewrote);
      setText(number, String(state.number));
      setText(label, hook.label);
      setText(did, state.did);
      setText(kind, kindOf(hook, words));
      choose.setAttribute("aria-pressed", String(state.chosen));
      choose.title = [hook.label, where(hook, words)].filter(Boolean).join("\n");
      nameButton(buttons.power, words.say(hook.enabled ? "ui.turn_off" : "ui.turn_on"));
      nameButton(buttons.up, words.say("ui.move_up"));
      nameButton(buttons.down, words.say("ui.move_down"));
      nameButton(buttons.remove, words.say("ui.remove_hook"));
      const possible = { power: true, up: place > 0, down: place < state.last, remove: true };
      for (const [name, button] of Object.entries(buttons)) {
        button.disabled = !state.live || state.fixed;
        const may = possible[/** @type {keyof typeof possible} */ (name)] && !state.busy && !button.disabled;
        button.setAttribute("aria-disabled", String(!may));
        if (!state.live) button.title = needsKernel(words, state.saved, button.title);
        else if (state.fixed) button.title = words.say("ui.hooks.not_editable");
      }
    },
  };

  /**
   * @param {HTMLButtonElement} button
   * @param {() => void} act
   */
  function listen(button, act) {
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") act();
    }, { signal });
  }
}

/**
 * @param {Hook} hook
 * @param {import("../dom/words.js").Words} words
 */
function kindOf(hook, words) {
  // Those of a module stand below the name of their kind.
  if (hook.kind.startsWith("module_")) return FLAGS.filter((flag) => hook[flag]).join(", ");
  return hook.kind === "tensor_hook" ? "" : words.say(`ui.hooks.kind.${hook.kind}`);
}

/**
 * @param {Hook} hook
 * @param {import("../dom/words.js").Words} words
 */
function where(hook, words) {
  if (hook.origin === "explorer") return words.say("ui.hooks.explorer");
  return hook.location ? words.say("ui.hooks.location", { location: hook.location }) : words.say("ui.hooks.user");
}
