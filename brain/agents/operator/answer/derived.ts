import { isListItem } from "@metahuman/core/text/list-marks";
import { type Facts, addNumber } from "./facts.ts";
import { significantWords } from "./mentions.ts";
import {
  type Cell,
  type Row,
  type Table,
  MAX_CALCULATED_ROWS,
  monthOf,
  numberIn,
  numericColumns,
} from "./records.ts";

/** The results of arithmetic over numbers that belong together. */
export interface Derived {
  sums: readonly number[];
  /** Sums of whole columns and lists. */
  totals: readonly number[];
  differences: readonly number[];
  averages: readonly number[];
  products: readonly number[];
  /** Quotients of two numbers. */
  ratios: readonly number[];
  /** Days, weeks, months and years between two days; minutes and hours between two times. */
  spans: readonly number[];
}

const MAX_LINES = 400;

const MAX_GROUP_SIZE = 24;

/** Adds the numbers of lines, items and words of a text, and its columns. */
export function addShape(facts: Facts, text: string): void {
  const lines = text.split("\n", MAX_LINES).map((line) => line.trim());
  const filled = lines.filter((line) => line !== "");
  facts.counts.add(filled.length);
  for (const line of filled) {
    const parts = line.replace(/^[^:]{0,40}:\s/u, "").split(/,\s|;\s|\s(?:and|und|et|y|e|[+&])\s/u);
    if (parts.length > 1 && parts.length < 30) facts.counts.add(parts.length);
  }
  if (filled.length > 1) {
    facts.counts.add(filled.length - 1).add(lines.length);
    const items = filled.filter(isListItem).length;
    const headings = filled.filter((line) => line.startsWith("#")).length;
    const open = filled.filter((line) => /^[-*]\s\[ \]/u.test(line)).length;
    const ticked = filled.filter((line) => /^[-*]\s\[x\]/iu.test(line)).length;
    facts.counts
      .add(items)
      .add(headings)
      .add(open)
      .add(ticked)
      .add(filled.length - headings);
    const alike = new Map<string, number>();
    for (const line of filled)
      for (const word of new Set(significantWords(line))) alike.set(word, (alike.get(word) ?? 0) + 1);
    for (const times of alike.values()) if (times > 1) facts.counts.add(times);
  }
  facts.words.add(text.split(/\s+/u).filter((word) => word !== "").length);
  addColumns(facts, filled);
}

function addColumns(facts: Facts, lines: readonly string[]): void {
  const columns: number[][] = [];
  for (const line of lines) {
    const row: number[] = [];
    const cells = line.split(/\s*[,;|\t]\s*/u);
    for (const [index, cell] of cells.entries()) {
      const number = /^[$€£]?\s?(-?\d+(?:\.\d+)?)\s?(?:\p{L}{1,3}|[%€$£])?$/u.exec(cell.trim())?.[1];
      if (number === undefined) continue;
      addNumber(facts, Number(number), "");
      (columns[index] ??= []).push(Number(number));
      row.push(Number(number));
    }
    if (cells.length === 1)
      row.push(
        ...[...line.matchAll(/(?<![\d.,:/-])-?\d+(?:\.\d+)?(?![\d:/-])/g)].map(([number]) => Number(number)),
      );
    if (row.length > 1) facts.groups.push(row);
  }
  const filled = columns.filter((column) => column.length > 1);
  facts.groups.push(...filled);
  const sums = filled.map((column) => column.reduce((sum, value) => sum + value, 0));
  if (sums.length > 1) facts.groups.push(sums);
}

/** Adds what can be calculated from a table: counts and sums of the rows of one month or value, differences of columns. */
export function addTableFacts(facts: Facts, { rows }: Table): void {
  if (rows.length > MAX_CALCULATED_ROWS) return;
  const columns = numericColumns(rows);
  for (const subset of subsetsOf(rows)) {
    facts.counts.add(subset.length).add(rows.length - subset.length);
    for (const column of columns) facts.groups.push(subset.map((row) => numberIn(row, column)));
  }
  for (const [index, one] of columns.entries())
    for (const other of columns.slice(index + 1)) {
      const differences = rows.map((row) => Math.abs(numberIn(row, one) - numberIn(row, other)));
      for (const difference of differences) addNumber(facts, difference, "");
      facts.groups.push(differences);
    }
}

/** The groups of rows that share a month or a text. */
function subsetsOf(rows: readonly Row[]): Row[][] {
  const subsets = new Map<string, Row[]>();
  for (const row of rows)
    for (const key of new Set(row.flatMap((cell) => groupKeyOf(cell) ?? []))) {
      const subset = subsets.get(key);
      if (subset) subset.push(row);
      else subsets.set(key, [row]);
    }
  return [...subsets.values()].filter(({ length }) => length > 1 && length < rows.length);
}

const groupKeyOf = ({ key, column }: Cell): string | undefined =>
  key.startsWith("=") ? undefined : `${String(column)} ${monthOf(key) ?? key}`;

/** Arithmetic over numbers that belong together. */
export function derivedFrom({ groups, counts, dayNumbers, times }: Facts): Derived {
  const derived: Record<keyof Derived, number[]> = {
    sums: [],
    totals: [],
    differences: [],
    averages: [],
    products: [],
    ratios: [],
    spans: [],
  };
  for (const group of [...groups, [...counts].slice(0, MAX_GROUP_SIZE)]) {
    if (group.length < 2) continue;
    const sum = group.reduce((all, value) => all + value, 0);
    const sorted = group.toSorted((a, b) => a - b);
    derived.sums.push(sum);
    derived.totals.push(sum);
    derived.averages.push(sum / group.length, middleOf(sorted));
    derived.differences.push((sorted.at(-1) ?? 0) - (sorted[0] ?? 0));
    if (group.length > MAX_GROUP_SIZE) continue;
    for (const [index, a] of group.entries()) {
      let run = a;
      derived.sums.push(sum - a);
      for (const b of group.slice(index + 1)) {
        run += b;
        derived.sums.push(run, a + b);
        derived.differences.push(Math.abs(a - b));
        derived.products.push(a * b);
        if (b !== 0) derived.ratios.push(a / b, Math.abs(a - b) / b);
        if (a !== 0) derived.ratios.push(b / a, Math.abs(a - b) / a);
      }
    }
  }
  const days = [...dayNumbers].slice(0, 2 * MAX_GROUP_SIZE);
  for (const [index, a] of days.entries())
    for (const b of days.slice(index + 1)) {
      const apart = Math.abs(a - b);
      derived.spans.push(
        apart,
        apart + 1,
        Math.floor(apart / 7),
        Math.floor(apart / 30.44),
        Math.floor(apart / 365.2425),
      );
    }
  const minutes = [...times].slice(0, MAX_GROUP_SIZE);
  for (const [index, a] of minutes.entries())
    for (const b of minutes.slice(index + 1)) {
      // The first time may be on the day before.
      for (const apart of [Math.abs(a - b), 1440 - Math.abs(a - b)])
        derived.spans.push(apart, apart / 60, Math.floor(apart / 60), apart % 60);
    }
  return derived;
}

function middleOf(sorted: readonly number[]): number {
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}
