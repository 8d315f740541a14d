/** Ask for the value of the next step before it is shown, and check the answer. */

import { AnswerError, isCheckable, isRight, readAnswer } from "../state/answers.js";
import { make, setText } from "../dom/dom.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Question} Question */

/**
 * @param {import("../types.js").Context} context
 * @returns {import("../types.js").Part}
 */
export function createPrediction({ document, signal, words, actions }) {
  const text = make(document, "label", "hv-question");
  const answer = make(document, "input", "hv-answer", {
    type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });
  const check = make(document, "button", "hv-button hv-primary", { type: "submit" });
  const reveal = make(document, "button", "hv-button", { type: "button" });
  const verdict = make(document, "p", "hv-verdict", { "aria-live": "polite" });
  const score = make(document, "span", "hv-score");
  const form = make(document, "form", "hv-question-form", {}, [text, check, reveal]);
  const element = make(document, "section", "hv-prediction", {}, [form, verdict, score]);
  text.append(make(document, "span"), answer);

  /** @type {View | null} */
  let shown = null;
  /** @type {{key: string, args: Record<string, import("../types.js").Text>} | null} */
  let said = null;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = shown === null ? null : nextQuestion(shown);
    if (shown === null || question === null) return;
    const given = answer.value.trim();
    let right = false;
    try {
      right = isRight(readAnswer(given), question.answer);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      say("ui.predict.unreadable", { given });
      return;
    }
    const target = questionStep(shown);
    actions.answered(target, right);
    if (right) {
      say("ui.predict.right", { answer: question.shown });
      answer.value = "";
      actions.goto(target);
    } else {
      say("ui.predict.wrong", { given });
      answer.select();
    }
  }, { signal });

  reveal.addEventListener("click", () => {
    const question = shown === null ? null : nextQuestion(shown);
    if (shown === null || question === null) return;
    const target = questionStep(shown);
    actions.answered(target, false);
    say("ui.predict.revealed", { answer: question.shown });
    answer.value = "";
    actions.goto(target);
  }, { signal });

  /**
   * @param {string} key
   * @param {Record<string, import("../types.js").Text>} args
   */
  function say(key, args) {
    said = { key, args };
    setText(verdict, words.format(said));
  }

  return {
    element,
    update(view, before) {
      shown = view;
      element.hidden = !view.predicting;
      if (!view.predicting) {
        said = null;
        answer.value = "";
        setText(verdict, "");
        return;
      }
      const question = nextQuestion(view);
      if (before !== null && before.steps !== view.steps) said = null;
      form.hidden = question === null;
      setText(/** @type {Node} */ (text.firstChild), question === null ? "" : words.format(question.text));
      setText(check, words.say("ui.predict.check"));
      setText(reveal, words.say("ui.predict.reveal"));
      answer.placeholder = words.say("ui.predict.placeholder");
      if (said === null && question === null) {
        setText(verdict, words.say(view.step >= view.frames.count - 1 ? "ui.predict.end" : "ui.predict.nothing"));
      } else {
        setText(verdict, said === null ? "" : words.format(said));
      }
      const { right, asked } = view.score;
      setText(score, words.say("ui.predict.score", { right: String(right), asked: String(asked) }));
    },
  };
}

/**
 * The step that would be shown next.
 *
 * @param {View} view
 */
export function questionStep(view) {
  return view.nextStep;
}

/**
 * @param {View} view
 * @returns {Question | null} What can be asked about the next step, if the browser can check it.
 */
export function nextQuestion(view) {
  const step = view.steps[questionStep(view)];
  const question = step?.question ?? null;
  if (question === null || questionStep(view) === view.step) return null;
  return isCheckable(question.answer) ? question : null;
}
