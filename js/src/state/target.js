/** Tell what is shown beside the picture: a tensor, or a module and one of its calls. */

/**
 * @param {hv.Target} target
 * @returns {target is hv.Module}
 */
export function isModule(target) {
  return "calls" in target;
}

/**
 * @param {hv.Target} target
 * @returns {boolean} Whether a hook can be added to it.
 */
export function isHookable(target) {
  return isModule(target) ? target.kinds.length > 0 : target.hookable;
}

/**
 * @param {hv.Target} target
 * @param {hv.Hook} hook One of its hooks.
 * @returns {boolean} Whether it can be edited, turned off, moved and removed here.
 */
export function isChangeable(target, hook) {
  return hook.editable && (!isModule(target) || target.kinds.includes(hook.kind));
}

/**
 * The tensor or module with this id; a call stands for its module.
 *
 * @param {string} id
 * @param {hv.Tensor[]} tensors
 * @param {hv.Module[]} modules
 * @returns {hv.Target | null}
 */
export function findTarget(id, tensors, modules) {
  if (id === "") return null;
  return tensors.find((tensor) => tensor.id === id)
    ?? modules.find((module) => module.id === id)
    ?? moduleOf(id, modules)
    ?? null;
}

/**
 * What the current step is about, else the last stop before it that is about something, else the
 * root. What happened inside a collapsed box is about the box: nothing inside it is on screen.
 *
 * @param {Pick<hv.View, "stops" | "steps" | "step" | "boxes" | "tensors" | "modules">} view
 * @returns {hv.Target | null}
 */
export function currentTarget({ stops, steps, step, boxes, tensors, modules }) {
  const last = stops.placeOf(step);
  for (let place = last; place >= 0; place -= 1) {
    const now = steps[place === last ? step : stops.stepAt(place)];
    const found = stops.isFolded(place)
      ? moduleAround(stops.at(place)?.box ?? "", boxes, modules)
      : (tensors.find(({ id }) => id === now?.tensor) ?? moduleAt(now, modules));
    if (found !== undefined) return found;
  }
  return tensors.find(({ role }) => role === "root") ?? modules[0] ?? null;
}

/**
 * Under which key the frames know a target: a tensor's own id, or that of one call of a module.
 *
 * @param {hv.Target} target
 * @param {Pick<hv.View, "selected" | "steps" | "step" | "boxes">} view A call that was selected is shown whatever the step is.
 * @returns {string}
 */
export function frameKey(target, { selected, steps, step, boxes }) {
  if (!isModule(target)) return target.id;
  if (target.calls.length < 2) return target.calls[0] ?? target.id;
  if (target.calls.includes(selected)) return selected;
  const calls = new Set(target.calls);
  for (let index = step; index >= 0; index -= 1) {
    const found = boxes.around(steps[index]?.call ?? "").find((id) => calls.has(id));
    if (found !== undefined) return found;
  }
  return target.calls[0];
}

/**
 * @param {hv.Step | undefined} step
 * @param {hv.Module[]} modules
 */
function moduleAt(step, modules) {
  // An error with neither tensor nor function came out of a call.
  const isOfModule = step?.kind.startsWith("module_") || (step?.kind === "error" && !step.node && !step.tensor);
  return isOfModule ? moduleOf(step?.call ?? "", modules) : undefined;
}

/**
 * @param {string} call
 * @param {hv.Module[]} modules
 */
function moduleOf(call, modules) {
  return call === "" ? undefined : modules.find(({ calls }) => calls.includes(call));
}

/**
 * The module of a box; a fold has none, but the box around it may.
 *
 * @param {string} box
 * @param {import("./boxes.js").Boxes} boxes
 * @param {hv.Module[]} modules
 */
function moduleAround(box, boxes, modules) {
  const ids = boxes.around(box).map((id) => boxes.get(id)?.module);
  return modules.find(({ id }) => id === ids.find(Boolean));
}
