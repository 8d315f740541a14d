/**
 * Answer for Python on a page that was saved: what it would have answered is kept in the state, so
 * that boxes open and passes compare without a kernel. `hookviz/_view/saved/answers.py` writes it.
 */

import { Boxes } from "../state/boxes.js";
import { keptPicture } from "./kept_pictures.js";

/** @typedef {{action: string, [name: string]: unknown}} Request */

/** @type {WeakMap<hv.Kept, {plain: hv.Step[], compared: Map<string, hv.Step[]>}>} The steps of each pass compared with. */
const known = new WeakMap();

/**
 * @param {hv.Model} model
 * @param {Request} request
 * @returns {boolean} Whether there is an answer.
 */
export function isKept(model, request) {
  return answer(model, request)?.picture !== undefined;
}

/**
 * @param {hv.Model} model
 * @param {Request} request
 * @returns {Record<string, unknown> | null} The traits to set, or `null` where nothing is kept.
 */
export function keptAnswer(model, request) {
  const found = answer(model, request);
  if (found?.picture === undefined) return null;
  const { kept, expanded, against, picture } = found;
  /** @type {Record<string, unknown>} */
  const traits = { picture: picture() };
  if (request.action === "compare") {
    traits.steps = stepsOf(model, kept, against);
    traits.comparison = kept.passes[against]?.comparison ?? null;
  } else {
    traits.expanded = expanded;
    traits.stops = stopsWith(model, kept, expanded);
  }
  return traits;
}

/**
 * @param {hv.Model} model
 * @param {Request} request
 */
function answer(model, request) {
  /** @type {hv.Kept | null} */
  const kept = model.get("kept") ?? null;
  if (kept === null) return null;
  const expanded = expandedAfter(model, kept, request);
  const now = model.get("comparison")?.against ?? "";
  const against = request.action === "compare" ? String(request.against ?? "") : now;
  if (expanded === null || (against !== "" && !Object.hasOwn(kept.passes, against))) return null;
  const picture = keptPicture(kept, against === "" ? "plain" : "compared", seenOpen(model, kept, expanded));
  return { kept, expanded, against, picture };
}

/**
 * @param {hv.Model} model
 * @param {hv.Kept} kept
 * @param {Request} request
 * @returns {string[] | null} The boxes that are open after a request, in the order of Python's tree.
 */
function expandedAfter(model, kept, { action, box }) {
  const boxes = boxesOf(model);
  const id = String(box);
  const opened = new Set(/** @type {string[]} */ (model.get("expanded") ?? []));
  if (action === "collapse_all") return [];
  if (action === "expand_all") return kept.all;
  if (action === "compare") return [...opened];
  if (!["expand", "collapse"].includes(action) || boxes.get(id) === undefined) return null;
  if (action === "collapse") opened.delete(id);
  else for (const around of boxes.around(id)) opened.add(around);
  return boxes.ids.filter((other) => opened.has(other));
}

/**
 * @param {hv.Model} model
 * @param {hv.Kept} kept
 * @param {string[]} expanded
 * @returns {string[]} Those that can be seen to be open: what is in a closed box cannot.
 */
function seenOpen(model, kept, expanded) {
  const boxes = boxesOf(model);
  const openable = new Set(kept.openable);
  const opened = new Set(expanded.filter((id) => openable.has(id)));
  return boxes.ids.filter((id) => boxes.around(id).every((around) => opened.has(around)));
}

/**
 * @param {hv.Model} model
 * @param {hv.Kept} kept
 * @param {string[]} expanded
 */
function stopsWith(model, kept, expanded) {
  const boxes = boxesOf(model);
  const opened = new Set(seenOpen(model, kept, expanded));
  const there = kept.stops.filter(([box, isOpen]) =>
    box === "" || (opened.has(box) === isOpen && boxes.around(box).slice(1).every((around) => opened.has(around))));
  return there.map(([, , stop]) => stop).sort((one, other) => one.step - other.step);
}

/**
 * @param {hv.Model} model
 * @param {hv.Kept} kept
 * @param {string} against
 * @returns {hv.Step[]} Always the same list for the same pass.
 */
function stepsOf(model, kept, against) {
  // A page opens without a comparison, so what the model holds at first are the plain steps.
  const lists = known.get(kept) ?? { plain: model.get("steps") ?? [], compared: new Map() };
  known.set(kept, lists);
  if (against === "") return lists.plain;
  const found = lists.compared.get(against) ?? [...lists.plain];
  if (!lists.compared.has(against)) {
    for (const [place, patches, caption] of kept.passes[against].steps) {
      const step = lists.plain[place];
      found[place] = { ...step, patches: [...step.patches, ...patches], caption: caption ?? step.caption };
    }
    lists.compared.set(against, found);
  }
  return found;
}

/** @param {hv.Model} model */
function boxesOf(model) {
  return new Boxes(model.get("boxes") ?? {});
}
