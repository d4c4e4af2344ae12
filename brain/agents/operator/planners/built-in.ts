import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall, Interpretation } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannerDecision, Planner, PlanState, Step } from "../planner.ts";
import { wordedAnswer } from "./built-in/answers.ts";
import { expandPlan } from "./built-in/expand.ts";
import { answerIn, ASK_SKILL, type CallToMake, follow } from "./built-in/follow.ts";
import { askedOf, fileListings, filesInWords, withPaths } from "./built-in/file-in-words.ts";
import { factsAbout, conflictingFact } from "./built-in/known-fact.ts";
import { doneStatement, tasksDone } from "./built-in/done-task.ts";
import { completeFromFunctions } from "./built-in/guided.ts";
import { interpretAlone, interpretRequest, withAnswerRead } from "./built-in/interpret-request.ts";
import { changeOfLastRow } from "./built-in/last-row.ts";
import { offLastList } from "./built-in/off-list.ts";
import { report } from "./built-in/report.ts";
import type { Question } from "./built-in/resolve.ts";
import {
  askingThought,
  actingThought,
  planLabels,
  quote,
  REPLACE_OPTIONS,
  sentences,
  THOUGHTS,
} from "./built-in/phrasing.ts";

/**
 * Plans with the grammar of the installed skills' phrases and without a model. It parses the request at every step,
 * which always gives the same plan, and reads its position from the scratchpad, so that it can take over or resume a
 * run at any step.
 */
export function createBuiltInPlanner(): Planner {
  return {
    name: "built-in",
    async next(state) {
      return leaveQuestion(state) ?? (await nextMove(await interpretRequest(state), state));
    },
  };
}

async function nextMove(reading: Interpretation, state: PlanState): Promise<PlannerDecision> {
  switch (reading.kind) {
    case "plan": {
      const calls = withAnswerRead(reading.calls, state);
      const heading = reading.heading === undefined ? [] : [sentences.heading(reading.heading)];
      const decision = stepOf(calls, state, reading.repeats, reading.remarks, heading);
      const list = isStuck(decision) ? await offLastList(calls, state) : undefined;
      if (list !== undefined) return stepOf(list.calls, state, undefined, [], [sentences.about([list.path])]);
      return foundNothing(calls, decision, state) || (!reading.readOnly && foundTable(calls, state))
        ? ((await withFilesInWords({}, state)) ?? decision)
        : decision;
    }
    case "ambiguous":
      return chosenPlan(reading, state);
    case "refrain":
      // "Maria hasn't paid, update the member list" forbids nothing.
      return (
        (hasOrder(state.request) ? await withFilesInWords({}, state) : undefined) ?? worded(reading, state)
      );
    case "small-talk":
    case "empty":
    case "clock":
    case "capabilities":
      return worded(reading, state);
    case "not-understood": {
      const finished = finishing(state);
      if (finished !== undefined) return finished;
      const row = await changeOfLastRow(state);
      if (row !== undefined) return stepOf(row.calls, state, undefined, [], [sentences.about([row.path])]);
      const remembered = reading.recall && recalled(reading.recall, state);
      if (remembered !== undefined && !remembered.isDoubtful) return remembered.decision;
      const { statement, dangling } = reading;
      const namesFile =
        statement === undefined ? dangling === undefined || !isPronoun(dangling) : hasOrder(statement);
      const inFile = namesFile ? await withFilesInWords(reading, state) : undefined;
      const other = inFile ?? (statement === undefined ? undefined : correcting(statement, state));
      return other ?? remembered?.decision ?? worded(reading, state);
    }
    default:
      return reading satisfies never;
  }
}

/** "It" and "them" name no file. */
const isPronoun = (words: string): boolean => /^(?:it|its|this|that|them|they|these|those)$/iu.test(words);

/** True for a statement with an order: "Gerda has paid, please update the member list". */
const hasOrder = (statement: string): boolean =>
  /[,.;]\s*(?:(?:please|pls|so|and)\s+)?(?:update|change|correct|note|mark|put|enter|record|set)\s/iu.test(
    statement,
  );

/** An answer that needs no step. */
function worded(
  reading: Parameters<typeof wordedAnswer>[0],
  { skills, requestedAt, timeZone, scratchpad }: PlanState,
): PlannerDecision {
  const { text, suggestions } = wordedAnswer(reading, skills, { requestedAt, timeZone });
  // Recalled later, what only lists examples or tells the time would answer other questions wrongly.
  const isIdle =
    reading.kind !== "small-talk" &&
    scratchpad.every(({ action }) => skills.find(({ id }) => id === action?.tool)?.effects === "read");
  const outcome = reading.kind === "not-understood" ? "stuck" : "answered";
  return {
    kind: "answer",
    thought: THOUGHTS[reading.kind],
    style: "default",
    text,
    suggestions,
    isIdle,
    outcome,
  };
}

/**
 * Searches for the answer to a question that matches no skill; undefined if there is none. `isDoubtful` for memories that
 * only share words with the question.
 */
function recalled(
  call: PlannedCall,
  state: PlanState,
): { decision: PlannerDecision; isDoubtful: boolean } | undefined {
  const { scratchpad, skills, timeZone, locale } = state;
  const position = follow([call], scratchpad, skills);
  if (position.kind === "act")
    return {
      decision: { kind: "act", thought: THOUGHTS.recall, action: position.action },
      isDoubtful: false,
    };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  if (outcome === undefined || outcome.kind === "skipped") return undefined;
  const decision = stepOf([call], state);
  if (outcome.kind !== "done") return { decision, isDoubtful: false };
  const { skill, outputs } = outcome.done;
  if (!skill.results?.text?.(outputs)) return undefined;
  const values = Object.fromEntries(
    Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "request" && typeof value.value === "string" ? [[name, value.value]] : [],
    ),
  );
  const isAnswered =
    skill.views?.[call.view?.name ?? ""]?.(outputs, values, { timeZone, locale }) !== undefined;
  const isList = decision.kind === "answer" && decision.text?.startsWith("|") === true;
  return isAnswered || !isList
    ? { decision, isDoubtful: !isAnswered }
    : {
        decision: { ...decision, text: `${sentences.onlyRelated}\n\n${decision.text ?? ""}` },
        isDoubtful: true,
      };
}

const isStuck = (decision: PlannerDecision): boolean =>
  decision.kind === "answer" && decision.outcome === "stuck";

/** True if a plan ended without any change because its look-up of a file found none. */
function foundNothing(
  calls: readonly PlannedCall[],
  decision: PlannerDecision,
  { scratchpad, skills }: PlanState,
): boolean {
  const skillOf = (id: string | undefined) => skills.find((skill) => skill.id === id);
  // The calls after the list of files were made for the file that was found in it.
  const listed = scratchpad.findIndex(({ thought }) => thought === THOUGHTS.fileInWords);
  const before = listed < 0 ? scratchpad : scratchpad.slice(0, listed);
  return (
    isStuck(decision) &&
    calls.some(({ skill, lookup }) => lookup !== undefined && skillOf(skill)?.finds?.kind === "file") &&
    before.every(({ action }) => action === undefined || skillOf(action.tool)?.effects === "read")
  );
}

/** True if the words for a text file found a table, whose rows other phrases change: "take Otto off the member list". */
function foundTable(calls: readonly PlannedCall[], { scratchpad, skills }: PlanState): boolean {
  return calls.some((call) => {
    const finder = skills.find(({ id }) => id === call.skill)?.finds;
    if (call.lookup === undefined || finder?.kind !== "file") return false;
    const position = follow([call], scratchpad, skills);
    const [outcome] = position.kind === "end" ? position.outcomes : [];
    const found = outcome?.kind === "done" ? finder.candidates(outcome.done.outputs) : [];
    return found.length > 0 && found.every(({ id }) => /\.(?:csv|tsv)$/iu.test(id));
  });
}

/** Reads a request again with the path of the file that it names in words; undefined if it names none. */
async function withFilesInWords(
  { recall }: { recall?: PlannedCall },
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const { request: asked, scratchpad, skills } = state;
  const listings = fileListings(asked, skills, { isQuestion: recall !== undefined });
  if (listings.length === 0) return undefined;
  const position = follow(listings, scratchpad, skills);
  if (position.kind === "act") {
    const parallel = position.parallel.map(({ action }) => ({ thought: THOUGHTS.fileInWords, action }));
    const step = { thought: THOUGHTS.fileInWords, action: position.action };
    return { kind: "act", ...step, ...(parallel.length > 0 && { parallel }) };
  }
  const outcomes = position.kind === "end" ? position.outcomes : [];
  const paths = outcomes.flatMap((outcome) =>
    outcome.kind === "done" ? (outcome.done.skill.finds?.candidates(outcome.done.outputs) ?? []) : [],
  );
  const files = filesInWords(asked, [...new Set(paths.map(({ id }) => id))]);
  for (const request of files.length === 0 ? [] : withPaths(asked, files)) {
    const reading = await interpretRequest({ ...state, request });
    const named = files.filter(
      ({ path, corrected = path }) => request.includes(path) || request.includes(corrected),
    );
    // A change needs the whole name of its target.
    if (reading.kind === "plan" && (reading.readOnly || named.every(({ isWhole }) => isWhole)))
      return stepOf(reading.calls, state, undefined, [], sentences.filesMeant(named));
  }
  const [only, ...others] = files;
  if (only === undefined || others.length > 0) return undefined;
  const question = askedOf(asked, only, { isQuestion: recall !== undefined });
  if (question === undefined) return undefined;
  const reading = await interpretRequest({ ...state, request: question });
  return reading.kind === "plan" && reading.readOnly
    ? stepOf(reading.calls, state, undefined, [], sentences.filesMeant([only]))
    : undefined;
}

/**
 * Ends the run if the message after an open question does not answer it: the grammar understands all of it as a
 * request, or it is in another language. If any words can be the answer, such as a title, every message is one.
 */
function leaveQuestion(state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills, request, requestedAt, timeZone } = state;
  const { action, observation } = scratchpad.at(-1) ?? {};
  const answer = observation?.outputs?.["answer"];
  if (
    action?.tool !== ASK_SKILL ||
    typeof answer !== "string" ||
    answer.trim().split(/\s+/u).length < MIN_REQUEST
  )
    return undefined;
  const { question, options } = action.args;
  const choices = Array.isArray(options) ? options.filter((option) => typeof option === "string") : [];
  if (optionFromReply(answer, choices) !== undefined || asksForWords(question, skills)) return undefined;
  const reading = interpretAlone({ request: answer, skills, requestedAt, timeZone });
  const isForeign = reading.kind === "not-understood" && reading.foreign === true;
  const isRequest = reading.kind === "plan";
  if (!isForeign && !isRequest) return undefined;
  return {
    kind: "answer",
    thought: THOUGHTS.leftOpen,
    style: "default",
    text: isForeign ? sentences.leftForeign(request) : sentences.leftOpen(request, answer),
    suggestions: isForeign ? [] : [answer],
    outcome: "stuck",
  };
}

/** Messages with fewer words are answers: "delete it", "the milk". */
const MIN_REQUEST = 3;

const WORDS: ReadonlySet<string | undefined> = new Set(["text", "wording", "title", "query"]);

/** True for a question about an argument that accepts any words. */
function asksForWords(question: unknown, skills: readonly Skill[]): boolean {
  return skills.some(({ phrases, slots }) =>
    phrases.some((phrase) =>
      Object.entries((typeof phrase === "string" ? undefined : phrase.asks) ?? {}).some(([name, asked]) => {
        const slot = (typeof phrase === "string" ? undefined : phrase.slots?.[name]) ?? slots[name];
        return asked === question && WORDS.has(typeof slot === "string" ? slot : slot?.type);
      }),
    ),
  );
}

/** A longer text states more than one thing. */
const MAX_STATEMENT = 500;

/** Asks whether a statement replaces what is remembered of its subject; undefined if nothing like it is remembered. */
function correcting(statement: string, state: PlanState): PlannerDecision | undefined {
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
function finishing(state: PlanState): PlannerDecision | undefined {
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

/** The next move of a plan. `repeats` is the earlier request that the plan repeats. */
function stepOf(
  planned: readonly PlannedCall[],
  { scratchpad, skills, context, timeZone, locale }: PlanState,
  repeats?: string,
  remarks: readonly string[] = [],
  assumed: readonly string[] = [],
): PlannerDecision {
  const { calls: first, followed } = completeFromFunctions(planned, context?.relevantFunctions ?? [], skills);
  const calls = expandPlan(first, scratchpad, skills);
  const position = follow(calls, scratchpad, skills);
  switch (position.kind) {
    case "act": {
      const step = ({ call, action }: CallToMake, taken?: string): Step => {
        const skill = skills.find((candidate) => candidate.id === call.skill);
        const guide = followed.get(call);
        const thought = actingThought(call, skill, action, taken);
        if (!guide) return { thought, action };
        const guidedThought = `${thought} What was left out is done as in ${quote(guide.title)}.`;
        return { thought: guidedThought, action, functionId: guide.id };
      };
      const parallel = position.parallel.map((one) => step(one));
      return { kind: "act", ...step(position, position.taken), ...(parallel.length > 0 && { parallel }) };
    }
    case "ask":
      return ask(position.question, askingThought(position.call));
    case "end": {
      const reported = report(position.outcomes, skills, { timeZone, locale });
      const remarksBefore = [
        ...assumed,
        ...assumptionsOf(calls, reported.text, repeats),
        ...remarks.map(sentences.remark),
      ];
      const text = [...remarksBefore, reported.text].join("\n\n");
      const verbatim = reported.verbatim && remarksBefore.length === 0;
      return {
        kind: "answer",
        thought: THOUGHTS.end,
        style: "strict",
        text,
        verbatim,
        outcome: reported.outcome,
        suggestions: reported.suggestions,
      };
    }
    default:
      return position satisfies never;
  }
}

/**
 * Assumptions from the conversation that the answer does not show: the meaning of "it", and the request that was
 * repeated.
 */
function assumptionsOf(calls: readonly PlannedCall[], text: string, repeats: string | undefined): string[] {
  const meant = new Map<string, string[]>();
  const unnamed = new Set<string>();
  for (const { args, clause } of calls) {
    for (const value of Object.values(args)) {
      const [only, ...others] = value.from === "earlier" ? value.candidates : [];
      if (value.from !== "earlier" || only === undefined || others.length > 0 || text.includes(only.label))
        continue;
      // "Which rows are over 100?" has no word for the table that it is about.
      if (value.mention === clause) unnamed.add(only.label);
      else meant.set(value.mention, [...(meant.get(value.mention) ?? []), only.label]);
    }
  }
  return [
    ...(repeats === undefined ? [] : [sentences.repeated(repeats)]),
    ...(unnamed.size === 0 ? [] : [sentences.about([...unnamed])]),
    ...[...meant].map(([words, labels]) => sentences.meant(words, labels)),
  ];
}

/** Asks which of several plans is meant, then follows it. */
function chosenPlan(
  { plans, repeats }: Extract<Interpretation, { kind: "ambiguous" }>,
  state: PlanState,
): PlannerDecision {
  const options = planLabels(plans, state.skills);
  let question: Question = { question: sentences.whichPlan, options };
  for (let asked = 0; asked < 2; asked++) {
    const reply = answerIn(state.scratchpad)(question);
    if (reply === undefined) return ask(question, THOUGHTS.ambiguous);
    const chosen = optionFromReply(reply, options);
    const plan = typeof chosen === "number" ? plans[chosen] : undefined;
    if (plan !== undefined) return stepOf(plan, state, repeats);
    if (chosen === "none") break;
    question = { question: sentences.notAnOption(reply, sentences.whichPlan), options };
  }
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.noneChosen };
}

function ask({ question, options }: Question, thought: string): PlannerDecision {
  return { kind: "act", thought, action: { tool: ASK_SKILL, args: { question, options: [...options] } } };
}
