/** Know the kinds of hooks that a module can have, and what one of each looks like. */

/** @typedef {{plain: string, withKwargs?: string}} Sources A hook that changes nothing. */

/** @type {Map<string, Sources>} In the order in which they run. */
const KINDS = new Map([
  ["module_forward_pre_hook", {
    plain: "lambda module, args: args",
    withKwargs: "lambda module, args, kwargs: (args, kwargs)",
  }],
  ["module_forward_hook", {
    plain: "lambda module, args, output: output",
    withKwargs: "lambda module, args, kwargs, output: output",
  }],
  ["module_backward_pre_hook", { plain: "lambda module, grad_output: grad_output" }],
  ["module_backward_hook", { plain: "lambda module, grad_input, grad_output: grad_input" }],
]);

/** What a reader most often wants first. */
const USUAL = "module_forward_hook";

/** @param {string} kind */
export function takesKwargs(kind) {
  return KINDS.get(kind)?.withKwargs !== undefined;
}

/**
 * @param {string} kind
 * @param {boolean} withKwargs
 * @returns {string} "" for a kind that no module has.
 */
export function sourceOf(kind, withKwargs) {
  const sources = KINDS.get(kind);
  return (withKwargs && sources?.withKwargs) || (sources?.plain ?? "");
}

/**
 * The kinds that this page knows, in the order in which they run.
 *
 * @param {string[]} kinds
 */
export function inOrder(kinds) {
  return [...KINDS.keys()].filter((kind) => kinds.includes(kind));
}

/** @param {string[]} kinds */
export function usualOf(kinds) {
  return kinds.includes(USUAL) ? USUAL : (inOrder(kinds)[0] ?? "");
}
