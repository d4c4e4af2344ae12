import type { Task } from "../../contract/task.ts";
import { isTypo } from "../../language/tokens/spelling.ts";
import { contentWords, stemOf, searchTerms } from "../../text/words.ts";

/** Words that match every task. */
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

// The weight of each kind of word match.
const SAME_WORD = 1;
const SAME_STEM = 0.95;
const PREFIX = 0.8;
const TYPO = 0.7;
const MIN_PREFIX_LENGTH = 3;

// The weight of each field.
const TITLE = 1;
const TAG = 0.8;
const DUE_MONTH = 0.6;
const DESCRIPTION = 0.5;

/** The words that every match must contain. Falls back to generic words; empty for a query without content words. */
export function queryWords(query: string): string[] {
  const words = [...new Set(contentWords(query))];
  const specific = words.filter((word) => !GENERIC.has(word));
  return specific.length > 0 ? specific : words;
}

/** The score of a task, 0–1; 0 unless it matches every word. */
export function taskScore(task: Task, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const title = searchTerms(task.title);
  const fields: readonly (readonly [number, readonly string[]])[] = [
    [TITLE, title],
    [TAG, task.tags.flatMap(searchTerms)],
    [DUE_MONTH, formatDue(task)],
    [DESCRIPTION, searchTerms(task.description)],
  ];
  let sum = 0;
  for (const word of words) {
    const best = Math.max(...fields.map(([weight, ofTask]) => weight * similarity(word, ofTask)));
    if (best === 0) return 0;
    sum += best;
  }
  // If two titles contain all the words, the shorter one scores higher.
  const titleWords = contentWords(task.title);
  const covered = titleWords.filter((word) => similarity(word, words) > 0).length;
  return (sum / words.length) * (0.75 + 0.25 * (titleWords.length === 0 ? 0 : covered / titleWords.length));
}

function similarity(asked: string, words: readonly string[]): number {
  let best = 0;
  const stem = stemOf(asked);
  for (const word of words) {
    if (word === asked) return SAME_WORD;
    if (stemOf(word) === stem) best = Math.max(best, SAME_STEM);
    else if (asked.length >= MIN_PREFIX_LENGTH && word.startsWith(asked)) best = Math.max(best, PREFIX);
    else if (isTypo(asked, word)) best = Math.max(best, TYPO);
  }
  return best;
}

/** The month and year a task is due in, for "the task for April". */
function formatDue({ due }: Task): string[] {
  if (due === undefined) return [];
  return [
    new Date(due).toLocaleString("en", { month: "long", timeZone: "UTC" }).toLowerCase(),
    due.slice(0, 4),
  ];
}
