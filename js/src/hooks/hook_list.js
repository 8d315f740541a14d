/** List the hooks of a tensor or a module, each kind in the order in which its hooks run. */

import { make, setText } from "../dom/dom.js";
import { createHookRow } from "./hook_row.js";
import { isRewriting } from "../state/rewriting.js";
import { isChangeable, isModule } from "../state/target.js";

/** @typedef {import("../types.js").Hook} Hook */
/** @typedef {import("./hook_row.js").HookRow} HookRow */
/** @typedef {{heading: HTMLElement, list: HTMLElement}} Group */

/**
 * @param {import("../types.js").Context} context
 * @param {(id: string) => void} onChoose
 */
export function createHookList(context, onChoose) {
  const { document, words } = context;
  const element = make(document, "div", "hv-hook-lists");
  /** @type {Map<string, HookRow>} By id of the hook. */
  let rows = new Map();
  /** @type {Map<string, Group>} By kind; the tensor hooks and the later ones of a leaf are one group. */
  let groups = new Map();

  return { element, update, hasFocus: () => element.querySelector(":focus") !== null };

  /**
   * @param {import("../types.js").View} view
   * @param {import("../types.js").Target} target
   * @param {Hook | null} now The one in the text box.
   */
  function update(view, target, now) {
    const before = { rows, groups };
    const kinds = isModule(target) ? [...new Set(target.hooks.map(({ kind }) => kind))] : [""];
    rows = new Map(target.hooks.map((hook) => [
      hook.id, before.rows.get(hook.id) ?? createHookRow(context, onChoose),
    ]));
    groups = new Map(kinds.map((kind) => [kind, before.groups.get(kind) ?? createGroup()]));
    replace(element, [...groups.values()].flatMap(({ heading, list }) => [heading, list]));
    for (const [kind, { heading, list }] of groups) {
      heading.hidden = kind === "";
      setText(heading, kind === "" ? "" : words.say(`ui.hooks.kind.${kind}`));
      const own = target.hooks.filter((hook) => kind === "" || hook.kind === kind);
      replace(list, own.flatMap(({ id }) => rows.get(id)?.element ?? []));
      own.forEach((hook, index) => draw(view, target, hook, index, hook === now));
    }
  }

  /**
   * @param {import("../types.js").View} view
   * @param {import("../types.js").Target} target
   * @param {Hook} hook
   * @param {number} index Its place in its list.
   * @param {boolean} chosen
   */
  function draw({ frames, step, shownKey, live, saved, busy }, target, hook, index, chosen) {
    const did = frames.value(shownKey, `hook:${hook.id}`, step);
    const same = target.hooks.filter((other) => other.kind === hook.kind);
    rows.get(hook.id)?.update(hook, {
      number: index + 1,
      place: same.indexOf(hook),
      last: same.length - 1,
      did: words.format(did),
      rewrote: isRewriting(did),
      state: words.format(frames.value(shownKey, `hook-state:${hook.id}`, step)) || "pending",
      chosen,
      fixed: !isChangeable(target, hook),
      live,
      saved,
      busy,
    });
  }

  /** @returns {Group} */
  function createGroup() {
    return { heading: make(document, "h4", "hv-hook-kind-name"), list: make(document, "ol", "hv-hook-list") };
  }
}

/**
 * Elements that stay where they are keep the focus.
 *
 * @param {HTMLElement} parent
 * @param {Element[]} wanted
 */
function replace(parent, wanted) {
  const isSame = wanted.length === parent.children.length && wanted.every((item, i) => item === parent.children[i]);
  if (!isSame) parent.replaceChildren(...wanted);
}
