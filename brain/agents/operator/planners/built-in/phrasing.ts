import type { Action } from "@metahuman/core/contract/run";
import type { Candidate } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { pluralOf, truncateLine, uncapitalize } from "@metahuman/core/text/format";
import type { Skill } from "@metahuman/skills/define-skill";

const MAX_OPTION_LENGTH = 180;
export const MAX_QUOTE_LENGTH = 160;

/** Quotes words with marks that do not occur in them. */
export function quote(text: string): string {
  const words = truncateLine(text, MAX_QUOTE_LENGTH);
  return /[“”]/u.test(words) ? `‘${words}’` : `“${words}”`;
}

/** The words of an identifier, in lower case: "fileName" becomes "file name". */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/[_-]+/gu, " ")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase();

/** One line per candidate. Equal lines get what tells them apart, at last the id. */
export function optionLabels(candidates: readonly Candidate[]): string[] {
  const labels = candidates.map(({ id, label }) =>
    truncateLine(label === "" ? id : label, MAX_OPTION_LENGTH - id.length - 3),
  );
  const details = candidates.map(({ detail = "" }) => detail);
  const ids = candidates.map(({ id }) => id);
  return withDifferences(withDifferences(labels, details), ids);
}

/** Adds to each text that occurs several times what distinguishes it, if there is anything. */
function withDifferences(texts: readonly string[], differences: readonly string[]): string[] {
  return texts.map((text, index) => {
    const difference = differences[index] ?? "";
    const isDuplicate = texts.some((other, position) => other === text && position !== index);
    return isDuplicate && difference !== "" ? `${text} (${difference})` : text;
  });
}

/** The subject for a possessive: "her" for "Who is “she”?". */
const PERSONS: Readonly<Record<string, string>> = { his: "he", her: "she", their: "they" };

/** The sentences that the built-in planner writes for people. None of them is read again. */
export const sentences = {
  noneFits: (kind: string, words: string): string => `No ${kind} fits ${quote(words)}.`,
  whichOne: (kind: string, words: string, fits: boolean): string =>
    fits
      ? `Several ${pluralOf(kind)} fit ${quote(words)}. Which one do you mean?`
      : `No ${kind} fits ${quote(words)} exactly. Do you mean one of these?`,
  isThis: (kind: string, words: string): string => `No ${kind} is called ${quote(words)}. Is this the one?`,
  isAllOf: (kind: string, words: string): string =>
    `This ${kind} says more than ${quote(words)}. Do you mean all of it?`,
  replacesFact: ({ fact, corrected }: { fact: string; corrected: string }): string =>
    `${quote(fact)} is remembered. Should ${quote(corrected)} replace it?`,
  valueOf: (parameter: string, description: string, title: string): string =>
    `What is the ${wordsOf(parameter)} for ${quote(title)}?${description === "" ? "" : ` (${description})`}`,
  remindedOfWhat: "What should you be reminded of?",
  newList: (name: string): string => `There is no ${name} yet. Should it be created?`,
  isDone: (title: string): string => `Is the task ${quote(title)} done?`,
  whichIsDone: "Which of these tasks is done?",
  leftOpen: (request: string): string => `The question was left open: ${quote(request)} was not done.`,
  leftForeign: (request: string): string =>
    `Without a language model only English is understood. ${quote(request)} was not done.`,
  elsewhere: (name: string, paths: readonly string[]): string =>
    `There is no ${quote(name)} in out/, but ${paths.length === 1 ? `there is ${quote(paths[0] ?? "")}` : "other folders have one"}.`,
  whichOfThese: (found: string, values: readonly unknown[]): string =>
    `${found} ${values.length === 1 ? "Is this the one?" : "Which one do you mean?"}`,
  whichMeant: (words: string): string =>
    `${quote(words)} could be one of several things. Which one do you mean?`,
  whatIs: (words: string): string => `What do you mean by ${quote(words)}?`,
  whoIs: (pronoun: string): string => `Who is ${quote(PERSONS[pronoun.toLowerCase()] ?? pronoun)}?`,
  insteadSay: (requests: readonly string[]): string =>
    `Do you want ${requests.map(quote).join(", or ")} instead?`,
  noSuchPlace: (clause: string): string => `${quote(clause)} lists fewer than that.`,
  statement: (choices: readonly string[]): string =>
    `Thank you. Nothing of this is stored yet. Should it ${choices.join(", or ")}?`,
  nothingListed: (kind: string): string =>
    kind === "line"
      ? "That file has no lines, or more than 50."
      : `There is no ${kind} like that, or there are too many.`,
  noCalls: (request: string, answer: string): string =>
    `You wrote ${quote(request)}. No step was taken for it. The answer was ${quote(answer)}.`,
  reasons: (request: string, calls: readonly string[]): string =>
    [
      `You wrote ${quote(request)}.`,
      ...(calls.length === 0 ? [] : [`It was understood as ${calls.map(quote).join(", then ")}.`]),
      "The steps above that answer show every value, and Settings → Audit which permission allowed it.",
    ].join(" "),
  remark: (clause: string): string => `${quote(clause)} is not a request, so nothing was done about it.`,
  heading: (words: string): string => `${quote(words)} was taken as a heading.`,
  readAs: (request: string): string => `Read as ${quote(request)}.`,
  isMeant: (order: string): string => `Do you mean ${quote(order)}?`,
  repeated: (request: string): string => `As before: ${quote(request)}.`,
  meant: (words: string, labels: readonly string[]): string =>
    `${quote(words)} was taken as ${labels.map((label) => quote(label)).join(", ")}.`,
  filesMeant: (files: readonly { words: string; path: string }[]): string[] =>
    files.map(({ words, path }) => `${quote(words)} was taken as ${quote(path)}.`),
  isFile: (files: readonly { words: string; path: string }[]): string =>
    files.map(({ words, path }) => `Do you mean ${quote(path)} by ${quote(words)}?`).join(" "),
  notUnderstoodExactly: (request: string, what: string): string =>
    `${quote(request)} was not understood exactly. ${what}:`,
  onlyRelated: "Nothing in memory answers this. These share words with it:",
  about: (labels: readonly string[]): string => `From ${labels.map((label) => quote(label)).join(", ")}:`,
  isAt: (path: string): string => `It is ${quote(path)}.`,
  withinRows: (request: string): string => `For the rows of ${quote(request)}:`,
  nearestInFile: (path: string, words: readonly string[]): string =>
    `No file answers all of this. Nearest, with ${words.map(quote).join(", ")}, is ${quote(path)}:`,
  severalFiles: (words: readonly string[]): string => `Several files have ${words.map(quote).join(", ")}:`,
  notAnOption: (reply: string, question: string): string => `${quote(reply)} is none of them. ${question}`,
  whichPlan: "This can be read in two ways. Which one do you mean?",
  nothingAsked: "Nothing waits for an answer. What would you like to do?",
  nothingChosen: "All right, nothing was changed.",
  changeSkills: "You can change this under Settings → Trust and skills.",
  noneChosen: "You chose none of them, so this was not done.",
  onlyPart: (clause: string): string =>
    `${quote(clause)} returned only a part of the text, so it was not used in place of the whole.`,
  noResult: (clause: string): string => `${quote(clause)} returned nothing that could be used for it.`,
  unneeded: (clause: string, why: string): string => `${quote(clause)} was not needed. ${why}`,
  notDone: (clause: string, why: string): string => `Not done: ${quote(clause)}. ${why}`,
  /** After the result of a call that took another name, from the error of the name that is taken. */
  nameTaken: (error: string): string => `${error.replace(/\.$/u, "")} and was not changed.`,
  notTried: (clauses: readonly string[]): string => `Skipped after that: ${clauses.map(quote).join(", ")}.`,
} as const;

export const YES_OR_NO = ["Yes", "No"];
/** The options for a statement that contradicts what is remembered. */
export const REPLACE_OPTIONS = ["Replace it", "Remember both", "No"];

/** Thoughts of answers, of questions, and of calls that no clause of the request orders. */
export const THOUGHTS = {
  statement: "This states something; what is remembered of it may have changed.",
  likely: "This is read by its words and by what the conversation is about.",
  newList: "No file is the list that is meant; the person decides.",
  done: "This says that something was done; it may be a task.",
  correcting: "This says something else than what is remembered; the person decides.",
  leftOpen: "The message is not an answer to the question.",
  end: "No further step follows from the request.",
  ambiguous: "The request can be read in two ways, and one of them changes something.",
  refrain: "Nothing is to be done.",
  unnamed: "The request does not say what it is about.",
  clock: "The clock answers this.",
  "small-talk": "This asks for nothing to be done.",
  empty: "There is no request.",
  capabilities: "This asks what can be done.",
  fileInWords: "The request may name a file in words; these are the files.",
  place: "This asks where the file of the last request is.",
  unnamedFile: "Nothing is remembered that answers this; a file may.",
  recall: "No skill claims this question, but what is remembered may answer it.",
  "not-understood": "Not every word of the request is explained by what the skills can do.",
} as const;

/** The reason for a call: the words that it carries out, and the values that were not in them. */
export function actingThought(
  call: PlannedCall,
  skill: Skill | undefined,
  action: Action,
  taken: string | undefined,
): string {
  const name = call.invented[0];
  if (taken !== undefined && name !== undefined) {
    return `${quote(taken)} is taken; ${quote(String(action.args[name]))} is free.`;
  }
  if (call.lookup !== undefined) return `${quote(call.clause)}: first find what ${quote(call.lookup)} is.`;
  const does = skill === undefined ? call.skill : uncapitalize(skill.summary);
  const made =
    name === undefined ? "" : ` The name ${quote(String(action.args[name]))} is made from its words.`;
  return `${quote(call.clause)}: ${does}.${made}`;
}

/** The reason for a question: it asks which of several things the person means, or for a value without options. */
export function askingThought(
  call: PlannedCall | undefined,
  { options }: { options: readonly string[] },
): string {
  if (call === undefined) return THOUGHTS.ambiguous;
  return options.length === 0
    ? `${quote(call.clause)} lacks a value; the person gives it.`
    : `${quote(call.clause)} could mean more than one thing; the person decides.`;
}

/** One line per plan that distinguishes it from the others. */
export function planLabels(plans: readonly (readonly PlannedCall[])[], skills: readonly Skill[]): string[] {
  const summaryOf = (id: string): string => skills.find((skill) => skill.id === id)?.summary ?? id;
  const requestedIn = (plan: readonly PlannedCall[]) => plan.filter((call) => call.lookup === undefined);
  const [first = [], ...others] = plans.map(requestedIn);
  // Steps that begin all plans distinguish none.
  const differs = first.findIndex(({ clause }, index) =>
    others.some((plan) => plan[index]?.clause !== clause),
  );
  const shared = Math.max(differs, 0);
  const each = MAX_OPTION_LENGTH / Math.max(...plans.map((plan) => plan.length - shared), 1) - 40;
  const label = (plan: readonly PlannedCall[], withSummary: boolean): string => {
    const requested = requestedIn(plan);
    const steps = requested.slice(shared).map((call) => {
      const clause = `“${truncateLine(call.clause, Math.max(24, each))}”`;
      return withSummary ? `${summaryOf(call.skill)}: ${clause}` : clause;
    });
    return requested.length === 1
      ? `One step: ${steps.join("")}`
      : `${requested.length} steps: ${[...(shared > 0 ? ["…"] : []), ...steps].join(", then ")}`;
  };
  const plain = plans.map((plan) => label(plan, false));
  const isPlain = new Set(plain).size === plain.length;
  return (isPlain ? plain : plans.map((plan) => label(plan, true))).map((line) => truncateLine(line, 200));
}
