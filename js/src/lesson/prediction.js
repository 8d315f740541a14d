/** Ask for the value of the next step before it is shown, and check the answer. */

import { html } from "lit-html";
import { make } from "../dom/dom.js";
import { textButton } from "../dom/template.js";
import { AnswerError, isCheckable, isRight, readAnswer } from "../state/answers.js";

/** @typedef {{[name: string]: hv.Text}} Args */

/** @type {hv.CreatePanel} */
export function createPrediction({ document, words, actions, redraw }) {
  const answer = make(document, "input", "hv-answer", {
    type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });
  /** @type {{key: string, args: Args} | null} What was said of the last answer. */
  let verdict = null;

  return (view, before = null) => {
    if (!view.predicting) answer.value = "";
    if (!view.predicting || (before !== null && before.steps !== view.steps)) verdict = null;
    const question = nextQuestion(view);
    answer.placeholder = words.say("ui.predict.placeholder");
    const { right, asked } = view.score;
    return html`<section class="hv-prediction" ?hidden=${!view.predicting}>
      <form class="hv-question-form" ?hidden=${question === null} @submit=${(/** @type {Event} */ event) => check(event, view)}>
        <label class="hv-question"><span>${words.format(question?.text)}</span>${answer}</label>
        <button type="submit" class="hv-button hv-primary">${words.say("ui.predict.check")}</button>
        ${textButton(words.say("ui.predict.reveal"), () => reveal(view), { look: "" })}
      </form>
      <p class="hv-verdict" aria-live="polite">${view.predicting ? saidOf(view, question) : ""}</p>
      <span class="hv-score">${words.say("ui.predict.score", { right: String(right), asked: String(asked) })}</span>
    </section>`;
  };

  /**
   * @param {hv.View} view
   * @param {hv.Question | null} question
   */
  function saidOf(view, question) {
    if (verdict !== null) return words.format(verdict);
    if (question !== null) return "";
    return words.say(view.step >= view.frames.count - 1 ? "ui.predict.end" : "ui.predict.nothing");
  }

  /**
   * @param {Event} event
   * @param {hv.View} view
   */
  function check(event, view) {
    event.preventDefault();
    const question = nextQuestion(view);
    if (question === null) return;
    const given = answer.value.trim();
    let right = false;
    try {
      right = isRight(readAnswer(given), question.answer);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      say("ui.predict.unreadable", { given });
      return;
    }
    actions.answered(view.nextStep, right);
    if (right) show(view, "ui.predict.right", question);
    else {
      say("ui.predict.wrong", { given });
      answer.select();
    }
  }

  /** @param {hv.View} view */
  function reveal(view) {
    const question = nextQuestion(view);
    if (question === null) return;
    actions.answered(view.nextStep, false);
    show(view, "ui.predict.revealed", question);
  }

  /**
   * @param {hv.View} view
   * @param {string} key
   * @param {hv.Question} question
   */
  function show(view, key, question) {
    answer.value = "";
    say(key, { answer: question.shown });
    actions.goto(view.nextStep);
  }

  /**
   * @param {string} key
   * @param {Args} args
   */
  function say(key, args) {
    verdict = { key, args };
    redraw();
  }
}

/**
 * @param {hv.View} view
 * @returns {hv.Question | null} What can be asked about the next step, if the browser can check it.
 */
function nextQuestion({ steps, step, nextStep }) {
  const question = nextStep === step ? null : steps[nextStep]?.question;
  return question && isCheckable(question.answer) ? question : null;
}
