import type { Task } from "../../contract/task.ts";
import { isTypo } from "../../language/tokens/spelling.ts";
import { contentWords, stemOf, wordsOf } from "../../text/words.ts";

/** Words that every task answers to. */
const GENERIC = new Set([
  "task",
  "tasks",
  "todo",
  "todos",
  "item",
  "items",
  "thing",
  "things",
  "reminder",
  "reminders",
]);

// How well a word of a task stands for one of the query.
const SAME_WORD = 1;
const SAME_STEM = 0.95;
const BEGINNING = 0.8;
const SLIP = 0.7;
const SHORTEST_BEGINNING = 3;

// How much a word says by where it stands.
const TITLE = 1;
const TAG = 0.8;
const DUE_MONTH = 0.6;
const DESCRIPTION = 0.5;

/** What is asked for: the words every match must have. Empty when the query says nothing about any one task. */
export function askedWords(query: string): string[] {
  const words = [...new Set(contentWords(query))];
  const telling = words.filter((word) => !GENERIC.has(word));
  return telling.length > 0 ? telling : words;
}

/** How well a task fits, 0–1; 0 unless it has every word. */
export function taskScore(task: Task, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const title = wordsOf(task.title);
  const fields: readonly (readonly [number, readonly string[]])[] = [
    [TITLE, title],
    [TAG, task.tags.flatMap(wordsOf)],
    [DUE_MONTH, dueWords(task)],
    [DESCRIPTION, wordsOf(task.description)],
  ];
  let sum = 0;
  for (const word of words) {
    const best = Math.max(...fields.map(([weight, ofTask]) => weight * likeness(word, ofTask)));
    if (best === 0) return 0;
    sum += best;
  }
  // Of two titles that have all the words, the one that says little else is meant.
  const telling = contentWords(task.title);
  const covered = telling.filter((word) => likeness(word, words) > 0).length;
  return (sum / words.length) * (0.75 + 0.25 * (telling.length === 0 ? 0 : covered / telling.length));
}

function likeness(asked: string, words: readonly string[]): number {
  let best = 0;
  const stem = stemOf(asked);
  for (const word of words) {
    if (word === asked) return SAME_WORD;
    if (stemOf(word) === stem) best = Math.max(best, SAME_STEM);
    else if (asked.length >= SHORTEST_BEGINNING && word.startsWith(asked)) best = Math.max(best, BEGINNING);
    else if (isTypo(asked, word)) best = Math.max(best, SLIP);
  }
  return best;
}

/** "the task for April" means the month it is due in. */
function dueWords({ due }: Task): string[] {
  if (due === undefined) return [];
  return [
    new Date(due).toLocaleString("en", { month: "long", timeZone: "UTC" }).toLowerCase(),
    due.slice(0, 4),
  ];
}
