/**
 * The shapes that Python sends; see `hookviz/explorer.py` and `hookviz/view/steps.py`.
 *
 * @typedef {object} Message A text that depends on the language.
 * @property {string} key
 * @property {{[name: string]: Text}} [args]
 *
 * @typedef {string | Message | TextList} Text A literal, a message, or several of them in a row.
 * @typedef {Text[]} TextList
 * @typedef {[key: string, field: string, value: Text]} Patch What one step changes.
 *
 * @typedef {object} Step
 * @property {string} kind
 * @property {Text} line One row of the timeline.
 * @property {Text} caption A sentence or two.
 * @property {string} printed What user code wrote to standard output.
 * @property {string} tensor Tensor id, or "".
 * @property {string} node Node id, or "".
 * @property {string} hook Hook id, or "".
 * @property {Patch[]} patches
 *
 * @typedef {object} Hook
 * @property {string} id
 * @property {string} kind
 * @property {string} label
 * @property {string} source
 * @property {string} origin
 * @property {boolean} enabled
 * @property {string} location
 * @property {boolean} editable
 *
 * @typedef {object} Tensor
 * @property {string} id
 * @property {string} label
 * @property {string[]} names
 * @property {"leaf" | "non-leaf" | "root"} role
 * @property {boolean} retains_grad
 * @property {number[]} shape
 * @property {string} dtype
 * @property {string} device
 * @property {string} layout
 * @property {Text} value
 * @property {number} order
 * @property {boolean} hookable
 * @property {Hook[]} hooks
 *
 * @typedef {object} Notice
 * @property {"error" | "info"} kind
 * @property {Text} title
 * @property {string} detail
 * @property {Text} hint
 * @property {string} target
 * @property {string} hook
 * @property {number} serial
 *
 * @typedef {Record<string, Record<string, string>>} Strings Language, then key, then template.
 *
 * @typedef {object} Model The part of anywidget's model that hookviz uses.
 * @property {(name: string) => any} get
 * @property {(name: string, value: unknown) => void} set
 * @property {() => void} save_changes
 * @property {(content: object) => void} [send]
 * @property {(event: string, callback: (...args: any[]) => void) => void} on
 * @property {(event: string, callback: (...args: any[]) => void) => void} off
 *
 * @typedef {object} View Everything a part needs to draw itself, read from the model in one go.
 * @property {Step[]} steps
 * @property {import("./frames.js").Frames} frames
 * @property {number} step
 * @property {Tensor[]} tensors
 * @property {string} selected Id of the selected tensor, or "".
 * @property {Tensor | null} shown The tensor in the inspector: the selected or the current one.
 * @property {string} picture
 * @property {string} title
 * @property {Record<string, string>} transcript
 * @property {Notice | null} notice
 * @property {string} lang
 * @property {boolean} busy
 * @property {boolean} slow Whether it has been busy for long.
 * @property {boolean} live Whether a kernel answers.
 * @property {boolean} playing
 * @property {number} speed
 * @property {number} drafts Version of what the user has typed.
 *
 * @typedef {object} Actions What a part may ask for.
 * @property {(step: number) => void} goto
 * @property {(where: import("./stepper.js").Move) => void} move
 * @property {() => void} togglePlay
 * @property {(speed: number) => void} setSpeed
 * @property {(id: string) => void} select
 * @property {(lang: string) => void} setLang
 * @property {(message: {action: string, [name: string]: unknown}) => void} send
 *
 * @typedef {object} Context
 * @property {Document} document
 * @property {AbortSignal} signal Aborted when the view is removed: every listener hangs on it.
 * @property {import("./words.js").Words} words
 * @property {Actions} actions
 *
 * @typedef {object} Part
 * @property {HTMLElement} element
 * @property {(view: View, before: View | null) => void} update
 */
export {};
