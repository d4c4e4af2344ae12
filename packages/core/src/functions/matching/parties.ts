import type { FunctionMemory } from "../../contract/function.ts";
import { DETERMINERS, plainForm } from "./families.ts";
import { tokensOfTemplate } from "./parse-template.ts";
import { templatesOf } from "./request-templates.ts";

/** Who hands something over, and who has it afterwards. */
export type Party = "giver" | "receiver";

/** Verbs whose subject gives, and verbs whose subject receives. */
const GIVING: ReadonlySet<string> = new Set(
  "lend loan give hand pass send sell pay donate deliver ship bring owe award return lease".split(" "),
);
const RECEIVING: ReadonlySet<string> = new Set("get receive borrow buy inherit".split(" "));

/** Words between a subject and its verb. */
const AUXILIARY =
  /^(?:has|have|had|having|is|are|was|were|been|being|be|will|would|can|could|may|must|should|just|already|now|also|kindly|then|finally|gladly|recently|did|does|do|got|gets)$/u;
const BEING = /^(?:is|are|was|were|been|being|be|got|gets)$/u;
/** The speaker, as the one who acts and as the one who is acted upon. */
const SPEAKER = /^(?:i|we|i've|we've)$/u;
const SPEAKER_AS_OBJECT = /^(?:me|us|myself|ourselves)$/u;

/** The words around the verb of a handing-over. */
export interface Transfer {
  words: readonly string[];
  /** Where a value begins. */
  isValueAt: (at: number) => boolean;
  verbAt: number;
  kind: Party;
  /** "Was given": the subject is what is given, or who gets it. */
  isPassive: boolean;
}

export function findTransfer(
  words: readonly string[],
  isValueAt: (at: number) => boolean,
): Transfer | undefined {
  for (const [verbAt, word] of words.entries()) {
    const plain = plainForm(word);
    const kind = GIVING.has(plain) ? "giver" : RECEIVING.has(plain) ? "receiver" : undefined;
    // "A loan", "the hand": a noun.
    if (kind === undefined || DETERMINERS.has(words[verbAt - 1] ?? "")) continue;
    // "Got given": the other verb says what happened.
    const next = plainForm(words[verbAt + 1] ?? "");
    if (kind === "receiver" && (GIVING.has(next) || RECEIVING.has(next))) continue;
    const isPassive = plain !== word && BEING.test(words[verbAt - 1] ?? "");
    return { words, isValueAt, verbAt, kind, isPassive };
  }
  return undefined;
}

const otherParty = (party: Party): Party => (party === "giver" ? "receiver" : "giver");

/** What the words from `from` to before `to` are in a handing-over; undefined if nothing says. */
export function partyAt(
  { words, isValueAt, verbAt, kind, isPassive }: Transfer,
  { from, to }: { from: number; to: number },
): Party | undefined {
  let at = from - 1;
  while (DETERMINERS.has(words[at] ?? "")) at -= 1;
  const before = words[at] ?? "";
  if (before === "to" && at > verbAt) return "receiver";
  if (before === "from") return "giver";
  if (before === "by" && isPassive) return kind;
  const isSubject = to <= verbAt && words.slice(to, verbAt).every((word) => AUXILIARY.test(word));
  if (isSubject) return isPassive ? otherParty(kind) : kind;
  // "Gave Ines the cello": what is given follows.
  const isFollowed = DETERMINERS.has(words[to] ?? "") || isValueAt(to);
  return from === verbAt + 1 && !isPassive && kind === "giver" && isFollowed ? "receiver" : undefined;
}

/** What the speaker is; a giver or receiver who gives an order is the speaker. */
export function partyOfSpeaker(transfer: Transfer): Party | undefined {
  const { words, verbAt } = transfer;
  for (const [at, word] of words.entries()) {
    const isSpeaker = SPEAKER.test(word) || (SPEAKER_AS_OBJECT.test(word) && at > verbAt);
    const party = isSpeaker ? partyAt(transfer, { from: at, to: at + 1 }) : undefined;
    if (party !== undefined) return party;
  }
  return undefined;
}

/** Which party each parameter of a function is, by its templates, and which one the speaker is. */
export interface Parties {
  ofSlots: ReadonlyMap<string, ReadonlySet<Party>>;
  ofSpeaker: ReadonlySet<Party>;
}

/** Reads the templates of a function. */
export function partiesOf(
  content: Pick<FunctionMemory, "parameters" | "recipe" | "examples" | "taught">,
): Parties {
  const ofSlots = new Map<string, Set<Party>>();
  const ofSpeaker = new Set<Party>();
  const areWords = new Set(content.parameters.flatMap(({ name, type }) => (type === "string" ? [name] : [])));
  for (const template of templatesOf(content)) {
    const { tokens, parameterOf } = tokensOfTemplate(template);
    const words = tokens.map(({ text }) => text);
    const transfer = findTransfer(words, (at) => parameterOf(tokens[at]) !== undefined);
    if (transfer === undefined) continue;
    const speaker = partyOfSpeaker(transfer);
    if (speaker !== undefined) ofSpeaker.add(speaker);
    for (const [at, token] of tokens.entries()) {
      const name = parameterOf(token);
      const party = name === undefined ? undefined : partyAt(transfer, { from: at, to: at + 1 });
      if (name === undefined || party === undefined || !areWords.has(name)) continue;
      ofSlots.set(name, (ofSlots.get(name) ?? new Set()).add(party));
    }
  }
  return { ofSlots, ofSpeaker };
}
