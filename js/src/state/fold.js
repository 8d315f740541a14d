/**
 * Say of a closed box that is no module what it stands for: a fold of repeated calls or functions,
 * or some of its repetitions. It has no gradients of its own, so nothing is said of any.
 */

/**
 * @typedef {object} Fold
 * @property {string} id
 * @property {hv.Box} box
 * @property {string[]} places The boxes inside it at which its steps happened, as ids, in order.
 */

/**
 * @param {hv.View} view
 * @returns {Fold | null} The fold in which the current step happened, if nothing inside it is drawn.
 */
export function foldAt({ selected, stops, steps, step, boxes }) {
  if (selected !== "") return null;
  const place = stops.placeOf(step);
  const id = stops.at(place)?.box ?? "";
  const box = boxes.get(id);
  if (box === undefined || box.module) return null;
  const now = steps[step];
  // A step at a tensor is about that, also where its card is inside a closed box.
  if (!stops.isFolded(place) && now?.tensor) return null;
  const before = stops.at(place - 1)?.step ?? -1;
  const places = steps.slice(before + 1, step + 1).map(({ call = "" }) => call);
  return { id, box, places: places.filter((call) => call !== id && boxes.around(call).includes(id)) };
}

/**
 * @param {Fold} fold
 * @param {hv.View} view
 * @returns {[name: string, value: hv.Text][]}
 */
export function foldFacts({ id, box, places }, { boxes }) {
  const ways = places.map((place) => wayTo(place, id, boxes));
  // Of several repetitions the first and the last are told, of one where in it.
  const isWithin = ways.every(([repetition]) => repetition === ways[0][0]);
  const [first, last] = [ways[0], ways.at(-1)].map((ids) => (isWithin ? ids : ids?.slice(0, 1)));
  const isOne = String(first) === String(last);
  return [
    ["repeated", box.count > 1 ? whatIn(id, box, places, boxes) : ""],
    ["times", box.count > 1 ? String(box.count) : ""],
    ["inside", first === undefined || last === undefined ? "" : isOne ? way(last, boxes) : {
      key: "value.arrow", args: { before: way(first, boxes), after: way(last, boxes) },
    }],
  ];
}

/**
 * Of calls their class is repeated, of functions the functions.
 *
 * @param {string} id
 * @param {hv.Box} box
 * @param {string[]} places
 * @param {import("./boxes.js").Boxes} boxes
 * @returns {hv.Text}
 */
function whatIn(id, box, places, boxes) {
  const isOfCalls = places.some((place) => boxes.around(place).some((one) => boxes.get(one)?.module && one !== id
    && boxes.around(one).includes(id)));
  return isOfCalls ? box.type : box.label;
}

/**
 * @param {string} place
 * @param {string} id The fold.
 * @param {import("./boxes.js").Boxes} boxes
 * @returns {string[]} The boxes from right inside the fold to the place.
 */
function wayTo(place, id, boxes) {
  const around = boxes.around(place);
  return around.slice(0, around.indexOf(id)).reverse();
}

/**
 * @param {string[]} ids
 * @param {import("./boxes.js").Boxes} boxes
 * @returns {hv.Text} The name of the innermost module says where it is; a repetition without names its number.
 */
function way(ids, boxes) {
  return boxes.label(ids.findLast((id) => boxes.get(id)?.module) ?? ids.at(-1) ?? "");
}
