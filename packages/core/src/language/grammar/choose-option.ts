import { isTypo } from "../tokens/spelling.ts";
import { ARTICLES, FUNCTION_WORDS, normalize, stem } from "../tokens/words.ts";
import { onlyAgrees, onlyDeclines, withoutFillers } from "./yes-no.ts";

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
/** "That one": a yes where there is one option. */
const POINTS_TO_ONE = /^(?:(?:yes|yeah|yep|ok|sure),? )?(?:(?:that|this) one|that is it|that's it|do)$/u;

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
  if (onlyDeclines(reply)) return labels.includes("no") ? labels.indexOf("no") : "none";
  if (
    (onlyAgrees(reply) || POINTS_TO_ONE.test(withoutFillers(normalized))) &&
    (options.length === 1 || labels.includes("yes"))
  )
    return Math.max(labels.indexOf("yes"), 0);
  const choice = withoutFillers(normalized);
  const number = /^(?:number |option |#)?(\d{1,2})\.?$/.exec(choice)?.[1];
  if (number !== undefined)
    return Number(number) >= 1 && Number(number) <= options.length ? Number(number) - 1 : undefined;
  const ordinal = /^(?:the )?(\w+)(?: one| option)?$/.exec(choice)?.[1] ?? "";
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
