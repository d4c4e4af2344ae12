import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { doneStatement, tasksDone } from "./done-task.ts";
import { answerIn, follow } from "./follow.ts";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";
import { conflictingFact, factsAbout } from "./known-fact.ts";
import { ask, stepOf } from "./next-step.ts";
import { REPLACE_OPTIONS, sentences, THOUGHTS } from "./phrasing.ts";

/** A longer text states more than one thing. */
const MAX_STATEMENT = 500;

/** Asks whether a statement replaces what is remembered of its subject; undefined if nothing like it is remembered. */
export function correcting(statement: string, state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills } = state;
  const search = factsAbout(statement, skills);
  const keeper = skills.find(({ keeps }) => keeps !== undefined);
  if (search === undefined || keeper?.keeps === undefined || statement.length > MAX_STATEMENT)
    return undefined;
  const position = follow([search], scratchpad, skills);
  if (position.kind === "act") return { kind: "act", thought: THOUGHTS.statement, action: position.action };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  const known =
    outcome?.kind === "done" && conflictingFact(statement, outcome.done.outputs, outcome.done.skill);
  if (!known) return undefined;
  const question = { question: sentences.replacesFact(known), options: REPLACE_OPTIONS };
  const reply = answerIn(scratchpad)(question);
  if (reply === undefined) return ask(question, THOUGHTS.correcting);
  const chosen = optionFromReply(reply, REPLACE_OPTIONS);
  if (chosen !== 0 && chosen !== 1)
    return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
  const args =
    chosen === 0 ? { [keeper.keeps]: known.corrected, replaces: known.id } : { [keeper.keeps]: statement };
  return stepOf([search, callOf(keeper.id, fromRequest(args), statement)], state);
}

/**
 * Marks the task that a statement says is done: "I called the chimney sweep". Asks if it may be one of several, or one with
 * another verb; undefined for any other request, and if no open task is about it.
 */
export function finishing(state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills, request } = state;
  const statement = doneStatement(request, skills);
  if (statement === undefined) return undefined;
  const position = follow([statement.search], scratchpad, skills);
  if (position.kind === "act") return { kind: "act", thought: THOUGHTS.done, action: position.action };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  if (outcome?.kind !== "done") return undefined;
  const { certain, possible } = tasksDone(statement, outcome.done.outputs);
  const titles = certain.length > 0 ? certain : possible;
  const [only, ...others] = titles;
  if (only === undefined) return undefined;
  const marked = (title: string): PlannerDecision | undefined => {
    const reading = interpretAlone({ ...state, request: `mark the task "${title}" as done` });
    return reading.kind === "plan" ? stepOf(reading.calls, state) : undefined;
  };
  if (certain.length === 1) return marked(only);
  const question =
    others.length === 0
      ? { question: sentences.isDone(only), options: YES_OR_NO }
      : { question: sentences.whichIsDone, options: [...titles, NONE_OF_THEM] };
  const reply = answerIn(scratchpad)(question);
  if (reply === undefined) return ask(question, THOUGHTS.done);
  const chosen = optionFromReply(reply, question.options);
  const title =
    typeof chosen === "number" ? (others.length === 0 ? [only][chosen] : titles[chosen]) : undefined;
  if (title !== undefined) return marked(title);
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
}

const YES_OR_NO = ["Yes", "No"];
const NONE_OF_THEM = "None of them";

/** "The first one is due on Monday" after tasks were made or listed. */
const DUE =
  /^\W*(?:(?:and|oh|also|so),?\s+)?(?<task>it|that|this|(?:the|that) (?:first|second|third|fourth|fifth|last|other)(?: one| task)?)(?:['’]s| is)(?: (?:now|actually))? due (?:(?:on|by|at) )?(?<due>\S.{0,40}?)[\s.!]*$/iu;

/** Sets the date of the task that a statement refers to; undefined for any other request, and if no task can be meant. */
export async function dated(state: PlanState): Promise<PlannerDecision | undefined> {
  const { task, due } = DUE.exec(state.request)?.groups ?? {};
  if (task === undefined || due === undefined) return undefined;
  const reading = await interpretRequest({ ...state, request: `make ${task} due ${due}` });
  return reading.kind === "plan" ? stepOf(reading.calls, state) : undefined;
}
