import { TURN_WEIGHTS, type TurnWeights } from "./turn-kind-weights.ts";

// What kind of message a turn of a conversation is: an order that adds or removes something, a question, a remark. It is a multinomial
// logistic regression over the words of the message, its first two words and what the conversation is about, because people word orders
// in forms that nobody foresees, but with the same words. `npm run bench -- reuse --part=fit-turns` fits the weights.

/** The kinds of messages: orders for the lines of a file or for tasks, a new file, a fact to remember, a question, a remark. */
export const TURN_KINDS = ["add", "ask", "change", "create", "memory", "remark", "remove", "task"] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

/**
 * The thresholds for the probabilities of these kinds. From `LIKELY_ORDER` on for all kinds of orders together, a message is rather an
 * order than a question or a remark. From `LIKELY_KIND` on, its kind counts as told: an order of this kind that names all that it is about
 * is carried out without a question, and a file is read for it. Of the messages of a held-out set, 92 to 95 % of those kinds are right
 * (`npm run bench -- reuse --part=fit-turns`).
 */
export const LIKELY_ORDER = 0.5;
export const LIKELY_KIND = 0.6;

/** What a conversation is about when a message comes. */
export interface TurnContext {
  /** The stems (`turnStems`) of all words of the files, tasks and facts that the conversation is about. */
  known: ReadonlySet<string>;
  /** What the last message that was no remark did: "add" for any change of a file; "start" at the beginning. */
  last: Extract<TurnKind, "add" | "ask" | "memory" | "task"> | "start";
  /** The newest file of the conversation. */
  file: "table" | "json" | "text" | "none";
}

/** The context of a message, from the texts that the conversation is about, the path of its newest file, and what was done last. */
export const turnContext = (
  texts: readonly string[],
  path: string | undefined,
  last: TurnContext["last"],
): TurnContext => ({ known: new Set(texts.flatMap(turnStems)), last, file: typeOfFile(path) });

export function typeOfFile(path: string | undefined): TurnContext["file"] {
  if (path === undefined) return "none";
  return /\.[ct]sv$/iu.test(path) ? "table" : /\.json$/iu.test(path) ? "json" : "text";
}

const TOKEN = /[\p{L}']+|\d+|[?:,.!]/gu;

/** The words, numbers and marks of a text, in lower case. */
const turnTokens = (text: string): string[] => text.toLowerCase().replaceAll("’", "'").match(TOKEN) ?? [];

/** A word without the common endings. */
const turnStem = (word: string): string => (word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word);

/** The stems of the words of a text. */
export const turnStems = (text: string): string[] => turnTokens(text).map(turnStem);

/** A longer message is a text; only its beginning tells the kind. */
const MAX_TOKENS = 120;

/** The features of a message that tell its kind. */
export function turnFeatures(message: string, { known, last, file }: TurnContext): string[] {
  const tokens = turnTokens(message).slice(0, MAX_TOKENS);
  const stems = tokens.map((token) => (/^\d+$/u.test(token) ? "<n>" : turnStem(token)));
  const content = tokens.filter((token) => token.length > 2).map(turnStem);
  const inKnown = content.filter((word) => known.has(word)).length;
  const count = (character: string): number => message.split(character).length - 1;
  return [
    // A word anywhere, and each of the first two.
    ...new Set(stems.map((word) => `w:${word}`)),
    ...stems.slice(0, 2).map((word) => `s:${word}`),
    `last:${last}`,
    `file:${file}`,
    `known:${String(Math.min(3, inKnown))}`,
    `unknown:${String(Math.min(6, content.length - inKnown))}`,
    `length:${String(Math.min(8, Math.floor(tokens.length / 3)))}`,
    `question:${String(Math.min(1, count("?")))}`,
    `commas:${String(Math.min(4, count(",")))}`,
    `colon:${String(Math.min(1, count(":")))}`,
  ];
}

/**
 * The probability of each kind of message, which add up to 1: a softmax of the weights of its features, which count less the more of
 * them there are.
 */
export function probabilitiesOf(
  features: readonly string[],
  weights: TurnWeights = TURN_WEIGHTS,
): Record<TurnKind, number> {
  const known = features.flatMap((name) => (Object.hasOwn(weights, name) ? [weights[name] ?? []] : []));
  const scale = 1 / Math.sqrt(Math.max(1, known.length));
  const scores = TURN_KINDS.map((_, kind) => {
    const sum = known.reduce((total, row) => total + (row[kind] ?? 0), 0);
    return sum * scale + (weights[BIAS]?.[kind] ?? 0);
  });
  const highest = Math.max(...scores);
  const parts = scores.map((score) => Math.exp(score - highest));
  const whole = parts.reduce((total, part) => total + part, 0);
  const probabilityOf = (kind: TurnKind): number => (parts[TURN_KINDS.indexOf(kind)] ?? 0) / whole;
  return {
    add: probabilityOf("add"),
    ask: probabilityOf("ask"),
    change: probabilityOf("change"),
    create: probabilityOf("create"),
    memory: probabilityOf("memory"),
    remark: probabilityOf("remark"),
    remove: probabilityOf("remove"),
    task: probabilityOf("task"),
  };
}

/** The name of the weights that every message has. */
export const BIAS = "bias";
