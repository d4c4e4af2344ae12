import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { afterFiller } from "@metahuman/core/language/tokens/filler-phrases";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { plainWords } from "@metahuman/core/text/words";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { follow } from "../follow.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { stepOf } from "../next-step.ts";
import { sentences, THOUGHTS, YES_OR_NO } from "../phrasing.ts";
import { readShortOrders, stripFiller } from "../conversation/short-orders.ts";
import { findSubjects } from "../conversation/subjects.ts";
import { decideByReply } from "../conversation/ask-person.ts";
import {
  rewriteAsFileQuestion,
  type FileInWords,
  createFileListings,
  findFilesInWords,
  findAmbiguousFiles,
  rewriteWithPaths,
} from "./file-in-words.ts";

// Decides requests that name a file in words. "Read the school letter" lists the files and then reads inbox/letter-from-school.txt;
// "delete the shopping list" asks first, because only a part of the name is said. It also asks which of several files is meant, and
// offers a new list where none has the name. The words are compared with names in file-in-words.ts; questions without any name are in
// unnamed-file.ts, messages for the current JSON file in json-orders.ts, short orders in path-orders.ts.

/** "Open invoices?": a few words and a question mark, of which the first may also be an order. */
const BARE_QUESTION = /^(?![^]{201})\W*(?:[\p{L}\p{N}'’-]+\s+){1,3}[\p{L}\p{N}'’-]+\s*\?\W*$/u;

/** A request without what leads in to it: "by the way, how many clients are inactive". */
function stripBeginning(request: string): string {
  const tokens = tokenize(request);
  const { at, asksAbility } = afterFiller(tokens, 0, tokens.length);
  const first = tokens[at];
  return asksAbility || first === undefined ? request : request.slice(first.start);
}

/** Reads a request again with the path of the file that it names in words; undefined if it names none. */
export async function decideFilesInWords(
  { recall, foreign }: { recall?: PlannedCall; foreign?: true },
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const { scratchpad, skills } = state;
  const requestText = stripBeginning(state.request);
  // The words of another language name no file here.
  if (foreign) return undefined;
  const isQuestion = recall !== undefined || BARE_QUESTION.test(requestText);
  const listings = createFileListings(requestText, skills, { isQuestion });
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
  const ids = [...new Set(paths.map(({ id }) => id))];
  const files = findFilesInWords(requestText, ids);
  const [only, ...others] = files;
  const question =
    only === undefined || others.length > 0
      ? undefined
      : rewriteAsFileQuestion(requestText, only, { isQuestion });
  // Memory is not searched for a path.
  const isOfFile = (calls: readonly PlannedCall[]): boolean =>
    calls.every(({ skill: id }) => skills.every((skill) => skill.id !== id || skill.answers === undefined));
  const answerQuestion = async (): Promise<PlannerDecision | undefined> => {
    const reading =
      question === undefined ? undefined : await interpretRequest({ ...state, request: question });
    return reading?.kind === "plan" && reading.readOnly && isOfFile(reading.calls) && only !== undefined
      ? stepOf(reading.calls, state, { assumed: sentences.filesMeant([only]) })
      : undefined;
  };
  // "Open invoices?" would also be the order to open the file.
  if (BARE_QUESTION.test(requestText) && question !== undefined) return await answerQuestion();
  let partlyNamed: { calls: readonly PlannedCall[]; named: readonly FileInWords[] } | undefined;
  for (const request of files.length === 0 ? [] : rewriteWithPaths(requestText, files)) {
    const reading = await interpretRequest({ ...state, request });
    const named = files.filter(
      ({ path, corrected = path }) => request.includes(path) || request.includes(corrected),
    );
    if (reading.kind !== "plan" || !isOfFile(reading.calls)) continue;
    if (reading.readOnly || named.every(({ isWhole }) => isWhole))
      return stepOf(reading.calls, state, { assumed: sentences.filesMeant(named) });
    partlyNamed ??= { calls: reading.calls, named };
  }
  const answer = await answerQuestion();
  if (answer !== undefined) return answer;
  if (partlyNamed !== undefined) return decideConfirmedChange(partlyNamed, state);
  return files.length === 0 ? await decideWhichFile(requestText, ids, state) : undefined;
}

/** Asks before a change of a file that is named by a part of its name: "delete the shopping list" for `shopping-list-for-saturday.txt`. */
function decideConfirmedChange(
  { calls, named }: { calls: readonly PlannedCall[]; named: readonly FileInWords[] },
  state: PlanState,
): PlannerDecision {
  const question = { question: sentences.isFile(named), options: YES_OR_NO };
  return decideByReply(question, { thought: THOUGHTS.fileInWords }, state, (reply) =>
    optionFromReply(reply, YES_OR_NO) === 0 ? stepOf(calls, state) : undefined,
  );
}

/** Asks which of several files the person means, if the words fit all of them and the request could be carried out for each. */
async function decideWhichFile(
  requestText: string,
  ids: readonly string[],
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const ambiguous = findAmbiguousFiles(requestText, ids);
  if (ambiguous === undefined) return undefined;
  const { words, start, end, paths } = ambiguous;
  const plans: (readonly PlannedCall[])[] = [];
  for (const path of paths) {
    const request = `${requestText.slice(0, start)}${path}${requestText.slice(end)}`;
    const reading = await interpretRequest({ ...state, request });
    if (reading.kind !== "plan") return undefined;
    plans.push(reading.calls);
  }
  const question = { question: sentences.whichOne("file", words, true), options: paths };
  const asking = { thought: THOUGHTS.fileInWords, declined: sentences.noneChosen };
  return decideByReply(question, asking, state, (reply) => {
    const plan = plans[Number(optionFromReply(reply, paths))];
    return plan && stepOf(plan, state);
  });
}

/** "In the new one", "to the final version", "the Sunday one": one of several files of the conversation. */
const ONE_OF_FILES =
  /\b(?<before>(?:in|on|to|of|from|into|does|is|has|show|read|open|delete|rename|move|copy)\s+(?:me\s+)?)the\s+(?<which>\p{L}+)\s+(?:one|version|file|copy)\b/iu;
const IS_COPY = /^(?:new|newer|second|copied|other)$/iu;
const IS_ORIGINAL = /^(?:old|older|original|first)$/iu;

/** The request with the path of the file that it calls "the new one"; undefined if it means none, or several. */
export async function rewriteWithFileOfSeveral({ request, earlier }: PlanState): Promise<string | undefined> {
  const { before, which } = ONE_OF_FILES.exec(request)?.groups ?? {};
  if (before === undefined || which === undefined) return undefined;
  const calls = ((await earlier?.()) ?? []).flatMap(({ calls: made }) => made.toReversed());
  const paths = [
    ...new Set(
      calls.flatMap(({ outputs }) =>
        ["path", "to", "from"].flatMap((name) =>
          typeof outputs?.[name] === "string" ? [outputs[name]] : [],
        ),
      ),
    ),
  ];
  const copied = calls.find(({ outputs }) => outputs?.["from"] !== undefined && outputs["to"] !== undefined);
  const named = paths.filter((path) =>
    plainWords(path.replaceAll(/[/._-]/gu, " ")).some(
      (word) => word.length > 2 && (word === which.toLowerCase() || which.toLowerCase().startsWith(word)),
    ),
  );
  const [only, ...others] = IS_COPY.test(which)
    ? [copied?.outputs?.["to"]]
    : IS_ORIGINAL.test(which)
      ? [copied?.outputs?.["from"]]
      : named;
  return typeof only === "string" && others.length === 0
    ? request.replace(ONE_OF_FILES, () => `${before}${only}`)
    : undefined;
}

/** "Add eggs to the shopping list": things for a list that has a name and is not a list of tasks. */
const FOR_LIST = new RegExp(
  [
    String.raw`^(?:(?:please|also|and|can you|could you|would you)[,\s]+)*(?:add|put|write|note)\s+(?<items>[^.!?:\n]{1,200}?)\s+`,
    String.raw`(?:to|on|onto|in)\s+(?:(?:the|my|our|a)\s+)?(?<name>(?!(?:to-?do|task|tasks)\b)\p{L}[\p{L}\s-]{1,30}\blist)`,
    String.raw`(?:\s+(?:please|pls|thanks|too|as well))*[\s.!?]*$`,
  ].join(""),
  "iu",
);

/** Asks whether a list that does not exist is to be created with what should go on it; undefined for any other request. */
export function decideNewList(state: PlanState): PlannerDecision | undefined {
  const { items, name } = FOR_LIST.exec(stripFiller(state.request).text)?.groups ?? {};
  if (items === undefined || name === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `create a ${name} with ${items}` });
  if (reading.kind !== "plan" || reading.readOnly) return undefined;
  const question = { question: sentences.newList(name), options: YES_OR_NO };
  return decideByReply(question, { thought: THOUGHTS.newList }, state, (reply) =>
    optionFromReply(reply, YES_OR_NO) === 0 ? stepOf(reading.calls, state) : undefined,
  );
}

/** The path of the file or folder that "where did you put it?" asks for; undefined for another request, and without one. */
export async function findPlaceAsked(state: PlanState): Promise<string | undefined> {
  if (!readShortOrders(state.request).some(({ verb }) => verb === "where")) return undefined;
  const [newest] = await findSubjects(state);
  return newest !== undefined && "path" in newest ? newest.path : undefined;
}
