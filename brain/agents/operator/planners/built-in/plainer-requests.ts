import type { PlannerDecision, PlanState } from "../../planner.ts";
import { MAX_ORDER } from "./conversation/limits.ts";
import { withoutAsides, withoutOpening, withoutPurpose } from "./filler-words.ts";
import { rewriteFileOrder } from "./files/file-wordings.ts";
import { ASK_SKILL } from "./follow.ts";
import { isLeftUndone, withReading } from "./next-step.ts";
import { withoutReasons } from "./order-with-reasons.ts";
import { sentences } from "./phrasing.ts";
import { correctRequest } from "./request-spelling.ts";
import { withoutBoth } from "./tasks/task-sentences.ts";
import { rewriteAsTask, rewriteChangeByOthers } from "./tasks/task-wordings.ts";

// A request that is not understood as written is read once more in plainer words: with typing errors corrected and without filler words.
// The words are rewritten without knowledge of the call, and read by the grammar like any others.

type Decide = (state: PlanState) => Promise<PlannerDecision>;

/**
 * The decision about a request, or, if nothing can be done or answered, about the same request in plainer words. The answer and the
 * steps say how it was read.
 */
export async function decideInPlainerWords(state: PlanState, decide: Decide): Promise<PlannerDecision> {
  const decision = await decide(state);
  if (!isLeftUndone(decision)) return decision;
  for (const request of plainerRequests(state.request)) {
    if (hasChangedOtherwise(state, request)) continue;
    // For this decision, its own steps are those of a request as it is written.
    const scratchpad = state.scratchpad.map(({ reading, ...entry }) =>
      reading === undefined || reading.request === request ? entry : { ...entry, reading },
    );
    const plainer = await decide({ ...state, request, scratchpad });
    if (isLeftUndone(plainer)) continue;
    const readAs = sentences.readAs(request);
    if (plainer.kind === "answer") {
      const text = plainer.text && `${readAs}\n\n${plainer.text}`;
      return { ...plainer, ...(text !== undefined && { text, verbatim: false }) };
    }
    if (plainer.action.tool === ASK_SKILL) continue;
    return withReading(plainer, { request, isGuess: false }, readAs);
  }
  return decision;
}

/** True if a step that did not carry out this plainer request changed something. */
const hasChangedOtherwise = ({ scratchpad, skills }: PlanState, request: string): boolean =>
  scratchpad.some(
    ({ action, reading }) =>
      action !== undefined &&
      skills.find(({ id }) => id === action.tool)?.effects !== "read" &&
      reading?.request !== request,
  );

/**
 * The same request in plainer words, the nearest to what was written first; none for a text, and for a request without anything to
 * leave out or to correct.
 */
function plainerRequests(request: string): string[] {
  if (request.length > MAX_ORDER || request.includes("\n")) return [];
  const written = request.trim();
  const spelled = correctRequest(written);
  const short = withoutAsides(spelled);
  const opened = withoutOpening(short);
  const ordered = withoutReasons(opened);
  const found = [
    spelled,
    withoutAsides(written),
    short,
    opened,
    rewriteWithPathIn(short),
    rewriteAsQuestionAlone(short),
    withoutPurpose(opened),
    short.replace(NOT_FORGET, "remember that "),
    rewriteAsTask(opened),
    rewriteFileOrder(opened),
    rewriteChangeByOthers(opened),
    ordered,
    rewriteFileOrder(ordered),
    withoutBoth(short),
  ];
  return [...new Set(found)].filter((plain) => plain !== "" && plain !== written);
}

/** "Don't forget the pump is a Grundfos": a fact to remember. */
const NOT_FORGET = /^(?:do not|don['’]?t)\s+(?:forget|let me forget)(?:\s+that)?\s+(?!to\b)/iu;

const PATH = String.raw`(?:[\w-]+\/)*[\w-]+\.(?:csv|tsv|md|txt|json)`;
/** "Price of duck, out/menu.csv": where to look, without "in". */
const PATH_BEHIND = new RegExp(
  String.raw`^(?<asked>[^,:;\n]{3,120}?)\s*[,:;-]+\s*(?<path>${PATH})[\s?.!]*$`,
  "iu",
);
function rewriteWithPathIn(request: string): string {
  const { asked, path } = PATH_BEHIND.exec(request)?.groups ?? {};
  return asked === undefined || path === undefined ? request : `${asked} in ${path}`;
}

/** "Let me test you. Who has the spare key?": the question, if the sentence before it is a remark without figures. */
const QUESTION_LAST =
  /^(?:[^\s\d.?!]+\s+){0,5}[^\s\d.?!]+[.!]\s+(?<question>(?:and\s+|so\s+|now\s+)?(?:who|what|which|how|when|where|whose|is|are|do|does|did|can)\b[^.?!]+\?)$/iu;
const rewriteAsQuestionAlone = (request: string): string =>
  QUESTION_LAST.exec(request)?.groups?.["question"] ?? request;
