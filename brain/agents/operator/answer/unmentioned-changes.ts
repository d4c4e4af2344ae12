import { citedSteps } from "@metahuman/core/contract/citation";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { Region } from "@metahuman/core/contract/region";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { identifyingStems } from "@metahuman/core/policy/target-words";
import { isRecord } from "@metahuman/core/text/is-record";
import type { Skill } from "@metahuman/skills/define-skill";
import { actionsIn } from "./action-claims.ts";
import { kindsOfReports } from "./action-words.ts";
import { innerCalls } from "./observed-calls.ts";
import { findingsOf } from "./built-in-answer-writer.ts";
import { isObserved } from "./evidence.ts";
import { FAILURE } from "./failed-call-claims.ts";
import { areOtherParts, hasMostOf, openFailuresIn, RUNS_FUNCTION } from "./open-failures.ts";
import { quantitiesIn } from "./quantities.ts";
import { sentencesOf } from "./sentences.ts";
import { NEGATION } from "./vocabulary.ts";

/** The number of changes that are listed one by one. */
const MAX_LISTED = 8;

/**
 * One sentence for each change of the run that the answer leaves out, as the built-in answer writer words it. An answer
 * mentions a change if it cites the step or another change of the same file, or names what was changed or the text that was put there, or says how
 * many changes of the kind there are; of a file that was read, too, it must say what was done.
 */
export function unmentionedChanges(
  answer: string,
  {
    scratchpad,
    skills,
    region,
  }: { scratchpad: readonly ScratchpadEntry[]; skills: readonly Skill[]; region?: Region },
): string[] {
  const cited = new Set(citedSteps(answer));
  const read = new Set(
    scratchpad.flatMap(({ action, observation }) =>
      action?.tool === "fs_read" && observation?.success === true ? [observation.outputs?.["path"]] : [],
    ),
  );
  const isCitedOn = (path: string, isNew: boolean): boolean =>
    scratchpad.some(
      (entry) =>
        cited.has(entry.step) && subjectsOf(entry).path === path && (isNew || isChange(entry, skills)),
    );
  const sentences = sentencesOf(answer).map(({ text }) => ({ stems: stemsIn(text), text }));
  const words = new Set(stemsIn(answer));
  const counted = countedTools(
    answer,
    scratchpad.filter((entry) => isChange(entry, skills)),
  );
  const isSavedAsIt = sentences.some(({ text }) => SAVES_IT.test(text) && !NEGATION.test(text));
  const memories = scratchpad.filter(
    (entry) => entry.action?.tool === "memory_remember" && isChange(entry, skills),
  );
  const left = scratchpad.filter((entry) => {
    if (!isChange(entry, skills) || cited.has(entry.step)) return false;
    if (isSavedAsIt && memories.length === 1 && memories.includes(entry)) return false;
    if (entry.action !== undefined && counted.has(entry.action.tool)) return false;
    const { names, titles, path } = subjectsOf(entry);
    // A citation of a later call on a file also mentions that this call created it.
    const isNew = entry.observation?.outputs?.["created"] === true;
    if (path !== undefined && isCitedOn(path, isNew)) return false;
    if (path !== undefined && read.has(path))
      return !sentences.some(
        ({ stems, text }) => names.some((name) => stems.includes(name)) && actionsIn(text).length > 0,
      );
    return !isMentioned({ names, titles }, words);
  });
  const leftWithin = scratchpad.flatMap((entry) =>
    cited.has(entry.step)
      ? []
      : (innerCalls(entry) ?? []).filter(
          ({ sentence, outputs }) =>
            kindsOfReports([sentence]).some((kind) => kind !== "look") &&
            !isMentioned(subjectsIn(outputs), words),
        ),
  );
  const found = [...findingsOf(left, skills, region), ...leftWithin];
  const listed = [...new Set(found.map(({ sentence }) => sentence))];
  const more = listed.length - MAX_LISTED;
  return more <= 1 ? listed : [...listed.slice(0, MAX_LISTED), `${more} more changes were made.`];
}

/** "I have saved it", "I'll remember that": the one memory of the run. */
const SAVES_IT =
  /(?<!\p{L})i(?:['’](?:ve|ll)| have| will)? (?:(?:also|just|now) )?(?:saved|noted|remembered|stored|recorded|remember|keep|note) (?:it|this|that)(?!\p{L})/iu;

/** Failures of the planner itself, and decisions of the settings. */
const NO_FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  "CANCELLED",
  "LOOP_DETECTED",
  "POLICY_DENIED",
  "SKILL_NOT_FOUND",
]);

/**
 * One sentence for each change that failed, was not made good and is left out by an answer that reports no failure: "I made the folder and
 * the plan", where the old plan could not be moved.
 */
export function unmentionedFailures(
  answer: string,
  {
    scratchpad,
    skills,
    region,
  }: { scratchpad: readonly ScratchpadEntry[]; skills: readonly Skill[]; region?: Region },
): string[] {
  if (NEGATION.test(answer) || FAILURE.test(answer) || answer.includes("?")) return [];
  const observed = scratchpad.filter(isObserved);
  const failed = openFailuresIn(observed).flatMap((index) => {
    const entry = observed[index];
    const code = entry?.observation?.error?.code ?? "";
    return entry &&
      couldChange(entry, skills) &&
      !NO_FAILURES.has(code) &&
      !(code === "INVALID_ARGS" && sourcesIn(entry.action?.args).length > 0) &&
      !isReplaced(index, observed, skills)
      ? [entry]
      : [];
  });
  return [...new Set(findingsOf(failed, skills, region).map(({ sentence }) => sentence))].slice(
    0,
    MAX_LISTED,
  );
}

/**
 * True when another call did what the failed one was for: the next one of the same skill, unless the person denied this one, a later
 * change of the same file, or one of the same category that has most words of its arguments; of a function, one of any category.
 * Another part of the file, and another function, is something else.
 */
function isReplaced(index: number, observed: readonly ScratchpadEntry[], skills: readonly Skill[]): boolean {
  const failed = observed[index]?.action;
  if (failed === undefined) return false;
  const wasDenied = observed[index]?.observation?.error?.code === "APPROVAL_DENIED";
  const pathsOf = (args: Record<string, unknown>): unknown[] =>
    [args["path"], args["from"], args["to"]]
      .filter((path) => typeof path === "string")
      .map((path) => path.replace(/^out\//u, ""));
  const paths = pathsOf(failed.args);
  const categoryOf = (tool: string): string | undefined => skills.find(({ id }) => id === tool)?.category;
  return observed.slice(index + 1).some(({ action, observation }, distance) => {
    if (action === undefined || !mayReplace({ action, observation }, skills)) return false;
    const isSameSkill = action.tool === failed.tool;
    if (isSameSkill && (action.tool === RUNS_FUNCTION || areOtherParts(action.args, failed.args)))
      return false;
    return (
      (distance === 0 && isSameSkill && !wasDenied) ||
      pathsOf(action.args).some((path) => paths.includes(path)) ||
      ((failed.tool === RUNS_FUNCTION || categoryOf(action.tool) === categoryOf(failed.tool)) &&
        hasMostOf(failed.args, [action.args, observation?.outputs]))
    );
  });
}

/** The skills whose number of uses the answer states: "All twelve are there". */
function countedTools(answer: string, changes: readonly ScratchpadEntry[]): Set<string> {
  const numbers = new Set(quantitiesIn(answer).numbers.flatMap(({ values }) => values));
  const byTool = Map.groupBy(changes, ({ action }) => action?.tool ?? "");
  return new Set(
    [...byTool].flatMap(([tool, { length }]) => (length > 1 && numbers.has(length) ? [tool] : [])),
  );
}

const stemsIn = (text: string): string[] => identifyingStems(text.replaceAll("_", " "));

const isChange = (entry: ScratchpadEntry, skills: readonly Skill[]): boolean =>
  entry.observation?.success === true && changes(entry, skills);

/** True for a call that changes something when it succeeds. */
function changes({ action }: Pick<ScratchpadEntry, "action">, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return skill?.effects === "write" && skill.category !== "agent" && skill.category !== "functions";
}

/** As `changes`; the run of a function counts, too. */
const couldChange = ({ action }: Pick<ScratchpadEntry, "action">, skills: readonly Skill[]): boolean =>
  action?.tool === RUNS_FUNCTION || changes({ action }, skills);

const mayReplace = (
  entry: Pick<ScratchpadEntry, "action" | "observation">,
  skills: readonly Skill[],
): boolean => entry.observation?.success === true && couldChange(entry, skills);

/** The words of the paths, and of the titles, of what a call changed, and the path. */
interface Subjects {
  names: readonly string[];
  titles: readonly string[];
  path?: string;
}

/** True if the answer names what was changed. */
const isMentioned = ({ names, titles }: Subjects, words: ReadonlySet<string>): boolean =>
  names.some((name) => words.has(name)) || containsHalf(titles, words);

const subjectsOf = ({ action, observation }: ScratchpadEntry): Subjects =>
  subjectsIn(observation?.outputs ?? {}, action?.args);

function subjectsIn(outputs: Record<string, unknown>, args: Record<string, unknown> = {}): Subjects {
  const texts = (...values: unknown[]) => values.filter((value) => typeof value === "string");
  const paths = texts(outputs["path"], outputs["to"], outputs["from"], args["path"], args["from"]);
  const records = [outputs["task"], outputs["schedule"], outputs["removed"], outputs["replaced"]].filter(
    isRecord,
  );
  const [path] = paths;
  return {
    names: paths.flatMap((one) =>
      stemsIn(one.replace(/^(?:out|inbox)\//u, "").replace(/(?<=.)\.[^./]*$/u, "")),
    ),
    titles: texts(
      outputs["content"],
      outputs["row"],
      args["text"],
      args["message"],
      ...records.map(({ title }) => title),
    ).flatMap(stemsIn),
    ...(path !== undefined && { path }),
  };
}

function containsHalf(stems: readonly string[], words: ReadonlySet<string>): boolean {
  return stems.length > 0 && 2 * stems.filter((stem) => words.has(stem)).length >= stems.length;
}
