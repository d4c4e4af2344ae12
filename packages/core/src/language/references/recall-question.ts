import { oneOf } from "../../text/patterns.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";
import type { Clause } from "../grammar/clauses.ts";
import { leadingWords } from "../grammar/small-talk.ts";
import { startsCommand } from "../grammar/grammar.ts";
import { clauseText, STATEMENT_VERB } from "../grammar/not-understood.ts";
import type { InterpretationContext } from "../grammar/match.ts";
import type { PlannedCall } from "../grammar/plan.ts";
import { MAX_TITLE } from "../slots/slot-reader.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";

/** Longer text is not treated as a question. */
const MAX_WORDS = 16;
/**
 * Returns a memory look-up for a question that matches no phrase: "what is the garage code?", "mum's birthday?".
 * Undefined if no skill answers questions, if the question is about capabilities, or if the text is not a question.
 */
export function recallCallFor(context: InterpretationContext, clause: Clause): PlannedCall | undefined {
  const { tokens, grammar } = context;
  const skill = grammar.skills.find(({ answers }) => answers !== undefined);
  if (skill?.answers === undefined || !asks(context, clause)) return undefined;
  let { at: from } = afterFiller(tokens, clause.from, clause.to);
  let { to } = clause;
  to = withoutFiller(context, { from, to });
  if (to - from > MAX_WORDS) return undefined;
  // Question words at the beginning are not searched for: "what does", "do you know which".
  while (from < to && isAsking(tokens, from)) from++;
  const words = clauseText(context, { from, to });
  if (from >= to || words.length > MAX_TITLE || !/\p{L}/u.test(words)) return undefined;
  return {
    skill: skill.id,
    args: { [skill.answers]: { from: "request", value: words } },
    clause: clauseText(context, clause),
    invented: [],
    freeText: [skill.answers],
    lookup: undefined,
    view: { name: "answer", values: {} },
  };
}

const MEASURED = /^(?:much|many)$/u;

/** True for a word that only asks: "what does", "how much". */
function isAsking(tokens: InterpretationContext["tokens"], at: number): boolean {
  const { kind, text = "" } = tokens[at] ?? {};
  return (
    kind === "word" && (FUNCTION_WORDS.has(text) || (MEASURED.test(text) && tokens[at - 1]?.text === "how"))
  );
}

/** The end of a clause without "pls", "thanks" and final marks. */
function withoutFiller({ tokens }: InterpretationContext, { from, to }: Pick<Clause, "from" | "to">): number {
  let end = to;
  while (
    end > from + 1 &&
    (tokens[end - 1]?.kind === "mark" || /^(?:please|pls|plz|thanks|thx)$/u.test(tokens[end - 1]?.text ?? ""))
  )
    end--;
  return end;
}

/** First words of a supposition or a request for permission. */
const SUPPOSITION: readonly (readonly string[])[] = [
  "if",
  "unless",
  "whether",
  "suppose",
  "imagine",
  "assuming",
  "should",
  "shall",
  "may",
  "might",
  "can",
  "could",
  "would",
  "will",
  "what if",
  "what would",
  "what happens",
  "what does it mean",
].map((words) => words.split(" "));
/** "Garage code?" is a question because of its mark. Longer text without a question word is not. */
const MAX_BARE_WORDS = 3;

const NOUN_PHRASE_WORDS = oneOf(
  "[Nn]ame|[Nn]umber|address|date|day|time|code|password|birthday|price|size|colou?r|phone|phone number",
);
/** "The code for the alarm pls": what somebody wants to know, without a verb. */
const NOUN_PHRASE = new RegExp(
  String.raw`^(?:(?:[Tt]he|[Mm]y|[Oo]ur)\s(?=.*\s(?:of|for)\s|.*['’]s?\s)|\p{Lu}[\p{L}-]*['’]s?\s|${NOUN_PHRASE_WORDS} (?:of|for)\s)\S+(?:\s\S+){0,8}$`,
  "u",
);
/** Longer text without a question word and with a question mark may ask for leave: "delete a.md?". */
const MAX_NOUN_WORDS = 6;
const VERB_WORDS = oneOf(
  "is|are|was|were|be|been|has|have|had|will|would|should|shall|must|can|could|may|might|do|does|did",
  String.raw`needs?|wants?|goes|comes|belongs?|\p{L}+ed|not|no|never`,
);
const VERB = new RegExp(String.raw`\b${VERB_WORDS}\b|['’](?:s|re|ve|ll)\s+(?:not|been|a|the)\b`, "iu");

function asks(context: InterpretationContext, clause: Clause): boolean {
  const { tokens, grammar } = context;
  const { from, to } = clause;
  if (clause.kind === "unknown") {
    const words = clauseText(context, { from, to: withoutFiller(context, clause) });
    const first = tokens[from];
    const isAsked =
      tokens[to - 1]?.text === "?" &&
      words.split(/\s+/u).length <= MAX_NOUN_WORDS &&
      first?.kind === "word" &&
      !startsCommand(grammar, first);
    if (
      (isAsked || NOUN_PHRASE.test(words)) &&
      !VERB.test(words) &&
      !STATEMENT_VERB.test(words) &&
      !/[,;:!]/u.test(words)
    )
      return true;
  }
  if (clause.kind === "question")
    return !clause.asksAbility && leadingWords(tokens, from, to, SUPPOSITION) === 0;
  const words = tokens.slice(from, to - 1);
  const first = words[0];
  return (
    clause.kind === "unknown" &&
    tokens[to - 1]?.text === "?" &&
    words.length <= MAX_BARE_WORDS &&
    words.every(({ kind }) => kind === "word") &&
    first !== undefined &&
    !startsCommand(grammar, first)
  );
}
