import { seededRandom } from "../statistics.ts";
import { syntheticWords } from "../synthetic-memories.ts";

/** The questions that a system answers before the next one takes its turn. */
export const QUESTIONS_PER_TURN = 10;

const WORDS = 60;
const NAMES = 400;

/** A text of sixty words with two names, and the question of nine words that it answers. */
export interface ComparedText {
  text: string;
  question: string;
}

/** The same texts and questions for every system and process. */
export function comparedTexts(count: number): ComparedText[] {
  return [...eachComparedText(count)];
}

/** The same one by one, for more than fit into memory. */
export function* eachComparedText(count: number): Generator<ComparedText, undefined> {
  const random = seededRandom(22);
  const word = syntheticWords(random);
  const names = Array.from({ length: NAMES }, () => capitalized(`${word()}${word().slice(0, 3)}`));
  const name = (): string => names[Math.floor(random() * NAMES)] ?? "";
  for (let made = 0; made < count; made += 1) {
    const words = Array.from({ length: WORDS - 2 }, word);
    const named = [name(), name()];
    const text = [named[0], ...words.slice(0, 30), named[1], ...words.slice(30)].join(" ");
    // The rarest words distinguish most; a question rarely has only those.
    const chosen = Array.from({ length: 6 }, () => words[Math.floor(random() * words.length)] ?? "");
    const question = [
      "what",
      named[Math.floor(random() * 2)],
      ...chosen.slice(0, 2),
      inflected(chosen[2] ?? ""),
      inflected(chosen[3] ?? ""),
      misspelled(chosen[4] ?? "", random),
      misspelled(chosen[5] ?? "", random),
      word(),
    ].join(" ");
    yield { text, question };
  }
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

function inflected(word: string): string {
  return `${word}s`;
}

/** Two letters swapped. */
function misspelled(word: string, random: () => number): string {
  const at = 1 + Math.floor(random() * Math.max(1, word.length - 2));
  return `${word.slice(0, at)}${word.slice(at + 1, at + 2)}${word.slice(at, at + 1)}${word.slice(at + 2)}`;
}
