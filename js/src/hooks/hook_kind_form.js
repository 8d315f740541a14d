/** Choose of what kind a hook is that is about to be added to a module. */

import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { select } from "../dom/template.js";
import { inOrder, sourceOf, takesKwargs, usualOf } from "../state/hook_kinds.js";

/** @typedef {{kind: string, with_kwargs: boolean}} Asked */

/** @param {hv.Context} context */
export function createHookKindForm({ words, redraw }) {
  /** @type {Map<string, Asked>} By module: what was chosen, whether or not the module can have it now. */
  const chosen = new Map();
  const none = { kind: "", with_kwargs: false };

  return {
    asked,
    /** @param {hv.Module} module */
    source(module) {
      const { kind, with_kwargs: withKwargs } = asked(module);
      return sourceOf(kind, withKwargs);
    },
    /** @param {hv.Module | null} module `null` where no kind has to be chosen. */
    draw(module) {
      if (module === null) return nothing;
      const { id, kinds } = module;
      const now = asked(module);
      const isPlain = !takesKwargs(now.kind);
      const choices = inOrder(kinds).map((kind) => ({ value: kind, text: words.say(`ui.hooks.kind.${kind}`) }));
      const check = (/** @type {any} */ event) => choose(id, { with_kwargs: event.target.checked });
      return html`<div class="hv-kind-form">
        <label class="hv-field"><span class="hv-field-name">${words.say("ui.hook_kind")}</span>${
          select("", choices, now.kind, (kind) => choose(id, { kind }))}</label>
        <label class="hv-check" ?data-hv-disabled=${isPlain}><input type="checkbox" .checked=${live(now.with_kwargs)}
          ?disabled=${isPlain} @change=${check}><span class="hv-code-word">with_kwargs</span></label>
      </div>`;
    },
  };

  /**
   * @param {hv.Module} module
   * @returns {Asked}
   */
  function asked({ id, kinds }) {
    const { kind, with_kwargs: withKwargs } = chosen.get(id) ?? none;
    const now = kinds.includes(kind) ? kind : usualOf(kinds);
    return { kind: now, with_kwargs: withKwargs && takesKwargs(now) };
  }

  /**
   * @param {string} id
   * @param {Partial<Asked>} change
   */
  function choose(id, change) {
    chosen.set(id, { ...(chosen.get(id) ?? none), ...change });
    redraw();
  }
}
