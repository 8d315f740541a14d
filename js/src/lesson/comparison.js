/** Choose another pass to compare with, and mark in the picture what is different there. */

import { make, nameButton, setText } from "../dom/dom.js";
import { needsKernel } from "../dom/needs_kernel.js";

/** @typedef {import("../types.js").View} View */

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createComparison({ document, signal, words, actions }) {
  const select = make(document, "select", "hv-select hv-compare");
  /** @type {View | null} */
  let shown = null;

  select.addEventListener("change", () => {
    actions.send({ action: "compare", against: select.value });
    // What is chosen stands in the model; it answers when the other pass has run.
    if (shown !== null) select.value = chosen(shown);
  }, { signal });

  return {
    element: select,
    update(view, before) {
      shown = view;
      nameButton(select, words.say("ui.compare"));
      select.hidden = view.comparisons.length === 0;
      if (view.comparisons !== before?.comparisons || view.lang !== before?.lang) {
        select.replaceChildren(
          make(document, "option", "", { value: "" }, [words.say("ui.compare.none")]),
          ...view.comparisons.map(({ id, text, absent }) =>
            make(document, "option", absent ? "hv-absent" : "", { value: id }, [words.format(text)])),
        );
      }
      select.value = chosen(view);
      const possible = [...select.options].filter((option) => {
        option.disabled = option.className === "hv-absent" || !view.can({ action: "compare", against: option.value });
        return !option.disabled;
      });
      select.disabled = view.busy || possible.length === 0;
      const absent = view.comparisons.find((choice) => choice.absent);
      if (absent !== undefined) select.title = `${words.say("ui.compare")}: ${words.format(absent.text)}`;
      if (select.disabled && !view.live && absent?.text !== view.comparisons[0]?.text) {
        select.title = needsKernel(words, view.saved, words.say("ui.compare"));
      }
    },
  };
}

/** @param {View} view */
function chosen(view) {
  return view.comparison?.against ?? "";
}

/**
 * Say of every drawn element whether the other pass has another value there.
 *
 * @param {Element} picture
 * @param {import("../types.js").Comparison | null} comparison
 */
export function markDifferences(picture, comparison) {
  const changed = new Set(comparison?.changed ?? []);
  const same = new Set(comparison?.same ?? []);
  for (const group of picture.querySelectorAll("[data-hv-key], [data-hv-keys], [data-hv-feed]")) {
    const keys = keysOf(group);
    const isKnown = keys.some((key) => changed.has(key) || same.has(key));
    if (!isKnown) group.removeAttribute("data-hv-compared");
    else group.setAttribute("data-hv-compared", keys.some((key) => changed.has(key)) ? "changed" : "same");
  }
}

/** @param {Element} group */
function keysOf(group) {
  const several = group.getAttribute("data-hv-keys");
  if (several !== null) return several.split(" ");
  return [group.getAttribute("data-hv-key") ?? group.getAttribute("data-hv-feed") ?? ""];
}
