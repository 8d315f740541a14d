/** Put together the markup of a picture whose parts a saved page keeps. */

/**
 * @param {hv.Kept} kept
 * @param {"plain" | "compared"} kind Whether it has room for what another pass had.
 * @param {string[]} opened The boxes that can be seen to be open, in the order of Python's tree.
 * @returns {(() => string) | undefined} Writes the picture; nothing where there is none.
 */
export function keptPicture(kept, kind, opened) {
  const picture = kept.pictures[kind]?.[opened.join(" ")];
  if (picture !== undefined) {
    const [before, after, parts] = picture;
    return () => before + parts.map((part) => markup(kept, part)).join("") + after;
  }
  const map = kept.maps[kind]?.find(([places]) => opened.every((id) => places.includes(id)));
  if (map === undefined) return undefined;
  const [, before, after, parts] = map;
  const now = new Set(opened);
  return () => before + parts.filter(([when]) => isSeen(when, now)).map(([, part]) => markup(kept, part)).join("") + after;
}

/**
 * @param {string[]} when Boxes that have to be open, and with a `-` those that must not be.
 * @param {Set<string>} opened
 */
function isSeen(when, opened) {
  return when.every((id) => (id.startsWith("-") ? !opened.has(id.slice(1)) : opened.has(id)));
}

/**
 * @param {hv.Kept} kept
 * @param {hv.KeptPart} part
 */
function markup({ fragments }, part) {
  if (typeof part === "number") return fragments[part];
  const [number, place] = part;
  return `<g transform="translate(${place})"${fragments[number].slice(2)}`;
}
