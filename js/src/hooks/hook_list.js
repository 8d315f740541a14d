/** List the hooks of a tensor or a module, each kind in the order in which its hooks run. */

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { isModule } from "../state/target.js";
import { hookRow } from "./hook_row.js";

/**
 * @param {hv.Context} context
 * @param {hv.View} view
 * @param {hv.Target} target
 * @param {hv.Hook | null} now The one in the text box.
 * @param {(id: string) => void} choose
 */
export function hookList(context, view, target, now, choose) {
  // The tensor hooks and the later ones of a leaf are one group.
  const kinds = isModule(target) ? [...new Set(target.hooks.map(({ kind }) => kind))] : [""];
  return html`<div class="hv-hook-lists">${repeat(kinds, (kind) => kind, (kind) => {
    const hooks = target.hooks.filter((hook) => kind === "" || hook.kind === kind);
    const name = html`<h4 class="hv-hook-kind-name">${context.words.say(`ui.hooks.kind.${kind}`)}</h4>`;
    return html`${kind === "" ? nothing : name}<ol class="hv-hook-list">${repeat(hooks, ({ id }) => `${target.id} ${id}`, (hook, index) =>
        hookRow(context, view, target, hook, { number: index + 1, isChosen: hook === now, choose }))}</ol>`;
  })}</div>`;
}
