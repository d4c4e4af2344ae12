import { contentWords, stemOf } from "@metahuman/core/text/words";

// How much each kind of feature counts, found on labelled retrieval data (mean over several seeds).
const STEM = 1;
/** Shared among all parts of a word. */
const PARTS_OF_WORD = 1.2;
const NEIGHBOURS = 0.2;
const WEAK = 0.5;
const PART_LENGTHS = [3, 4] as const;

/** Into how many places each feature goes: features that meet in one place rarely meet in all. */
const PLACES = 4;

// Seeds keep the kinds apart: the word "abc" and the part "abc" are two features.
const STEM_SEED = 0x9e3779b1;
const PART_SEED = 0x85ebca77;
const NEIGHBOUR_SEED = 0xc2b2ae3d;

/** Adds the features of a text to `vector`, whose length is a power of two; a repeated feature counts by its root. */
export function addFeatures(text: string, vector: Float32Array): void {
  const weights = new Map<number, number>();
  const add = (feature: number, weight: number): void =>
    void weights.set(feature, (weights.get(feature) ?? 0) + weight);

  let previous: number | undefined;
  for (const word of contentWords(text)) {
    const stem = stemOf(word);
    const strength = WEAK_STEMS.has(stem) ? WEAK : 1;
    const feature = hash(stem, 0, stem.length, STEM_SEED);
    add(feature, STEM * strength);
    if (previous !== undefined) add(mix(previous ^ Math.imul(feature, NEIGHBOUR_SEED)), NEIGHBOURS);
    addParts(word, PARTS_OF_WORD * strength, add);
    previous = feature;
  }
  for (const [feature, weight] of weights) scatter(feature, Math.sqrt(weight), vector);
}

/** Every run of three or four characters of the word between its borders: `cat` → `^ca`, `cat`, `at$`, `^cat`, `cat$`. */
function addParts(word: string, strength: number, add: (feature: number, weight: number) => void): void {
  const bordered = `^${word}$`;
  const count = PART_LENGTHS.reduce((sum, length) => sum + Math.max(0, bordered.length - length + 1), 0);
  const weight = strength / Math.sqrt(count);
  for (const length of PART_LENGTHS) {
    for (let start = 0; start + length <= bordered.length; start += 1) {
      add(hash(bordered, start, start + length, PART_SEED), weight);
    }
  }
}

/** The low bits of the hash choose a place, its highest the sign, so that features that meet cancel out on average. */
function scatter(feature: number, weight: number, vector: Float32Array): void {
  let bits = feature;
  for (let time = 0; time < PLACES; time += 1) {
    const place = bits & (vector.length - 1);
    vector[place] = (vector[place] ?? 0) + (bits >>> 31 === 1 ? -weight : weight);
    bits = mix(bits + 0x9e3779b9);
  }
}

/** FNV-1a over UTF-16 code units, with the finishing steps of MurmurHash3: 32 bits, unsigned. */
function hash(text: string, start: number, end: number, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return mix(value);
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Words of asking and of describing anything, by stem: they count half, because they rarely tell two texts apart. */
const WEAK_STEMS: ReadonlySet<string> = new Set(
  (
    "get set find make give use need want know tell show list let see look say ask help like write create check take go put " +
    "thing way new one two first last provide include specify contain return given call valid request require example name " +
    "type kind data information value number text string option format default parameter function user optional"
  )
    .split(" ")
    .map(stemOf),
);
