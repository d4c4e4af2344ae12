import { nearest } from "@metahuman/core/errors/nearest";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import { stem } from "@metahuman/core/language/tokens/words";
import { checkItems, isListItem, listMarkLength, withoutListMark } from "@metahuman/core/text/list-marks";
import { linePreview, joinNames } from "../support/phrasing.ts";
import { plainWords } from "@metahuman/core/text/words";
import { repeatedLines, sortedLines } from "./order-lines.ts";

/** A change of one text: of words in it, or of its lines. */
export interface TextEdit {
  action:
    | "replace"
    | "swap"
    | "remove"
    | "insert_before"
    | "insert_after"
    | "check"
    | "uncheck"
    | "sort"
    | "dedupe";
  /** Words of the text, or with `line` of that line only. Either these, or `line`, `item` or `end`. */
  find?: string | undefined;
  /** The number of a line from 1, from the end if negative, or words that are in it. */
  line?: number | string | undefined;
  /** To remove or check: an item of a list. One to remove has a line of its own or is one of several in a line. */
  item?: string | undefined;
  /** To remove: the text with which the whole text ends. */
  end?: string | undefined;
  /** The replacement, or the text before or after the line. */
  text?: string | undefined;
  /** Change every occurrence that matches. */
  all: boolean;
}

export interface EditedText {
  text: string;
  /** The previous texts, one entry for each change. */
  before: string[];
  /** True if whole lines changed. */
  isLine: boolean;
}

interface Line {
  text: string;
  /** The line break that ends it; none at the end of the text. */
  ending: string;
}

/**
 * Changes a text. Throws `InvalidArgsError` if nothing matches, or there are several matches and `all` is false; the message
 * says how many.
 */
export function editText(content: string, edit: TextEdit, path: string): EditedText {
  if (edit.find !== undefined && edit.line !== undefined)
    return editWordsOfLines(content, edit.find, edit.line, edit, path);
  if (edit.find !== undefined && edit.action === "swap")
    return swapWords(content, edit.find, edit.text ?? "", path);
  if (edit.find !== undefined) return editWords(content, edit.find, edit, path);
  if (edit.end !== undefined) return withoutEnd(content, edit.end, path);
  const lines = linesOf(content);
  if (edit.action === "check" || edit.action === "uncheck") return withBoxes(lines, edit, path);
  if (edit.action === "sort" || edit.action === "dedupe") return ordered(lines, edit.action, path);
  const indexes = indexesOf(lines, edit.item ?? edit.line ?? 0, edit.all, path);
  const [only] = indexes;
  if (edit.item !== undefined && only !== undefined && indexes.length === 1) {
    const without = withoutItem(lines[only]?.text ?? "", edit.item, path);
    if (without !== undefined) {
      const { text, item } = without;
      const remaining = lines.with(only, { text, ending: lines[only]?.ending ?? "" });
      return { text: joinLines(remaining), before: [item], isLine: false };
    }
  }
  const changing = new Set(indexes);
  const usual = lines.find((line) => line.ending !== "")?.ending ?? "\n";
  const changed = lines.flatMap((line, index): Line[] => {
    if (!changing.has(index)) return [line];
    // The last line of a text has no line break; text after it needs one.
    const ending = line.ending === "" ? usual : line.ending;
    const added = (text = ""): Line[] => linesOf(text).map((one) => ({ ...one, ending }));
    const closed = { ...line, ending };
    switch (edit.action) {
      case "remove":
        return [];
      case "replace":
        return added(edit.text);
      case "insert_before":
        return [...added(edit.text), line];
      case "insert_after":
        return [closed, ...added(edit.text)];
      case "swap":
      case "check":
      case "uncheck":
      case "sort":
      case "dedupe":
        return [line];
      default:
        return edit.action satisfies never;
    }
  });
  const isEnded = lines.at(-1)?.ending !== "";
  const text = joinLines(changed);
  return {
    text: isEnded ? text : text.replace(/\r?\n$/u, ""),
    before: indexes.map((index) => lines[index]?.text ?? ""),
    isLine: true,
  };
}

/** The text with its lists in alphabetical order, or without lines that they have twice. */
function ordered(lines: readonly Line[], action: "sort" | "dedupe", path: string): EditedText {
  const texts = lines.map(({ text }) => text);
  if (action === "sort") {
    const { lines: sorted, moved } = sortedLines(texts, path);
    const text = joinLines(lines.map(({ ending }, index) => ({ text: sorted[index] ?? "", ending })));
    return { text, before: moved, isLine: true };
  }
  const repeated = new Set([...repeatedLines(texts).values()].flatMap(({ at }) => at.slice(1)));
  if (repeated.size === 0) throw new InvalidArgsError(`${path} has no line twice.`);
  const left = joinLines(lines.filter((_, index) => !repeated.has(index)));
  const isEnded = lines.at(-1)?.ending !== "";
  return {
    text: isEnded ? left : left.replace(/\r?\n$/u, ""),
    before: [...repeated].toSorted((one, other) => one - other).map((index) => texts[index] ?? ""),
    isLine: true,
  };
}

/**
 * Ticks the boxes of items, or clears them. An item of a list without boxes gets one. Throws `InvalidArgsError` for a text without
 * list items, and if they are so already.
 */
function withBoxes(lines: readonly Line[], edit: TextEdit, path: string): EditedText {
  const texts = lines.map(({ text }) => text);
  const own = checkItems(texts);
  const boxes = own.length > 0 || edit.action === "uncheck" ? own : checkItems(texts.map(withEmptyBox));
  if (boxes.length === 0)
    throw new InvalidArgsError(`${path} has no boxes to tick.`, {
      suggestions: ["Remove the line instead, or write the items as “- [ ] …”."],
      context: { path },
    });
  const isChecked = edit.action === "check";
  const items = boxes.map(({ text }): Line => ({ text, ending: "\n" }));
  const meant = indexesOf(items, edit.item ?? edit.line ?? 0, edit.all, path).flatMap(
    (at) => boxes[at] ?? [],
  );
  const changing = meant.filter((box) => box.isChecked !== isChecked);
  if (changing.length === 0)
    throw new InvalidArgsError(
      `${joinNames(meant.map(({ text }) => `“${linePreview(text)}”`))} ${isChecked ? "is ticked already" : "is not ticked"} in ${path}.`,
    );
  const changed = changing.reduce(
    (all, { index, withBox }) =>
      all.with(index, { text: withBox(isChecked), ending: all[index]?.ending ?? "" }),
    lines,
  );
  return { text: joinLines(changed), before: changing.map(({ text }) => text), isLine: true };
}

/** A list item with an empty box, any other line as it is. */
const withEmptyBox = (line: string): string =>
  isListItem(line) ? `${line.slice(0, listMarkLength(line))}[ ] ${withoutListMark(line)}` : line;

/** Exchanges two words everywhere. Throws `InvalidArgsError` unless both occur. */
function swapWords(content: string, one: string, other: string, path: string): EditedText {
  const places = [one, other].flatMap((find) => {
    const { words, offsets } = occurrences(content, find);
    if (offsets.length === 0)
      throw new InvalidArgsError(
        `“${linePreview(find)}” does not occur in ${path}.${similarText(content, find)}`,
      );
    const to = find === one ? other : one;
    return offsets.map((from) => ({ from, end: from + words.length, to }));
  });
  const ordered = places.toSorted((first, second) => first.from - second.from);
  if (ordered.some(({ from }, index) => from < (ordered[index - 1]?.end ?? 0)))
    throw new InvalidArgsError(`“${linePreview(one)}” and “${linePreview(other)}” overlap in ${path}.`);
  let text = "";
  let end = 0;
  for (const place of ordered) {
    text += content.slice(end, place.from) + place.to;
    end = place.end;
  }
  const before = ordered.map((place) => content.slice(place.from, place.end));
  return { text: text + content.slice(end), before, isLine: false };
}

function withoutEnd(content: string, end: string, path: string): EditedText {
  if (!content.endsWith(end))
    throw new InvalidArgsError(
      `${path} does not end with “${linePreview(end)}” any more, so nothing was removed.`,
    );
  return { text: content.slice(0, -end.length), before: [end.replace(/^\n/u, "")], isLine: false };
}

const joinLines = (lines: readonly Line[]): string =>
  lines.map(({ text, ending }) => `${text}${ending}`).join("");

/** The separators between the items of an enumeration. */
const BETWEEN_ITEMS = /(\s*[,;]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+)/iu;
/** Words for how many there are of an item. */
const QUANTITY = /^(?:\d+|a|an|the|some|one|two|three|four|five|six|seven|eight|nine|ten|dozen|of)$/u;

const nameOf = (item: string): string =>
  plainWords(item)
    .filter((word) => !QUANTITY.test(word))
    .map(stem)
    .join(" ");

/**
 * The line without one of the items that it enumerates: "milk, eggs and bread" without "eggs" is "milk and bread".
 * Undefined for a line that enumerates nothing. Throws `InvalidArgsError` if the words are only a part of what it
 * enumerates: then the line has other items, which must stay.
 */
function withoutItem(line: string, asked: string, path: string): { text: string; item: string } | undefined {
  const start = /^.*?:\s+/u.exec(line)?.[0] ?? BULLET.exec(line)?.[0] ?? "";
  // Items have even indexes, separators odd ones.
  const parts = line.slice(start.length).split(BETWEEN_ITEMS);
  if (parts.length < 3) return undefined;
  const name = nameOf(asked);
  const named = parts.flatMap((part, index) => (index % 2 === 0 && nameOf(part) === name ? [index] : []));
  const [index] = named;
  if (index === undefined || named.length > 1)
    throw new InvalidArgsError(
      `“${linePreview(asked)}” is only a part of the line “${linePreview(line)}” of ${path}, so nothing was removed.`,
    );
  const left = parts.toSpliced(Math.max(0, index - 1), 2);
  return { text: `${start}${left.join("")}`, item: parts[index] ?? "" };
}

/** The lines of a text. Joined with their endings they are the text; a carriage return alone ends no line. */
export function linesOf(content: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  while (start < content.length) {
    const feed = content.indexOf("\n", start);
    const end = feed < 0 ? content.length : feed + 1;
    const ending = feed < 0 ? "" : feed > start && content[feed - 1] === "\r" ? "\r\n" : "\n";
    lines.push({ text: content.slice(start, end - ending.length), ending });
    start = end;
  }
  return lines;
}

/** Of longer texts, only the first lines are compared, and only the first words of each. */
const MAX_COMPARED_LINES = 1_000;
const MAX_COMPARED_WORDS = 200;

/** A sentence that names the line most like the words, or the part of a line; `""` if none is. */
function similarText(content: string, find: string): string {
  const lines = linesOf(content)
    .slice(0, MAX_COMPARED_LINES)
    .map(({ text }) => text.trim());
  const [line] = nearest(find.trim(), new Set(lines), 1);
  if (line !== undefined) return ` The line most like it is “${linePreview(line)}”.`;
  const parts = new Map<string, number>();
  for (const [index, text] of lines.entries())
    for (const part of partsOf(text, find.trim().split(/\s+/u).length))
      if (!parts.has(part)) parts.set(part, index + 1);
  const [part] = nearest(find.trim(), parts.keys(), 1);
  return part === undefined
    ? ""
    : ` The text most like it is “${linePreview(part)}” in line ${String(parts.get(part) ?? 0)}.`;
}

/** The runs of about as many words of a line: one fewer, as many, or one more. */
function partsOf(line: string, count: number): string[] {
  const words = line.split(/\s+/u).slice(0, MAX_COMPARED_WORDS);
  return [count - 1, count, count + 1]
    .filter((length) => length > 0 && length < words.length)
    .flatMap((length) =>
      words.slice(length - 1).map((_, start) => words.slice(start, start + length).join(" ")),
    );
}

/** The lines in which words start at these offsets: "in line 1 “The aspect matters.”, line 3 “Keywords: aspect”". */
function placesOf(content: string, offsets: readonly number[]): string {
  let next = 0;
  let end = 0;
  const places = linesOf(content).flatMap(({ text, ending }, index) => {
    end += text.length + ending.length;
    const first = next;
    while ((offsets[next] ?? Infinity) < end) next += 1;
    return next > first ? `line ${String(index + 1)} “${linePreview(text)}”` : [];
  });
  return `in ${joinNames(places)}`;
}

/** Changes words only within the lines that are meant. */
function editWordsOfLines(
  content: string,
  find: string,
  line: number | string,
  edit: TextEdit,
  path: string,
): EditedText {
  const lines = linesOf(content);
  const edits = indexesOf(lines, line, edit.all, path).map((index) => ({
    index,
    edited: editWords(lines[index]?.text ?? "", find, edit, `line ${String(index + 1)} of ${path}`),
  }));
  const changed = edits.reduce(
    (all, { index, edited }) => all.with(index, { text: edited.text, ending: all[index]?.ending ?? "" }),
    lines,
  );
  return {
    text: joinLines(changed),
    before: edits.flatMap(({ edited }) => edited.before),
    isLine: false,
  };
}

function editWords(content: string, find: string, edit: TextEdit, place: string): EditedText {
  const { words, offsets: found } = occurrences(content, find);
  if (found.length === 0) {
    const where = content.includes(words) ? "occurs only within longer words" : "does not occur";
    throw new InvalidArgsError(`“${linePreview(find)}” ${where} in ${place}.${similarText(content, find)}`);
  }
  if (found.length > 1 && !edit.all) {
    const times = `“${linePreview(find)}” occurs ${formatCount(found.length, "time")} in ${place}`;
    throw new InvalidArgsError(
      edit.line === undefined ? `${times}: ${placesOf(content, found)}.` : `${times}.`,
      {
        context: { instead: [{ all: true }] },
      },
    );
  }
  const text = edit.action === "remove" ? "" : (edit.text ?? "");
  let edited = "";
  let end = 0;
  for (const offset of found) {
    const item = edit.action === "remove" ? itemAround(content, offset, words.length) : undefined;
    edited += content.slice(end, item?.start ?? offset);
    end = item?.end ?? offset + words.length;
    // A line break that ends the new text would break the line in two, or double the break that follows.
    edited += words.endsWith("\n") ? text : text.replace(/\r?\n$/u, "");
  }
  return {
    text: edited + content.slice(end),
    before: found.map((offset) => content.slice(offset, offset + words.length)),
    isLine: false,
  };
}

/** The line of a list whose item is nothing but these words, with its line break; undefined for other words. */
function itemAround(
  content: string,
  offset: number,
  length: number,
): { start: number; end: number } | undefined {
  const start = content.lastIndexOf("\n", offset - 1) + 1;
  const next = content.indexOf("\n", offset);
  const end = next === -1 ? content.length : next + 1;
  const line = content.slice(start, end);
  const mark = BULLET.exec(line)?.[0] ?? "";
  const isWhole = offset - start <= mark.length && line.slice(offset - start + length).trim() === "";
  return isWhole && mark.trim() !== "" ? { start, end } : undefined;
}

const ARTICLE = /^(?:the|a|an|my|our|some)\s+/iu;

/** The offsets of words; if they do not occur with their article, those of the words without it. */
function occurrences(content: string, find: string): { words: string; offsets: number[] } {
  const offsets = offsetsOfWords(content, find);
  const bare = find.replace(ARTICLE, "");
  return offsets.length > 0 || bare === find
    ? { words: find, offsets }
    : { words: bare, offsets: offsetsOfWords(content, bare) };
}

/** The offsets of whole words: as written, or else in other letter case. "5" is not a part of "15" or "0.5". */
function offsetsOfWords(content: string, find: string): number[] {
  const offsets = (text: string, words: string): number[] => {
    const found: number[] = [];
    for (let index = text.indexOf(words); index >= 0; index = text.indexOf(words, index + words.length))
      found.push(index);
    return found;
  };
  const startsInside = /^[\p{L}\p{N}]/u.test(find) ? /(?:[\p{L}\p{N}]|\d[.,])$/u : undefined;
  const endsInside = /[\p{L}\p{N}]$/u.test(find) ? /^(?:[\p{L}\p{N}]|[.,]\d)/u : undefined;
  const isNumber = /^\d/u.test(find);
  const isWholeWord = (index: number): boolean => {
    const end = index + find.length;
    const before = content.slice(Math.max(0, index - (isNumber ? 2 : 1)), index);
    const after = content.slice(end, end + (/\d$/u.test(find) ? 2 : 1));
    return startsInside?.test(before) !== true && endsInside?.test(after) !== true;
  };
  const exact = offsets(content, find);
  const lower = content.toLowerCase();
  // Some letters change their length with their case; then the offsets would differ.
  const isComparable = lower.length === content.length && find.toLowerCase().length === find.length;
  const wholeWords = exact.filter(isWholeWord);
  return wholeWords.length > 0 || !isComparable
    ? wholeWords
    : offsets(lower, find.toLowerCase()).filter(isWholeWord);
}

/** The indexes of the lines that are meant. */
function indexesOf(lines: readonly Line[], line: number | string, all: boolean, path: string): number[] {
  if (typeof line === "number") {
    const index = line < 0 ? lines.length + line : line - 1;
    if (lines[index] !== undefined) return [index];
    throw new InvalidArgsError(
      lines.length === 0 ? `${path} is empty.` : `${path} has only ${formatCount(lines.length, "line")}.`,
    );
  }
  const indexes = indexesAbout(lines, line, all);
  if (indexes.length === 0) throw new InvalidArgsError(`No line of ${path} has “${linePreview(line)}”.`);
  if (indexes.length > 1 && !all) {
    const texts = indexes.map((index) => `“${linePreview(lines[index]?.text ?? "")}”`);
    throw new InvalidArgsError(
      `${formatCount(indexes.length, "line")} of ${path} have “${linePreview(line)}”: ${joinNames(texts)}.`,
      { context: { path, instead: [{ all: true }] } },
    );
  }
  return indexes;
}

/** A bullet, a number or a checkbox before the text of a list item. */
const BULLET = /^\s*(?:[-*+•]|\d+[.)])?\s*(?:\[[ xX]\]\s*)?/u;

/**
 * The lines that are these words; else those that contain them; else those that contain all of them in any order or
 * number. With `all`, a line that only contains them counts as much as one that is them.
 */
function indexesAbout(lines: readonly Line[], about: string, all: boolean): number[] {
  const asked = plainWords(about.replace(ARTICLE, ""));
  if (asked.length === 0) return lines.flatMap(({ text }, index) => (text.includes(about) ? [index] : []));
  const phrase = ` ${asked.join(" ")} `;
  const normalized = lines.map(({ text }) => ` ${plainWords(text.replace(BULLET, "")).join(" ")} `);
  const where = (fits: (text: string) => boolean): number[] =>
    normalized.flatMap((text, index) => (fits(text) ? [index] : []));
  const stems = asked.map(stem);
  const tiers = [
    () => (all ? [] : where((text) => text === phrase)),
    () => where((text) => text.includes(phrase)),
    () =>
      where((text) => {
        const there = new Set(text.trim().split(" ").map(stem));
        return stems.every((one) => there.has(one));
      }),
  ];
  for (const tier of tiers) {
    const indexes = tier();
    if (indexes.length > 0) return indexes;
  }
  return [];
}
