import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { alphabetical } from "../table-edit/compare-cells.ts";
import { listMarkLength, withoutListMark } from "@metahuman/core/text/list-marks";

/** A heading, or the line of a plain list that names it: "Guests:". */
const HEADING = /^\s*#{1,6}\s|:\s*$/u;

/** An item with the lines that belong to it: what is indented deeper below it. */
interface Item {
  /** The index of its first line, and of the line after its last one. */
  from: number;
  to: number;
  name: string;
}

const indentOf = (line: string): number => /^\s*/u.exec(line)?.[0].length ?? 0;

/**
 * The lists of a text, each as its items: the list items of Markdown if there are any, otherwise all lines without headings. A
 * blank line or a heading ends a list.
 */
function listsIn(lines: readonly string[]): Item[][] {
  const isMarked = lines.some((line) => listMarkLength(line) > 0);
  const lists: Item[][] = [];
  let items: Item[] = [];
  let indent = 0;
  for (const [index, line] of lines.entries()) {
    const last = items.at(-1);
    const isBlank = line.trim() === "";
    if (last !== undefined && last.to === index && !isBlank && indentOf(line) > indent) {
      last.to = index + 1;
      continue;
    }
    const isItem = !isBlank && (isMarked ? listMarkLength(line) > 0 : !HEADING.test(line));
    if (!isItem || (last !== undefined && (last.to !== index || indentOf(line) < indent))) {
      lists.push(items);
      items = [];
    }
    if (!isItem) continue;
    if (items.length === 0) indent = indentOf(line);
    items.push({ from: index, to: index + 1, name: withoutListMark(line).trim() });
  }
  return [...lists, items].filter(({ length }) => length > 0);
}

/**
 * The lines with the items of each list in alphabetical order, numbers by their value; `moved` are the items whose place
 * changed. The numbers of a numbered list stay where they are. Throws `InvalidArgsError` if nothing changes.
 */
export function sortedLines(lines: readonly string[], path: string): { lines: string[]; moved: string[] } {
  const lists = listsIn(lines).filter(({ length }) => length > 1);
  if (lists.length === 0) throw new InvalidArgsError(`${path} has no list of several lines to sort.`);
  const result = [...lines];
  const moved: string[] = [];
  for (const items of lists) {
    const sorted = items.toSorted((one, other) => alphabetical.compare(one.name, other.name));
    const placed = sorted.flatMap((item, place): string[] => {
      const [first = "", ...below] = lines.slice(item.from, item.to);
      const there = lines[items[place]?.from ?? 0] ?? "";
      const mark = /^\s*\d+[.)]\s+/u.exec(there)?.[0];
      if (item !== items[place]) moved.push(item.name);
      return [mark === undefined ? first : first.replace(/^\s*\d+[.)]\s+/u, mark), ...below];
    });
    result.splice(items[0]?.from ?? 0, placed.length, ...placed);
  }
  if (moved.length === 0)
    throw new InvalidArgsError(`The lines of ${path} are in alphabetical order already.`);
  return { lines: result, moved };
}

/** How often each line of the lists of a text occurs, ignoring case, if it occurs more than once. */
export function repeatedLines(lines: readonly string[]): Map<string, { text: string; at: number[] }> {
  const found = new Map<string, { text: string; at: number[] }>();
  for (const { name, from, to } of listsIn(lines).flat()) {
    if (to - from > 1 || name === "") continue;
    const same = found.get(name.toLowerCase());
    if (same === undefined) found.set(name.toLowerCase(), { text: name, at: [from] });
    else same.at.push(from);
  }
  return new Map([...found].filter(([, { at }]) => at.length > 1));
}
