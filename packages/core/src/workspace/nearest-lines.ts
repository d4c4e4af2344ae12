import { searchTerms, stemOf, STOP_WORDS, withoutAccents } from "../text/words.ts";
import type { LineMatch } from "./files.ts";

/** The lines that share the most words with a query, and these words as the query has them. */
export interface NearestLines {
  words: string[];
  matches: LineMatch[];
}

/** A longer query is a text, not a question. */
const MAX_WORDS = 12;
/** Fewer shared words say nothing about a line. */
const MIN_SHARED = 2;
/** A text with at most this many lines is about one thing: each of its words may be meant with any of its lines. */
const SHORT = 30;
/** The maximum number of stored lines. */
const MAX_LINES = 50;
const HEADING = /^\s*(#{1,6})\s+\S/u;
const TABLE = /\.(?:csv|tsv)$/iu;

/** The words of one line, and those of the headings above it and of its path. */
interface Shared {
  own: ReadonlySet<string>;
  all: ReadonlySet<string>;
}

/**
 * Collects the lines that share the most words with a query, at least two. Inflected forms are the same word. The headings
 * above a line count as its words: of a Markdown section, of the columns of a table, and the names in its path; in a short text
 * all its words do.
 */
export function collectNearestLines(query: string): {
  addFile(path: string, text: string): void;
  result(toMatch: (path: string, line: number, text: string) => LineMatch): NearestLines | undefined;
} {
  const stems = new Map(
    searchTerms(query)
      .filter((word) => !STOP_WORDS.has(word))
      .map((word) => [stemOf(word), word]),
  );
  const isSearched = stems.size >= MIN_SHARED && stems.size <= MAX_WORDS;
  const beginnings = [...stems].map(([stem, word]) => commonBeginning(stem, word));
  let best = { all: MIN_SHARED, own: 0 };
  let found: { path: string; line: number; text: string; words: ReadonlySet<string> }[] = [];

  const wordsIn = (text: string): Set<string> =>
    new Set(
      searchTerms(text)
        .map(stemOf)
        .filter((stem) => stems.has(stem)),
    );
  const add = (path: string, line: number, text: string, { own, all }: Shared): void => {
    if (all.size < best.all || (all.size === best.all && own.size < best.own)) return;
    if (all.size > best.all || own.size > best.own) {
      best = { all: all.size, own: own.size };
      found = [];
    }
    if (found.length < MAX_LINES) found.push({ path, line, text, words: all });
  };

  return {
    addFile(path, text) {
      const lower = withoutAccents(`${path}\n${text}`).toLowerCase();
      // Most files have none of the words: their lines are not read.
      if (!isSearched || beginnings.filter((word) => lower.includes(word)).length < best.all) return;
      const isTable = TABLE.test(path);
      const lines = text.split(/\r\n|[\n\r]/u);
      const named = new Set([
        ...wordsIn(path.slice(path.indexOf("/") + 1).replace(/\.[^.]*$/u, "")),
        ...(!isTable && lines.length <= SHORT ? wordsIn(text) : []),
      ]);
      const headings: { level: number; words: ReadonlySet<string> }[] = [];
      for (const [index, line] of lines.entries()) {
        if (line.trim() === "") continue;
        const own = wordsIn(line);
        const level = isTable && index === 0 ? 1 : HEADING.exec(line)?.[1]?.length;
        if (level !== undefined) {
          while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
          headings.push({ level, words: own });
          continue;
        }
        const above = headings.flatMap(({ words }) => [...words]);
        // The name of a file alone says nothing about one of its lines.
        if (own.size + above.length === 0) continue;
        add(path, index + 1, line, { own, all: new Set([...own, ...above, ...named]) });
      }
    },
    result(toMatch) {
      if (found.length === 0) return undefined;
      const shared = new Set(found.flatMap(({ words }) => [...words]));
      return {
        words: [...stems].flatMap(([stem, word]) => (shared.has(stem) ? [word] : [])),
        matches: found.map(({ path, line, text }) => toMatch(path, line, text)),
      };
    },
  };
}

/** What a word and its stem both begin with: every inflected form has it. */
function commonBeginning(stem: string, word: string): string {
  let length = 0;
  while (length < stem.length && stem[length] === word[length]) length++;
  return word.slice(0, Math.max(length, 1));
}
