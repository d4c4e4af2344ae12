import type { OperatorConfig } from "@metahuman/core/contract/config";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import type { Reply } from "@metahuman/models/ask";
import { askForJson, readJson } from "@metahuman/models/structured-reply";
import type { ModelRouter } from "@metahuman/models/router";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { withoutInvalidCitations } from "../answer/model-answer-writer.ts";
import { prompt } from "../prompts/load-prompt.ts";
import type { CatalogSource } from "./model/catalog.ts";
import { plannerContext } from "./model/planner-context.ts";
import { planningMessages, promptSections, appendSituation } from "./model/messages.ts";
import { offeredTools, recentSkills } from "./model/offered-tools.ts";
import { catalogBudget, promptBudget } from "./model/prompt-budget.ts";
import { invalidPlanError, cutOffAdvice } from "./model/invalid-plan.ts";
import { LastPlannerReply, PlannerReply, readableCall, replySchema } from "./model/reply.ts";
import { streamedAnswer } from "./model/streamed-answer.ts";
import { isObserved } from "../answer/evidence.ts";
import { BARE_DONE } from "../answer/vocabulary.ts";

export interface ModelPlannerOptions {
  router: ModelRouter;
  config: () => OperatorConfig;
  catalog: CatalogSource;
}

/** Plans with schema-constrained JSON. An invalid reply is retried once with its problems. */
export function createStructuredPlanner({ router, config, catalog }: ModelPlannerOptions): Planner {
  return {
    name: "structured",
    async next(state, signal) {
      const { scratchpad, budgets } = config();
      const budgetTokens = await promptBudget(router, config().models.planningModel);
      const asked = { ...state, recent: await recentSkills(state) };
      const { text, tools } = offeredTools(asked, catalog, catalogBudget(budgets, budgetTokens));
      const words = await writesAnswers(router, config());
      const hasObserved = state.scratchpad.some(isObserved);
      const isLast = state.stepsLeft !== undefined && state.stepsLeft <= 0;
      const mayAnswer = words && !hasObserved;
      const format = replySchema(isLast ? [] : tools, { mayAnswer, mustSayDone: isLast });
      const rules = prompt("planner", { catalog: text, finish: words ? FINISH_WITH_ANSWER : FINISH });
      const prompted = planningMessages({
        rules,
        context: plannerContext(state),
        goal: state.request,
        scratchpad: state.scratchpad,
        rejectedAnswer: state.rejectedAnswer,
        budgetTokens,
        keepVerbatim: scratchpad.trimToLastN,
      });
      const messages = appendSituation(prompted, state, NO_STEP_LEFT);

      const catalogTokens = estimateTokens(text);
      const rulesTokens = Math.max(0, estimateTokens(rules) - catalogTokens);
      const sections = promptSections(state, { rulesTokens, catalogTokens, messages });

      const { onModelCall, onWarning } = state;
      const reply = await askForJson(
        isLast && state.isSingleStep !== true ? LastPlannerReply : PlannerReply,
        { messages, format, temperature: 0 },
        {
          router,
          role: config().models.planningModel,
          purpose: "plan",
          signal,
          onModelCall: (call) => onModelCall?.({ ...call, sections }),
          onWarning,
          retry: scratchpad.enableErrorRetry,
          cutOffAdvice,
          ...(!isLast && { forms: `${CALL}\nor, when nothing is left to do:\n${FINISH}` }),
          ...(mayAnswer && { onText: answerStreamTo(state.onAnswerText) }),
        },
      );
      const finish = { writesAnswers: words, isStreamed: mayAnswer, isLast };
      if (reply.ok) return toDecision(reply.value, finish, state);
      const undecided = isLast ? readJson(PlannerReply, reply.reply.text) : undefined;
      if (undecided?.ok) return toDecision(undecided.value, finish, state);
      const prose = proseOf(reply.reply);
      if (prose === "" || isAboutForm(prose, state.request)) throw invalidPlanError(reply);
      return toDecision({ thought: prose, respond: true, answer: mayAnswer ? prose : "" }, finish, state);
    },
  };
}

const CALL = '{"thought": "why this step", "action": {"tool": "<tool id>", "args": {…}}}';
const FINISH = '{"thought": "what the observations show", "respond": true}';
const FINISH_WITH_ANSWER = `${FINISH}
or, when no tool had to be called, with what the person shall read, in their language and in your voice:
{"thought": "no tool is needed", "respond": true, "answer": "…"}`;
const NO_STEP_LEFT =
  'No step is left: finish now with what was observed. Add "done": true only if everything that was asked is done, else "done": false, and say in the thought what is missing.';

/** The text of a reply without any JSON, which counts as the answer; `""` for one that is cut off or tries a plan. */
function proseOf({ text, cutOffAfterTokens }: Reply): string {
  const prose = text.replace(THINKING, "").trim();
  return cutOffAfterTokens !== undefined || prose.includes("{") ? "" : prose;
}

/** "I apologize, but I cannot produce JSON.": about the form of the reply, of which the person knows nothing. */
const isAboutForm = (prose: string, request: string): boolean => FORM.test(prose) && !FORM.test(request);

const FORM =
  /(?<!\p{L})(?:json|schema|(?:required|requested|specified|correct|valid|given|this) (?:output |response )?format)(?!\p{L})/iu;

const THINKING = /<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/giu;

/** True when the planning model also writes the answers, so that its reply can contain one. */
async function writesAnswers(router: ModelRouter, { models }: OperatorConfig): Promise<boolean> {
  const [planner, persona] = await Promise.all(
    [models.planningModel, models.responseModel].map(
      async (role) => (await router.modelsFor(role)).models[0],
    ),
  );
  return planner === persona;
}

/** Streams the answer inside a reply. A restarted reply restarts the answer. */
function answerStreamTo(onAnswerText: PlanState["onAnswerText"]): (text: string, offset: number) => void {
  let addToAnswer = streamedAnswer();
  let seen = 0;
  let passed = 0;
  return (text, offset) => {
    if (offset < seen) {
      addToAnswer = streamedAnswer();
      passed = 0;
    }
    seen = offset + text.length;
    const more = addToAnswer(text);
    if (more === "") return;
    onAnswerText?.(more, passed);
    passed += more.length;
  };
}

interface Finish {
  /** True when the planning model also writes the answers. */
  writesAnswers: boolean;
  /** True when the answer in the reply was streamed. */
  isStreamed: boolean;
  isLast: boolean;
}

/** A reply with a full answer ends the run without another call that writes it; "Done." is not a full answer after calls. */
function toDecision(
  { thought, action, responseStyle, functionId, done, answer }: PlannerReply,
  { writesAnswers: words, isStreamed, isLast }: Finish,
  { onWarning, skills, scratchpad, isSingleStep = false }: PlanState,
): PlannerDecision {
  // A call of the answer skill ends the run.
  if (!action || action.tool === ANSWER_SKILL) {
    const written = answer?.trim() ?? "";
    const isFull = isStreamed || (words && !BARE_DONE.test(written));
    const observed = scratchpad.filter(isObserved);
    const text = isFull ? withoutInvalidCitations(observed, written, onWarning) : "";
    return {
      kind: "answer",
      thought,
      style: responseStyle ?? "default",
      ...(text !== "" && { text, streamed: isStreamed }),
      ...(isLast && !(done ?? isSingleStep) && { outcome: "stopped" }),
    };
  }
  return {
    kind: "act",
    thought,
    ...readableCall(action, skills),
    ...(functionId && { functionId }),
  };
}
