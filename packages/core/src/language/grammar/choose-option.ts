import { oneOf } from "../../text/patterns.ts";
import { isTypo } from "../tokens/spelling.ts";
import { ARTICLES, FUNCTION_WORDS, normalize, stem } from "../tokens/words.ts";

export interface Candidate {
  id: string;
  label: string;
  /** What tells it apart from others with the same label, for people. */
  detail?: string | undefined;
}

/** The result of matching words against candidates: one match, several to ask about, or none. */
export type Choice =
  /** `isFullName`: the words are the full name, without articles. */
  | { kind: "one"; candidate: Candidate; isFullName: boolean }
  /** `fits`: each candidate contains all the words. Otherwise they are only similar. */
  | { kind: "several"; candidates: readonly Candidate[]; fits: boolean }
  | { kind: "none" };

const MAX_OPTIONS = 8;

function labelWords(text: string): string[] {
  return normalize(text)
    .split(/[^\p{L}\p{M}\p{N}']+/u)
    .filter((word) => word !== "" && !ARTICLES.has(word));
}

/** Words for what a document is. */
const DOCUMENT = /^(?:list|notes?|log|journal|diary|letter|recipe|draft|minutes)$/u;

/** The label itself and, for a path, its last segment without the extension. */
function names(label: string): string[] {
  const last = label.split("/").at(-1) ?? label;
  return [label, last, last.replace(/\.[^.]+$/u, "")].map((name) => labelWords(name).join(" "));
}

function hasWord(label: readonly string[], word: string): boolean {
  return label.some((other) => stem(other) === stem(word) || isTypo(word, other));
}

/**
 * Chooses a candidate by its words. Returns one only if its label equals the words or if no other candidate contains
 * all of them. `candidates` are sorted by rank.
 */
export function chooseOption(words: string, candidates: readonly Candidate[]): Choice {
  const unique = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()];
  const query = labelWords(words);
  const candidatesNamed = (name: string): Candidate[] =>
    unique.filter(({ label }) => names(label).includes(name));
  const sameName = candidatesNamed(query.join(" "));
  // A file is named by what is in it: "the shopping list" is shopping.md.
  const isDocument = query.length > 1 && DOCUMENT.test(query.at(-1) ?? "");
  const exact = sameName.length > 0 || !isDocument ? sameName : candidatesNamed(query.slice(0, -1).join(" "));
  const content = query.filter((word) => !FUNCTION_WORDS.has(word));
  const asked = content.length > 0 ? content : query;
  const fitting = unique.filter(({ label }) => {
    const inLabel = labelWords(label);
    return asked.length > 0 && asked.every((word) => hasWord(inLabel, word));
  });
  const best = exact.length > 0 ? exact : fitting;
  const only = best.length === 1 ? best[0] : undefined;
  if (only !== undefined) return { kind: "one", candidate: only, isFullName: exact.length > 0 };
  if (best.length > 1) return { kind: "several", candidates: best.slice(0, MAX_OPTIONS), fits: true };
  return unique.length > 0
    ? { kind: "several", candidates: unique.slice(0, MAX_OPTIONS), fits: false }
    : { kind: "none" };
}

const ORDINALS = "first second third fourth fifth sixth seventh eighth".split(" ");
const NONE_OF_THEM_WORDS = oneOf(
  "none|neither|no|nope|nah|no way|nothing|cancel|stop|leave it|do not|don't|never ?mind|nvm|forget it",
  "none of (?:them|these|those)|(?:no|nope|nah),? (?:leave it|do not|don't)",
);
const NONE_OF_THEM = new RegExp(String.raw`^${NONE_OF_THEM_WORDS}$`, "");

const AGREES_WORDS = oneOf(
  "y|yes|yep|yup|yeah|ye|aye|sure|ok|okay|right|correct|exactly|do|do it|do that|go on|go ahead",
  "of course",
  "(?:(?:yes|yeah|yep|ok|sure),? )?(?:that one|that is it|that's it|it is|do|do it|do that|go ahead|go on)",
);
const AGREES = new RegExp(String.raw`^${AGREES_WORDS}$`, "");
/** What asks for nothing, at either end of a reply. */
const POLITE_START = /^(?:oh|ah|um|well|please|pls)[\s,]+(?=\S)/;
const POLITE_END = /[\s,]+(?:please|pls|plz|thanks|thank you|thx|ty|ta|cheers|mate|dear|love|then|for now)$/;

function withoutPoliteness(reply: string): string {
  const plain = reply.replace(POLITE_START, "").replace(POLITE_END, "");
  return plain === reply ? plain : withoutPoliteness(plain);
}

/**
 * Returns the index of the option that a reply selects, `none` if the reply declines, or undefined if it is unclear.
 */
export function optionFromReply(reply: string, options: readonly string[]): number | "none" | undefined {
  const normalized = normalize(reply)
    .trim()
    .replace(/[.!"“”'’]+$|^["“”'‘]+/gu, "");
  if (normalized === "") return undefined;
  const labels = options.map((option) => normalize(option).trim());
  const same = labels.indexOf(normalize(reply).trim());
  if (same >= 0) return same;
  const plain = withoutPoliteness(normalized);
  if (NONE_OF_THEM.test(plain)) return labels.includes("no") ? labels.indexOf("no") : "none";
  if (AGREES.test(plain) && (options.length === 1 || labels.includes("yes")))
    return Math.max(labels.indexOf("yes"), 0);
  const number = /^(?:number |option |#)?(\d{1,2})\.?$/.exec(normalized)?.[1];
  if (number !== undefined)
    return Number(number) >= 1 && Number(number) <= options.length ? Number(number) - 1 : undefined;
  const ordinal = /^(?:the )?(\w+)(?: one| option)?$/.exec(normalized)?.[1] ?? "";
  if (ordinal === "last") return options.length - 1;
  if (ORDINALS.includes(ordinal) && ORDINALS.indexOf(ordinal) < options.length)
    return ORDINALS.indexOf(ordinal);
  const containing = labels.flatMap((label, index) =>
    normalized !== "" && label.includes(normalized) ? [index] : [],
  );
  if (containing.length > 0) return containing.length === 1 ? containing[0] : undefined;
  return onlyWithWords(normalized, labels);
}

const DENIES = /\b(?:no|not|never|neither|nor|except|other|another)\b|n['’]t\b/u;

/** The only option that has every content word of the reply: "the one for Lund". */
function onlyWithWords(reply: string, labels: readonly string[]): number | undefined {
  const content = labelWords(reply).filter((word) => !FUNCTION_WORDS.has(word));
  if (content.length === 0 || DENIES.test(reply)) return undefined;
  const fitting = labels.flatMap((label, index) =>
    content.every((word) => labelWords(label).includes(word)) ? [index] : [],
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
