import { readFileSync } from "node:fs";

interface SenseTable {
  /** One line a word, in the order of code units. */
  words: Buffer;
  /** Two more general senses of each sense, 3 bytes each. */
  parents: Uint8Array;
  /** The information content of each sense: 0 for "entity", 1 for a sense without kinds (Seco et al. 2004). */
  information: Float32Array;
}

let loaded: SenseTable | undefined;

const PARENTS = 2;
const NO_PARENT = 0xff_ff_ff;
const NEW_LINE = 10;

/** Takes about 30 ms, once. */
function load(): SenseTable {
  const words = readFileSync(new URL("./words.txt", import.meta.url));
  const parents = readFileSync(new URL("./parents.bin", import.meta.url));
  const senses = parents.length / (3 * PARENTS);
  const below = new Uint32Array(senses);
  for (let sense = 0; sense < senses; sense += 1)
    for (
      let index = sense, steps = 0;
      index !== NO_PARENT && steps < MAX_STEPS;
      index = parentOf(parents, index, 0), steps += 1
    )
      below[index] = (below[index] ?? 0) + 1;
  const most = Math.log(senses);
  return { words, parents, information: Float32Array.from(below, (count) => 1 - Math.log(count) / most) };
}

/** No chain of more general senses is longer. */
const MAX_STEPS = 20;

function parentOf(parents: Uint8Array, sense: number, index: number): number {
  const at = (sense * PARENTS + index) * 3;
  return (parents[at] ?? 0) | ((parents[at + 1] ?? 0) << 8) | ((parents[at + 2] ?? 0) << 16);
}

/** Limit of the cache; each word of a request is looked up for every function that may be meant. */
const MAX_KNOWN = 2_000;
const known = new Map<string, readonly number[] | undefined>();

/** The numbers of the senses of a noun in lower case, commonest first; undefined for an unknown word. */
export function sensesOf(word: string): readonly number[] | undefined {
  if (known.has(word)) return known.get(word);
  const senses = singularForms(word)
    .map(lookUp)
    .find((one) => one !== undefined);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(word, senses);
  return senses;
}

/** True if a noun is known in this form, and not as the plural of another one. */
export const isSingular = (word: string): boolean => lookUp(word) !== undefined;

/** "Boxes", "berries": the possible base forms, the word itself first. */
function singularForms(word: string): string[] {
  const forms = [word];
  const ending = (suffix: string, instead: string): void => {
    if (word.length > suffix.length + 1 && word.endsWith(suffix))
      forms.push(word.slice(0, -suffix.length) + instead);
  };
  ending("ies", "y");
  ending("s", "");
  ending("es", "");
  return forms;
}

/** Finds a line by halving the file. */
function lookUp(word: string): readonly number[] | undefined {
  loaded ??= load();
  const { words } = loaded;
  const wanted = `${word} `;
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = words.lastIndexOf(NEW_LINE, middle - 1) + 1;
    const end = words.indexOf(NEW_LINE, start);
    const line = words.toString("latin1", start, end);
    if (line.startsWith(wanted))
      return line
        .slice(wanted.length)
        .split(",")
        .map((id) => Number.parseInt(id, 36));
    if (line < wanted) low = end + 1;
    else high = start;
  }
  return undefined;
}

/** Every sense that is more general than one of these, and these. */
function withGeneral(senses: readonly number[]): Set<number> {
  loaded ??= load();
  const { parents } = loaded;
  const found = new Set<number>();
  const add = (sense: number): void => {
    if (sense === NO_PARENT || found.has(sense)) return;
    found.add(sense);
    for (let index = 0; index < PARENTS; index += 1) add(parentOf(parents, sense, index));
  };
  for (const sense of senses) add(sense);
  return found;
}

/** The maximum number of cached nouns. A comparison takes 1 µs with the cache, 14 µs without (2026-11-27). */
const MAX_CACHED = 5_000;
const generalNouns = new Map<string, ReadonlySet<number> | undefined>();

/** Every sense that a noun is a kind of. */
function nounKinds(word: string): ReadonlySet<number> | undefined {
  if (generalNouns.has(word)) return generalNouns.get(word);
  if (generalNouns.size >= MAX_CACHED) generalNouns.clear();
  const senses = sensesOf(word);
  const found = senses && withGeneral(senses);
  generalNouns.set(word, found);
  return found;
}

/**
 * The specificity of the most specific kind that two nouns share, from 0 (only "entity") to 1 (the same meaning):
 * "heron" and "kingfisher" are birds. Undefined if one of them is not a known noun.
 */
export function commonKind(one: string, other: string): number | undefined {
  const [kinds, others] = [nounKinds(one), nounKinds(other)];
  if (kinds === undefined || others === undefined) return undefined;
  loaded ??= load();
  let most = 0;
  for (const kind of kinds) if (others.has(kind)) most = Math.max(most, loaded.information[kind] ?? 0);
  return most;
}

/** True if a noun names a kind of another noun: a heron is a bird. Undefined if one is not a known noun. */
export function isKindOf(word: string, kind: string): boolean | undefined {
  const [kinds, wanted] = [nounKinds(word), sensesOf(kind)];
  if (kinds === undefined || wanted === undefined) return undefined;
  return wanted.some((sense) => kinds.has(sense));
}
