/** Choose of what kind a hook is that is about to be added to a module. */

import { make, setText } from "../dom/dom.js";
import { inOrder, sourceOf, takesKwargs, usualOf } from "../state/hook_kinds.js";

/** @typedef {import("../types.js").Module} Module */
/** @typedef {{kind: string, withKwargs: boolean}} Chosen */

/**
 * @param {import("../types.js").Context} context
 * @param {() => void} changed
 */
export function createHookKindForm({ document, signal, words }, changed) {
  /** @type {Map<string, Chosen>} By module. */
  const chosen = new Map();
  /** @type {Module | null} */
  let module = null;

  const name = make(document, "span", "hv-field-name");
  const kind = make(document, "select", "hv-select");
  const box = make(document, "input", "", { type: "checkbox" });
  const boxName = make(document, "span", "hv-code-word");
  const boxLabel = make(document, "label", "hv-check", {}, [box, boxName]);
  const element = make(document, "div", "hv-kind-form", {}, [
    make(document, "label", "hv-field", {}, [name, kind]), boxLabel,
  ]);

  kind.addEventListener("change", () => choose({ ...wanted(), kind: kind.value }), { signal });
  box.addEventListener("change", () => choose({ ...wanted(), withKwargs: box.checked }), { signal });

  return { element, update, get, source: () => sourceOf(get().kind, get().withKwargs) };

  /** @returns {Chosen} What was asked for, whether or not the module can have it now. */
  function wanted() {
    return chosen.get(module?.id ?? "") ?? { kind: "", withKwargs: false };
  }

  /**
   * What is chosen for the module that is shown.
   *
   * @returns {Chosen}
   */
  function get() {
    const kinds = module?.kinds ?? [];
    const { kind: asked, withKwargs } = wanted();
    const now = kinds.includes(asked) ? asked : usualOf(kinds);
    return { kind: now, withKwargs: withKwargs && takesKwargs(now) };
  }

  /** @param {Chosen} next */
  function choose(next) {
    if (module === null) return;
    chosen.set(module.id, next);
    draw();
    changed();
  }

  /** @param {Module | null} now `null` where no kind has to be chosen. */
  function update(now) {
    module = now;
    element.hidden = module === null;
    setText(name, words.say("ui.hook_kind"));
    setText(boxName, "with_kwargs");
    if (module !== null) draw();
  }

  function draw() {
    const kinds = inOrder(module?.kinds ?? []);
    const now = get();
    kind.replaceChildren(...kinds.map((value) =>
      make(document, "option", "", { value }, [words.say(`ui.hooks.kind.${value}`)])));
    kind.value = now.kind;
    box.checked = now.withKwargs;
    box.disabled = !takesKwargs(now.kind);
    boxLabel.toggleAttribute("data-hv-disabled", box.disabled);
  }
}
