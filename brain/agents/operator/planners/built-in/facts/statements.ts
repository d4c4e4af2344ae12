import { oneOf } from "@metahuman/core/text/patterns";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { Skill } from "@metahuman/skills/define-skill";
import { records } from "@metahuman/skills/outputs";
import {
  contradiction,
  MAX_STATEMENT,
  plainStatement,
  saysChange,
} from "@metahuman/skills/support/contradiction";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { lookUp } from "../follow.ts";
import { findWordChange } from "../text/line-corrections.ts";
import { stepOf } from "../next-step.ts";
import { REPLACE_OPTIONS, sentences, THOUGHTS } from "../phrasing.ts";
import type { Question } from "../resolve.ts";
import { type ShortOrder, stripFiller } from "../conversation/short-orders.ts";
import type { Resolution } from "../conversation/resolution.ts";
import { type SubjectOf, findSubjects } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { decideByReply } from "../conversation/ask-person.ts";
import { rewriteWithName } from "./unnamed-person.ts";
import { anyOf, ASKS, CHANGE_VERBS, PERSON, THING } from "../word-lists.ts";

// Decisions about statements that change a remembered fact: "the wifi password is tulip43 now" replaces the fact, or asks whether to
// replace it. A statement about nothing that is remembered changes nothing.

const CHANGE = oneOf(CHANGE_VERBS, "edit|adjust");
/** "Change the wifi password to tulip43": the subject of a fact, and its new value. */
const SETS_FACT = new RegExp(
  String.raw`(?:^|[,.;:]\s|\s)${CHANGE}\s+(?<subject>(?:(?:the|my|our|his|her|their)\s+|(?=\S+['’]s\s))[\p{L}\d'’-]+(?:\s[\p{L}\d'’-]+){0,5}?)\s+(?:to|into|as)\s+(?<value>[^,;!?\n]{1,80}?)[\s.!]*$`,
  "iu",
);
/** "The key hangs in room 12 now. Please change that." */
const STATES_AND_CORRECTS = new RegExp(
  String.raw`^(?<statement>[^\n]{5,160}?)\s*[,.;!–-]\s*(?:(?:so|and|please|pls|kindly|can you|could you)\s+)*(?:${CHANGE}|note|remember|replace|put|save|keep)\s+(?:that|it|this)(?:\s+(?:down|in|too|please|pls|in mind|for me))*[\s.!?]*$`,
  "iu",
);
const SAYS_WRONG = oneOf(
  String.raw`(?:that|this|it)(?:['’]?s|\s+(?:is|was))\s+(?:wrong|not\s+(?:right|true|correct)|outdated|old)(?:\s+now)?`,
  String.raw`(?:my|i(?:['’]ve|\s+have)?\s+(?:made|did|make))\s+(?:an?\s+)?(?:mistake|error|slip)`,
  String.raw`(?:i\s+)?(?:was|am|['’]m)\s+wrong`,
  String.raw`i\s+(?:said|got|told\s+you|had|wrote|put|gave\s+you)\s+(?:it|that|this)\s+wrong`,
  String.raw`i\s+misremembered`,
);
const CORRECTS = oneOf(
  String.raw`(?:please\s+)?${CHANGE}\s+(?:that|it|this)`,
  "correction|update",
  String.raw`(?:(?:no|oh|oops|sorry|wait|actually|ah)[,.!]?\s+){0,3}${SAYS_WRONG}(?:\s+(?:there|before|earlier|sorry))?`,
);
/** "Update that: Pat owes me 280", "correction: …" */
const CORRECTION = new RegExp(String.raw`^${CORRECTS}\s*[:,.;–-]\s*(?<statement>[^\n]{5,160})$`, "iu");

/** What an order to change a fact states: "the wifi password is tulip43"; undefined for any other request. */
function readOrderedFact(request: string): string | undefined {
  const order = request.trim();
  if (order.length > MAX_STATEMENT || order.endsWith("?")) return undefined;
  const { subject, value } = SETS_FACT.exec(order)?.groups ?? {};
  if (subject !== undefined && value !== undefined) return `${subject} is ${value}`;
  const statement = (CORRECTION.exec(order) ?? STATES_AND_CORRECTS.exec(order))?.groups?.["statement"];
  return statement?.replace(/[\s.!]+$/u, "");
}

/** Changes the remembered fact that a request orders to change; undefined for any other request, and if there is no such fact. */
export function decideOrderedFactChange(state: PlanState): PlannerDecision | undefined {
  const orderedFact = readOrderedFact(state.request);
  return orderedFact === undefined ? undefined : decideFactChange(orderedFact, state, { isOrdered: true });
}

/**
 * Replaces the remembered fact that a statement contradicts, if the person orders that (`isOrdered`) or says that it has changed; asks
 * otherwise. `replaces` is the text of the fact, if it is known. Undefined if no such fact is remembered.
 */
export function decideFactChange(
  statement: string,
  state: PlanState,
  { isOrdered = false, replaces }: { isOrdered?: boolean; replaces?: string } = {},
): PlannerDecision | undefined {
  const { skills } = state;
  const search = statement.length > MAX_STATEMENT ? undefined : createFactSearch(statement, skills);
  const factSkill = skills.find(({ keeps }) => keeps !== undefined);
  if (search === undefined || factSkill?.keeps === undefined) return undefined;
  const found = lookUp(search, state);
  if (found.kind === "act") return { ...found, thought: THOUGHTS.statement };
  const { outcome } = found;
  const knownFact =
    outcome?.kind === "done" &&
    (replaces === undefined
      ? findConflictingFact(statement, outcome.done.outputs, outcome.done.skill)
      : findSameFact(replaces, statement, outcome.done.outputs, outcome.done.skill));
  if (!knownFact) return undefined;
  const replaced = callOf(
    factSkill.id,
    fromRequest({ [factSkill.keeps]: knownFact.corrected, replaces: knownFact.id }),
    statement,
  );
  // The replaced memory stays in the archive.
  if (isOrdered || knownFact.isCertain) return stepOf([search, replaced], state);
  const question: Question = {
    question: sentences.replacesFact(knownFact),
    kind: "replacement",
    options: REPLACE_OPTIONS,
  };
  const addition = callOf(factSkill.id, fromRequest({ [factSkill.keeps]: statement }), statement);
  return decideByReply(question, { thought: THOUGHTS.correcting }, state, (reply) => {
    const chosen = [replaced, addition][Number(optionFromReply(reply, REPLACE_OPTIONS))];
    return chosen && stepOf([search, chosen], state);
  });
}

/** Corrects what is remembered by a statement that says that it has changed. */
export const decideStatedFactChange = (state: PlanState): PlannerDecision | undefined =>
  saysChange(state.request) ? decideFactChange(state.request, state) : undefined;

/** "No, her number is 12": a statement that denies the last answer. */
const DENIES_LAST = /^(?:no|nope|wrong)[,.!]?\s+(?:(?:wait|sorry|actually)[,.]?\s+)?(?<statement>\S[^?]*)$/iu;

/** Corrects what is remembered by a statement that denies something; undefined for one that only forbids. */
export async function decideDeniedFactChange(state: PlanState): Promise<PlannerDecision | undefined> {
  const statement = DENIES_LAST.exec(state.request.trim())?.groups?.["statement"];
  if (statement === undefined) return decideStatedFactChange(state);
  return decideFactChange((await rewriteWithName(statement, state)) ?? statement, state, {
    isOrdered: true,
  });
}

/** "It's eucalyptus, not clove", after a fact was remembered: the fact with the right words. Undefined for any other message. */
export async function decideLastFactChange(state: PlanState): Promise<PlannerDecision | undefined> {
  const fact = (await findSubjects(state)).find(({ kind }) => kind === "fact");
  if (fact?.kind !== "fact" || fact.age > 0) return undefined;
  const change = findWordChange(state.request.trim(), {
    path: "",
    lines: [fact.text],
    age: 0,
    isChanged: true,
  });
  if (change === undefined) return undefined;
  return decideFactChange(
    fact.text.replace(change.find, () => change.text),
    state,
    { isOrdered: true, replaces: fact.text },
  );
}

const OWNED = String.raw`(?<subject>(?:the|my|our|his|her|their)\s+[^,;:.?]{2,40}?)`;
const NOW_IT_IS = String.raw`(?:and\s+|now\s+)*(?:it['’]?s|it\s+is|they\s+are|they['’]re)\s+(?:now\s+)?(?<value>[^,;.?]{1,60}?)(?:\s+now)?[\s.!]*$`;
/** "The key has moved, I'm afraid: it is with Ann now", "they changed the gate code, it's 8820 now" */
const CHANGED_FACT: readonly RegExp[] = [
  new RegExp(
    String.raw`^${OWNED}\s+(?:has|have)\s+(?:been\s+)?(?:moved|changed)(?:,\s+i['’]?\s?a?m\s+afraid)?(?:\s*[,;:.]|\s+and|\s+so)?\s+${NOW_IT_IS}`,
    "iu",
  ),
  new RegExp(
    String.raw`^(?:they|we|he|she|i|somebody|someone|[\p{L}]+)(?:['’]ve|\s+have|\s+has)?\s+(?:just\s+)?changed\s+${OWNED}(?:\s+again)?(?:\s*[,;:.]|\s+and|\s+so)?\s+${NOW_IT_IS}`,
    "iu",
  ),
];

/** The fact that a message says has changed, as one statement: "the gate code is 8820 now". Undefined for any other message. */
export async function rewriteChangedFact(state: PlanState): Promise<string | undefined> {
  const request = state.request.trim();
  if (request.length > MAX_ORDER) return undefined;
  const groups = CHANGED_FACT.map((form) => form.exec(request)?.groups).find((found) => found !== undefined);
  const { subject, value } = groups ?? {};
  if (subject === undefined || value === undefined) return undefined;
  // A meeting that has moved is a task or an appointment.
  const [newest] = await findSubjects(state);
  return newest === undefined || newest.kind === "fact" ? `${subject} is ${value} now` : undefined;
}

/** "And in which year was that" */
const ASKS_FURTHER = new RegExp(
  String.raw`^\W*(?:(?:and|also|plus|so|but|ok)\s+)*(?:(?:in|on|at|by|from|to|for|with|of|since|until)\s+)?(?:${ASKS})\b`,
  "iu",
);
const REFERS = anyOf(PERSON, THING, "they");
/** What a fact is about: the words before its verb. */
const ABOUT =
  /^(?:the|my|our|a|an)?\s*(?<subject>\S.*?)\s+(?:is|are|was|were|has|have|lives?|comes?|costs?|works?)\b/iu;

/** "And the cellar code is 99" after something was remembered, and questions about it: "and in which year was that?" */
export function readFurtherFact(
  { verb, isBare }: ShortOrder,
  { age, isChanged, text }: SubjectOf<"fact">,
  { request }: PlanState,
): Resolution | undefined {
  if (age > 0 || !isChanged) return undefined;
  if (ASKS_FURTHER.test(request) || /\?\s*$/u.test(request)) {
    const about = ABOUT.exec(text)?.groups?.["subject"];
    const refers = REFERS.test(request);
    return about !== undefined && refers
      ? { kind: "request", request: `what do you know about ${about}` }
      : undefined;
  }
  const isStated = verb === "set" && isBare === true && /\s(?:is|are|was)\s/iu.test(request);
  return isStated && /^\W*(?:and|also|plus)\b/iu.test(request)
    ? { kind: "request", request: `remember that ${stripFiller(request).text}` }
    : undefined;
}

/** A look-up of what is remembered about a statement. Undefined if no skill remembers and answers. */
function createFactSearch(statement: string, skills: readonly Skill[]): PlannedCall | undefined {
  const search = skills.find(({ answers, finds }) => answers !== undefined && finds !== undefined);
  if (search?.answers === undefined || skills.every(({ keeps }) => keeps === undefined)) return undefined;
  const call = callOf(search.id, fromRequest({ [search.answers]: plainStatement(statement) }), statement);
  return { ...call, lookup: statement };
}

/** A remembered fact, and what it says once a statement has corrected it. */
interface KnownFact {
  id: string;
  fact: string;
  corrected: string;
  /** True if the statement says that the fact has changed. */
  isCertain: boolean;
}

/** Returns the first remembered fact that contradicts a statement: the same subject and verb with another value. */
function findConflictingFact(
  statement: string,
  outputs: Record<string, unknown>,
  { finds }: Pick<Skill, "finds">,
): KnownFact | undefined {
  const conversations = new Set(
    records(outputs, "results").flatMap(({ id, type }) => (type === "conversation" ? [id] : [])),
  );
  for (const { id, label: fact } of finds?.candidates(outputs) ?? []) {
    // A stored conversation is not a fact, although it may have the same words.
    if (conversations.has(id)) continue;
    const found = contradiction(fact, statement);
    if (found !== undefined) return { id, fact, ...found };
  }
  return undefined;
}

/** The remembered fact with exactly these words. */
function findSameFact(
  fact: string,
  corrected: string,
  outputs: Record<string, unknown>,
  { finds }: Pick<Skill, "finds">,
): KnownFact | undefined {
  const same = (finds?.candidates(outputs) ?? []).find(({ label }) => label === fact);
  return same && { id: same.id, fact, corrected, isCertain: true };
}
