/**
 * The shapes that Python sends, and that the parts share; see `hookviz/_view/page/data.py`. They are known everywhere.
 *
 * @typedef {object} hv.Message A text that depends on the language.
 * @property {string} key
 * @property {{[name: string]: hv.Text}} [args]
 *
 * @typedef {string | hv.Message | hv.TextList} hv.Text A literal, a message, or several of them in a row.
 * @typedef {hv.Text[]} hv.TextList
 * @typedef {[key: string, field: string, value: hv.Text]} hv.Patch What one step changes.
 *
 * @typedef {object} hv.Step
 * @property {string} kind
 * @property {hv.Text} line One row of the timeline.
 * @property {hv.Text} caption A sentence or two.
 * @property {string} printed What user code wrote to standard output.
 * @property {string} tensor Tensor id, or "".
 * @property {string} node Node id, or "".
 * @property {string} hook Hook id, or "".
 * @property {hv.Patch[]} patches
 * @property {[file: number, line: number] | null} [code] Which line of the user's code it belongs to.
 * @property {string} [call] Id of the innermost box in which it happened, drawn or not, or "".
 * @property {string[]} [marks] What makes it worth running to: `hook`, `rewrite`, `nonfinite`.
 * @property {hv.Question | null} [question] What can be asked before it is shown.
 * @property {{before: hv.Place[], after: hv.Place[]} | null} [values]
 *
 * @typedef {[label: string, place: number | null]} hv.Place One value of a step, by its place in the list of values.
 *
 * @typedef {object} hv.Question
 * @property {hv.Text} text
 * @property {(string | null)[]} answer Exact texts of the recorded numbers.
 * @property {hv.Text} shown The answer as it is revealed.
 *
 * @typedef {object} hv.StepValue A value as a table (`rows`, `levels`) or as a picture (`grid` and what follows).
 * @property {string} shape
 * @property {string} dtype
 * @property {hv.Text} text
 * @property {string[][]} [rows]
 * @property {(number | null)[][]} [levels] `null` where a number is not finite.
 * @property {string} grid Two hexadecimal digits per cell; see `TensorSummary` in Python.
 * @property {number} columns Of the grid.
 * @property {number | null} low
 * @property {number | null} high
 * @property {number[]} histogram
 * @property {string} minimum
 * @property {string} maximum
 * @property {string} mean
 *
 * @typedef {object} hv.Comparison
 * @property {string} against Which of the choices.
 * @property {string[]} changed Ids of tensors, edges and boxes that have another value there.
 * @property {string[]} same Ids of those that have the same.
 *
 * @typedef {number | [number, string]} hv.KeptPart A part of a picture by its number, and where it is moved to.
 *
 * @typedef {object} hv.Kept What a saved page keeps in place of a kernel.
 * @property {string[]} openable Ids of the boxes with something inside to be seen.
 * @property {string[]} all Those that are open after "expand all".
 * @property {string[]} fragments Markup.
 * @property {{[kind: string]: {[opened: string]: [string, string, hv.KeptPart[]]}}} pictures By the boxes that can be
 *   seen to be open: what stands before and after the parts, and the parts.
 * @property {{[kind: string]: [string[], string, string, [string[], hv.KeptPart][]][]}} maps For all others, the smallest
 *   first: which boxes can be open on it, and with which ones open, or with a `-` closed, each part is seen.
 * @property {[string, boolean, hv.Stop][]} stops Of which box each is, and whether that is open then.
 * @property {{[name: string]: {comparison: hv.Comparison, steps: [number, hv.Patch[], hv.Text | null][]}}} passes Other passes:
 *   what their steps have besides.
 *
 * @typedef {object} hv.Score
 * @property {number} right
 * @property {number} asked
 * @property {number[]} steps Those that were asked about; only the first answer counts.
 *
 * @typedef {object} hv.Stop A step at which to stop; several steps inside a collapsed box are one stop.
 * @property {number} step The last of its steps.
 * @property {hv.Text | null} [line] Instead of the step's own.
 * @property {hv.Text | null} [caption] Instead of the step's own.
 * @property {string} [box] Id of the box in which it happened, or ""; the collapsed one if `count` is above 1.
 * @property {number} [count] How many steps it stands for.
 * @property {string} [printed] What user code printed during them.
 *
 * @typedef {object} hv.Hook
 * @property {string} id
 * @property {string} kind
 * @property {string} label
 * @property {string} source
 * @property {string} origin
 * @property {boolean} enabled
 * @property {string} location
 * @property {boolean} editable
 * @property {boolean} [with_kwargs] These two: of a module's forward hook.
 * @property {boolean} [always_call]
 *
 * @typedef {object} hv.Tensor
 * @property {string} id
 * @property {string} label
 * @property {string[]} names
 * @property {"leaf" | "non-leaf" | "root"} role
 * @property {boolean} retains_grad
 * @property {number[]} shape
 * @property {string} dtype
 * @property {string} device
 * @property {string} layout
 * @property {hv.Text} value
 * @property {number} order
 * @property {boolean} hookable
 * @property {hv.Hook[]} hooks
 *
 * @typedef {object} hv.Module
 * @property {string} id
 * @property {string} label Qualified name.
 * @property {string} type Name of its class.
 * @property {number} order
 * @property {string[]} calls Ids of its calls in the order in which they began.
 * @property {hv.Hook[]} hooks Kind by kind, each in running order.
 * @property {string[]} kinds Kinds of hooks that can be added now.
 * @property {hv.Text[]} [notes] What surprises people at it, a sentence each.
 *
 * @typedef {hv.Tensor | hv.Module} hv.Target What can be selected, and have hooks.
 *
 * @typedef {object} hv.Box One call of a module, or a fold of repeated calls, drawn or not.
 * @property {string} parent Id of the box right around it, or "".
 * @property {hv.Text} label
 * @property {hv.Text} type
 * @property {string} module Module id, or "".
 * @property {string} number Which call of its module, from 1; "" when it is the only one.
 * @property {number} count How many calls a fold stands for.
 *
 * @typedef {object} hv.Source A piece of the user's code.
 * @property {string} file
 * @property {number} first Number of its first line in that file.
 * @property {string[]} lines
 *
 * @typedef {object} hv.Notice
 * @property {"error" | "info"} kind
 * @property {hv.Text} title
 * @property {string} detail
 * @property {hv.Text} hint
 * @property {string} target
 * @property {string} hook
 * @property {number} serial
 *
 * @typedef {Record<string, Record<string, string>>} hv.Strings Language, then key, then template.
 *
 * @typedef {object} hv.Model The part of anywidget's model that hookviz uses.
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(changes: Record<string, unknown>) => void} [update] Sets several at once; only on a page that was saved.
 * @property {(content: object) => void} [send]
 * @property {(event: string, callback: (...args: any[]) => void) => void} on
 * @property {(event: string, callback: (...args: any[]) => void) => void} off
 *
 * @typedef {object} hv.View Everything a part needs to draw itself, read from the model in one go.
 * @property {hv.Step[]} steps
 * @property {hv.Strings} strings
 * @property {import("./state/frames.js").Frames} frames
 * @property {number} step A number of a step, as in Python.
 * @property {import("./state/stops.js").Stops} stops
 * @property {number} stop The place among the stops: of this step, or of the one that takes it in.
 * @property {hv.Tensor[]} tensors
 * @property {hv.Module[]} modules
 * @property {import("./state/boxes.js").Boxes} boxes
 * @property {string[]} expanded Ids of the boxes that are drawn with what is inside.
 * @property {hv.Source[]} code
 * @property {hv.StepValue[]} values
 * @property {number} nextStep Where the next stop is; the same as `step` at the end.
 * @property {{id: string, text: hv.Text, absent?: boolean}[]} comparisons What can be compared with; last, why there is no more.
 * @property {hv.Comparison | null} comparison
 * @property {(request: {action: string, [name: string]: unknown}) => boolean} can Whether a request would be
 *   answered now: by a kernel, or by what a saved page keeps.
 * @property {boolean} predicting Whether the reader is asked before each step.
 * @property {hv.Score} score
 * @property {string} selected Id of the selected tensor, module or call, or "".
 * @property {hv.Target | null} shown What is in the inspector: the selected or the current one.
 * @property {string} shownKey Under which key the frames know it: a tensor's id, or a call's.
 * @property {string} picture
 * @property {string} direction
 * @property {string} title
 * @property {string} hooksCode The hooks as plain PyTorch lines.
 * @property {Record<string, string>} transcript
 * @property {hv.Notice | null} notice
 * @property {string} lang
 * @property {boolean} busy
 * @property {boolean} slow Whether it has been busy for long.
 * @property {boolean} live Whether a kernel answers.
 * @property {boolean} saved Whether none ever can: this is a page that was saved.
 * @property {boolean} playing
 * @property {number} speed
 * @property {number} drafts Version of what the user has typed.
 *
 * @typedef {object} hv.Actions What a part may ask for.
 * @property {(step: number) => void} goto
 * @property {(place: number) => void} gotoStop
 * @property {(step: number) => void} visit Goes to the stop that takes a step in.
 * @property {(where: import("./state/stepper.js").Move) => void} move
 * @property {() => void} togglePlay
 * @property {(speed: number) => void} setSpeed
 * @property {(id: string) => void} select
 * @property {(lang: string) => void} setLang
 * @property {(box: string, isExpanded: boolean) => void} toggle Draws a box with or without what is inside.
 * @property {(box: string, step: number) => void} stepInto Expands a box and goes to a step inside.
 * @property {(direction: string) => void} setDirection
 * @property {() => void} togglePredicting
 * @property {(step: number, right: boolean) => void} answered Counts an answer, the first one to each step.
 * @property {(message: {action: string, [name: string]: unknown}) => void} send
 *
 * @typedef {object} hv.Context
 * @property {Document} document
 * @property {AbortSignal} signal Aborted when the view is removed: every listener hangs on it.
 * @property {import("./dom/words.js").Words} words
 * @property {hv.Actions} actions
 * @property {() => void} redraw Draws again, after something has changed that only a part knows.
 *
 * @typedef {(context: hv.Context, view: hv.View) => unknown} hv.Panel Draws what needs nothing but the view.
 * @typedef {(context: hv.Context) => (view: hv.View, before?: hv.View | null) => unknown} hv.CreatePanel The same, with
 *   something to remember.
 *
 * @typedef {object} hv.Part What needs more than a template: it measures, scrolls, or keeps the focus.
 * @property {HTMLElement} element
 * @property {(view: hv.View, before: hv.View | null) => void} update `before` is the view that is on screen.
 *
 * @typedef {(document: Document, signal: AbortSignal, callbacks: {input: (text: string) => void, submit: () => void}) =>
 *   import("./code/code_editor.js").CodeEditor} hv.CreateCodeEditor
 */
