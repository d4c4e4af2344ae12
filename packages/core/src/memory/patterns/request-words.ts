import { stemOf, STOP_WORDS } from "../../text/words.ts";

/** The kind of a slot: `words` matches anything, the others match by form. */
export type SlotKind = "words" | "text" | "link" | "file" | "date" | "number";

/** One word of a request, or a slot. Words with the same key are equal. */
export interface RequestWord {
  key: string;
  /** The original text. */
  text: string;
  slot?: SlotKind;
  /** The weight in comparisons. */
  weight: number;
}

export const ANY_WORDS: RequestWord = { key: "{words}", text: "{words}", slot: "words", weight: 0 };

/** Only the beginning of a request is compared. */
const MAX_WORDS = 60;

const FORMS: readonly [SlotKind, RegExp][] = [
  ["text", /^(?:"[^"]{1,2000}"|“[^”]{1,2000}”|'[^']{2,2000}'(?!\p{L}))/u],
  ["link", /^https?:\/\/[^\s"“”<>]{1,2000}/iu],
  ["file", /^(?:[\w.-]{1,80}\/)+[\w.-]{0,80}|^[\w-][\w.-]{0,80}\.[a-z][a-z0-9]{0,7}(?![\w.])/iu],
  ["date", /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|^\d{1,2}:\d{2}(?!\d)/u],
  ["number", /^\d+(?:[.,]\d+)*(?![\p{L}\d])/u],
];
const SLOT = /^\{([a-z]+)\d*\}/u;
const WORD = /^[\p{L}\p{M}\p{N}'’-]+/u;
const KINDS: ReadonlySet<string> = new Set<SlotKind>(["words", "text", "link", "file", "date", "number"]);

/** The words of a request, or of a template with its `{slots}`, in order, without punctuation. */
export function requestWords(request: string): RequestWord[] {
  const words: RequestWord[] = [];
  let rest = request.slice(0, 10_000);
  while (rest !== "" && words.length < MAX_WORDS) {
    const found = slotAt(rest) ?? formAt(rest) ?? wordAt(rest);
    if (found) words.push(found.word);
    rest = rest.slice(found?.length ?? 1);
  }
  return words;
}

interface Found {
  word: RequestWord;
  length: number;
}

function slotAt(rest: string): Found | undefined {
  const [whole, kind] = SLOT.exec(rest) ?? [];
  if (whole === undefined || kind === undefined || !isKind(kind)) return undefined;
  return { word: slotOf(kind, whole), length: whole.length };
}

function isKind(kind: string): kind is SlotKind {
  return KINDS.has(kind);
}

function slotOf(slot: SlotKind, text: string): RequestWord {
  return slot === "words" ? ANY_WORDS : { key: `{${slot}}`, text, slot, weight: 1 };
}

function formAt(rest: string): Found | undefined {
  for (const [kind, form] of FORMS) {
    const text = form.exec(rest)?.[0];
    if (text !== undefined) return { word: slotOf(kind, text), length: text.length };
  }
  return undefined;
}

function wordAt(rest: string): Found | undefined {
  const text = WORD.exec(rest)?.[0];
  if (text === undefined) return undefined;
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'");
  return {
    word: { key: stemOf(plain), text: plain, weight: STOP_WORDS.has(plain) ? 0.5 : 1 },
    length: text.length,
  };
}

/** The total weight of words. */
export function weightOf(words: readonly RequestWord[]): number {
  return words.reduce((sum, { weight }) => sum + weight, 0);
}
