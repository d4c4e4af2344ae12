import { expect, it } from "vitest";
import { rowsWhere } from "./table-conditions.ts";
import { UnanswerableError, type Table } from "./tables.ts";

const MEMBERS: Table = {
  columns: ["name", "city", "joined", "paid", "fee"],
  rows: [
    ["Gerda Lund", "Bergen", "2018", "no", "12"],
    ["Otto Berg", "Oslo", "2021", "", "12"],
    ["Maria Vik", "Bergen", "2022", "yes", "24"],
  ],
};
const EXPENSES: Table = {
  columns: ["date", "item", "amount"],
  rows: [
    ["2026-05-03", "shop", "64.20"],
    ["2026-06-02", "kiwi", "31.50"],
    ["2025-05-09", "bus", "18"],
    ["total", "", "113.70"],
  ],
};
const names = (table: Table, words: string): string[] =>
  rowsWhere(table, "out/t.csv", words).map((row) => row[table === MEMBERS ? 0 : 1] ?? "");

it.each([
  ["have paid", ["Maria Vik"]],
  ["haven't paid yet", ["Gerda Lund", "Otto Berg"]],
  ["in Bergen", ["Gerda Lund", "Maria Vik"]],
  ["are not from Bergen", ["Otto Berg"]],
  ["joined after 2020", ["Otto Berg", "Maria Vik"]],
  ["joined before 2020", ["Gerda Lund"]],
  ["with a fee over 20?", ["Maria Vik"]],
  ["in Bergen joined since 2020", ["Maria Vik"]],
  ["still owe their fee", ["Gerda Lund", "Otto Berg"]],
  ["do not owe anything", ["Maria Vik"]],
])("chooses the members that “%s”", (words, expected) => {
  expect(names(MEMBERS, words)).toEqual(expected);
});

it.each([
  ["from may", ["shop", "bus"]],
  ["in May 2026", ["shop"]],
  ["from 2025", ["bus"]],
  ["of june", ["kiwi"]],
])("chooses the expenses “%s”, without the row of totals", (words, expected) => {
  const dated = { ...EXPENSES, rows: EXPENSES.rows.slice(0, 3) };
  expect(names(dated, words)).toEqual(expected);
});

it.each(["are purple", "joined the committee", "on the committee"])(
  "chooses no rows where “%s” means nothing in the table",
  (words) => {
    expect(() => names(MEMBERS, words)).toThrow(UnanswerableError);
  },
);
