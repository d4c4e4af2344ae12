import { describe, expect, it } from "vitest";
import { regionOf } from "@metahuman/core/contract/region";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { views } from "./views.ts";

const CSV = "date,item,amount\n2026-11-01,rent,850\n2026-11-03,food,62.50\n2026-11-09,train,120\n";
const PEOPLE = JSON.stringify([
  { name: "Ann", age: 31 },
  { name: "Bob", age: 45 },
]);

/** What a person reads of the answer of a view, or of the reason why there is none. */
const shown = (result: ReturnType<View>) => (typeof result === "object" ? result.unanswered : result);

/** The answer of a view about a file. */
function answer(view: string, content: string, values: Record<string, string> = {}, path = "out/a.csv") {
  const outputs = { path, content, bytes: content.length, truncated: false };
  return shown(views[view]?.(outputs, values, regionOf()));
}

describe("questions about tables", () => {
  it.each<[string, string, string, Record<string, string>, string]>([
    ["a sum", "sum", CSV, { column: "amount" }, "The sum of amount in out/a.csv is 1032.5."],
    ["a sum of the only numbers", "sum", CSV, {}, "The sum of amount in out/a.csv is 1032.5."],
    ["an average", "average", CSV, { column: "amounts" }, "The average of amount in out/a.csv is 344.17."],
    [
      "the highest value with its row",
      "highest",
      CSV,
      { column: "amount" },
      "The highest amount in out/a.csv is 850:\n\n| date | item | amount |\n| --- | --- | --- |\n| 2026-11-01 | rent | 850 |",
    ],
    [
      "rows above a number",
      "rows-over",
      CSV,
      { amount: "€100?" },
      "| date | item | amount |\n| --- | --- | --- |\n| 2026-11-01 | rent | 850 |\n| 2026-11-09 | train | 120 |",
    ],
    [
      "rows above a number of what a column counts",
      "rows-over",
      "product,bottles,price\nrum,5,19\ngin,13,22\n",
      { amount: "6 bottles" },
      "| product | bottles | price |\n| --- | --- | --- |\n| gin | 13 | 22 |",
    ],
    [
      "rows with a value",
      "rows-equal",
      CSV,
      { column: "item", amount: "Food" },
      "| date | item | amount |\n| --- | --- | --- |\n| 2026-11-03 | food | 62.50 |",
    ],
    ["a number of rows", "count-under", CSV, { amount: "100" }, "1 of 3 rows in out/a.csv."],
    ["a number of entries", "entries", CSV, {}, "out/a.csv has 3 entries."],
    ["no row", "rows-over", CSV, { amount: "1,000" }, "No row of out/a.csv matches."],
    [
      "amounts with a currency",
      "sum",
      "what;price\na;€1,200.50\nb;2\n",
      {},
      "The sum of price in out/a.csv is 1202.5.",
    ],
  ])("answers %s", (_what, view, content, values, expected) => {
    expect(answer(view, content, values)).toBe(expected);
  });

  it.each([
    ["Gerda paid", "Yes. In out/members.csv, paid is “yes” for Gerda Lund."],
    ["Otto Berg paid", "No. In out/members.csv, paid is “no” for Otto Berg."],
    ["max already paid?", "No. In out/members.csv, paid is empty for Max Frost."],
    ["Gerda pay", "Yes. In out/members.csv, paid is “yes” for Gerda Lund."],
    ["Otto not paid", "In out/members.csv, paid is “no” for Otto Berg."],
    ["Otto joined", "In out/members.csv, joined is “2021-03-12” for Otto Berg."],
    [
      "Ella paid",
      "I can't tell “Ella paid” from out/members.csv. Its columns are name, email, joined, paid.",
    ],
    [
      "Otto paid by card",
      "I can't tell “Otto paid by card” from out/members.csv. Its columns are name, email, joined, paid.",
    ],
  ])("tells what a cell says: “%s”", (about, expected) => {
    const members =
      "name,email,joined,paid\nGerda Lund,gerda@lund.example,2019-05-01,yes\nOtto Berg,otto@berg.example,2021-03-12,no\nMax Frost,max@frost.example,2026-08-02,\n";
    expect(answer("cell", members, { about }, "out/members.csv")).toBe(expected);
  });

  it("takes a part of a name for the only one that has it", () => {
    const table = "name,fee\nGerda Lund,20\nGerda Berg,30\nMax Frost,40\n";
    expect(answer("sum", table, { which: "Max" })).toBe(
      "The sum of fee in out/a.csv is 40, for “Max Frost”.",
    );
    expect(answer("sum", table, { which: "Gerda" })).toBe("No row of out/a.csv has “Gerda”.");
  });

  it("adds up lines that contain one number each", () => {
    const text = "- rent 850\n- food 62.50\n";
    expect(answer("sum", text, { column: "numbers" }, "out/a.txt")).toBe(
      "The sum of number in out/a.txt is 912.5.",
    );
  });

  it("counts and filters the entries of a JSON list", () => {
    expect(answer("entries", PEOPLE, {}, "out/p.json")).toBe("out/p.json has 2 entries.");
    expect(answer("rows-over", PEOPLE, { amount: "40" }, "out/p.json")).toContain("| Bob | 45 |");
  });

  it("counts the items of a list in a text", () => {
    expect(answer("entries", "# Shopping\n- milk\n- eggs\n", {}, "out/a.md")).toBe("out/a.md has 2 items.");
  });

  it("lists the values of a column", () => {
    expect(answer("about", CSV, { about: "items" })).toBe("- rent\n- food\n- train");
  });

  it.each<[string, string, Record<string, string>, string]>([
    [
      "an unknown column",
      CSV,
      { column: "weight" },
      "out/a.csv has no column “weight”. Its columns are date, item, amount.",
    ],
    ["a column of words", CSV, { column: "item" }, "item in out/a.csv is not a number everywhere: “rent”."],
    [
      "several columns of numbers",
      "a,b\n1,2\n",
      {},
      "out/a.csv has 2 columns of numbers. Name one of its columns: a, b.",
    ],
  ])("reports the problem with %s", (_what, content, values, expected) => {
    expect(answer("sum", content, values)).toBe(expected);
  });

  it("reports that a file is not a table, or was not read to its end", () => {
    expect(answer("sum", "no numbers\n", {}, "out/a.txt")).toBe(
      "out/a.txt is neither a table nor a list with one number in each line.",
    );
    const read = { path: "out/a.csv", content: CSV, bytes: 90_000, truncated: true };
    expect(views["sum"]?.(read, {}, regionOf())).toEqual({
      unanswered: "out/a.csv is too long: only its beginning was read.",
    });
  });
});

it.each<[string, string, string, Record<string, string>, string]>([
  [
    "rows with more cells than columns",
    "sum",
    "item,amount\nrent,850,50\n",
    {},
    "a row with 3 cells under 2 columns",
  ],
  [
    "different measures",
    "sum",
    "item,weight\nflour,2 kg\nsalt,300 g\n",
    {},
    "different units: “2 kg” and “300 g”",
  ],
  ["words for large numbers", "highest", "a,people\nX,2 million\nY,900 thousand\n", {}, "different units"],
  ["different currencies", "sum", "i,price\nx,$5\ny,€5\n", {}, "different units"],
  [
    "a cell that is no number",
    "rows-over",
    "i,amount\nx,~500\nz,150\n",
    { column: "amount", amount: "100" },
    "not a number everywhere: “~500”",
  ],
  [
    "a value that is denied",
    "rows-equal",
    "n,city\na,Rome\n",
    { column: "city", amount: "not Rome" },
    "one value at a time",
  ],
  [
    "two values",
    "count-equal",
    "n,city\na,Rome\n",
    { column: "city", amount: "Rome or Paris" },
    "one value at a time",
  ],
])("a question is not answered with a wrong figure because of %s", (_why, view, content, values, reason) => {
  expect(answer(view, content, values)).toContain(reason);
});

it.each<[string, string, string, string]>([
  ["decimal commas", "sum", "i;kg\nx;0,500\ny;1,250\n", "The sum of kg in out/a.csv is 1.750."],
  [
    "points in thousands",
    "sum",
    "i;amount\nx;1.234,56\ny;50,00\n",
    "The sum of amount in out/a.csv is 1284.56.",
  ],
  [
    "a row of totals",
    "sum",
    "n,v\na,5\nb,2\nTotal,7\n",
    "The sum of v in out/a.csv is 7, without its row of totals.",
  ],
  ["no header", "sum", "rent,850\nfood,200\n", "The sum of column 2 in out/a.csv is 1050."],
])("a sum is right with %s", (_why, view, content, expected) => {
  expect(answer(view, content)).toBe(expected);
});

it("does not count a heading or the number of a name", () => {
  const list = "# Budget 2026\n- rent 850\n- food 200\n";
  expect(answer("sum", list, {}, "out/a.md")).toContain("1050");
  expect(answer("sum", "- Room A-5\n- Room B-7\n", {}, "out/a.md")).toContain("neither a table nor a list");
});

const ORDERS =
  "order,customer,price,qty\n1,Anna,10.00,2\n2,Bob,$5.50,10\n3,anna,20,1\n4,Anna Smith,0.10,3\n5,,0.20,1\n";
const DEPTH = 30_000;
const WIDTH = 4_500;

it.each<[string, string, string, Record<string, string>, string]>([
  ["the rows with a value", "entries", ORDERS, { what: "Bob orders" }, "1 of 5 rows in out/a.csv has “Bob”."],
  ["every row, by a word for rows", "entries", ORDERS, { what: "purchases" }, "out/a.csv has 5 entries."],
  [
    "rows without a row of totals",
    "entries",
    "n,v\na,1\nTotal,1\n",
    {},
    "out/a.csv has 1 entry, without its row of totals.",
  ],
])("counts %s", (_what, view, content, values, expected) => {
  expect(answer(view, content, values)).toBe(expected);
});

it.each<[string, string, Record<string, string>, string]>([
  [
    "rows with a value",
    "sum",
    { column: "price", which: "Anna" },
    "The sum of price in out/a.csv is 30, for “Anna”.",
  ],
  ["rows with a value beside the column", "sum", { column: "price for Bob" }, "is 5.50, for “Bob”."],
  ["rows without a value", "sum", { column: "qty", without: "bob" }, "is 7, without “bob”."],
  ["a value that no row has", "sum", { column: "price", which: "Carl" }, "No row of out/a.csv has “Carl”."],
])("adds up %s", (_what, view, values, expected) => {
  expect(answer(view, ORDERS, values)).toContain(expected);
});

it("lists the rows without a value", () => {
  const text = answer("rows-without", ORDERS, { without: "Anna?" }) ?? "";
  expect(text).toContain("Anna Smith");
  expect(text).not.toContain("10.00");
  expect(answer("rows-without", ORDERS, { without: "paid" })).toBe("No row of out/a.csv has “paid”.");
});

it("lists the rows with nothing in a column", () => {
  expect(answer("rows-without", ORDERS, { without: "customer" })).toContain("| 5 |  | 0.20 | 1 |");
});

it("adds up a column for each value of another one", () => {
  expect(
    answer("sum-by", "day,kind,amount\n1,food,20.50\n2,rent,800.00\n3,food,9.50\n4,,3.00\n", {
      column: "amount",
      by: "kind",
    }),
  ).toBe("| kind | amount |\n| --- | --- |\n| rent | 800.00 |\n| food | 30.00 |\n| (none) | 3.00 |");
});

it("counts the empty cells of a column", () => {
  expect(answer("average", "day,amount\n1,10\n2,\n3,20\n", { column: "amount" })).toBe(
    "The average of amount in out/a.csv is 15; 1 of 3 rows has none.",
  );
});

it.each([
  ["the value in the row that is named", "price of Bob", "- $5.50"],
  ["rows with a value when a word is unknown", "orders did Anna make", "2 rows of out/a.csv have “Anna”:"],
  [
    "nothing when a word of the question is unknown",
    "second highest price",
    "I can't tell “second highest price”",
  ],
])("answers a question about cells with %s", (_what, about, expected) => {
  expect(answer("about", ORDERS, { about })).toContain(expected);
});

it("finds the cheapest row by a column of prices, or reports that there is none", () => {
  expect(answer("cheapest", ORDERS)).toContain("The lowest price in out/a.csv is 0.1:");
  expect(answer("oldest", ORDERS)).toContain("does not show which is the oldest");
});

it("keeps every digit of a number", () => {
  expect(
    answer("sum", '[{"n":"a","id":12345678901234567890},{"n":"b","id":1}]', { column: "id" }, "out/a.json"),
  ).toBe("The sum of id in out/a.json is 12345678901234567891.");
  expect(answer("about", '{"limit":1e400,"big":12345678901234567890}', { about: "big" }, "out/a.json")).toBe(
    "big: 12345678901234567890",
  );
  expect(answer("sum", "n,v\na,0.1\nb,0.2\n")).toBe("The sum of v in out/a.csv is 0.3.");
});

it("recognizes thousands and millions as numbers", () => {
  expect(answer("count-over", "n,price\na,3\nb,2500\n", { amount: "2 thousand" })).toContain("1 of 2 rows");
  expect(answer("count-under", "n,price\na,$3\n", { amount: "$5 million" })).toContain("1 of 1 row");
});

it("does not add up an underlined heading", () => {
  expect(answer("sum", "Budget 2026\n===========\n- rent 850\n- food 200\n", {}, "out/a.md")).toContain(
    "1050",
  );
});

it("asks what a comma means in locales with decimal commas", () => {
  const content = '"n","v"\n"a","1,500"\n"b","2,250"\n';
  const inGermany = { ...regionOf(), locale: "de-DE" };
  const outputs = { path: "out/a.csv", content, bytes: content.length, truncated: false };
  expect(shown(views["sum"]?.(outputs, {}, inGermany))).toContain("can be read in two ways");
});

it("counts the keys of a JSON object, not the list in one of them", () => {
  expect(answer("entries", '{"a":{"b":[1,2]},"version":"1.2","list":[]}', {}, "out/a.json")).toBe(
    "out/a.json has 3 keys at its top.",
  );
});

it("answers about a deeply nested or a very wide file", () => {
  const deep = "[".repeat(DEPTH) + "]".repeat(DEPTH);
  expect(answer("sum", deep, {}, "out/a.json")).toContain("neither a table");
  const columns = Array.from({ length: WIDTH }, (_, index) => `c${String(index)}`);
  const wide = `${columns.join(",")}\n${columns.map((_, index) => String(index)).join(",")}\n`;
  const text = answer("highest", wide, { column: "c4000" }) ?? "";
  expect(text).toContain("is 4000:");
  expect(text).toContain("4,487 more columns");
  expect(answer("sum", wide, { column: "weight" })?.length).toBeLessThan(500);
});

it("does not claim that a text contains a statement", () => {
  const text = "The deposit is not due.\n";
  expect(answer("mentions", text, { word: "that the deposit is due" }, "out/m.txt")).toBe(
    "out/m.txt says about this:\n\n> The deposit is not due.",
  );
});

it("shows a path as written", () => {
  expect(answer("entries", CSV, {}, "out/a*b*.csv")).toBe("out/a\\*b\\*.csv has 3 entries.");
});

describe("the rows that a column does not mark", () => {
  const MEMBERS = "name,town,paid\nGerda,Lund,yes\nIvar,Ystad,no\nKaja,Lund,\nOlli,Ystad,yes\nTotal,,2\n";
  const DUES = "name,paid_on\nGerda,2026-01-03\nIvar,\nKaja,2026-02-01\n";

  it.each(["paid", "paid yet?", "pay"])("are those with no or nothing: “%s”", (without) => {
    const rows = answer("rows-not", MEMBERS, { without }) ?? "";
    expect(rows).toContain("| Ivar | Ystad | no |\n| Kaja | Lund |  |");
    expect(rows).not.toMatch(/Gerda|Olli|Total/u);
  });

  it("are those without a date, if dates are the marks", () => {
    const rows = answer("rows-not", DUES, { without: "paid" }) ?? "";
    expect(rows).toContain("Ivar");
    expect(rows).not.toMatch(/Gerda|Kaja/u);
  });

  it("are those with another value, if the word is a value", () => {
    const rows = answer("rows-not", "name,status\nGerda,paid\nIvar,open\n", { without: "paid" }) ?? "";
    expect(rows).toContain("| Ivar | open |");
    expect(rows).not.toContain("Gerda");
  });

  it("are those with the value that the preceding words name", () => {
    const rows = answer("rows-not", MEMBERS, { what: "Lund members", without: "paid" }) ?? "";
    expect(rows).toContain("Kaja");
    expect(rows).not.toContain("Ivar");
    expect(answer("rows-not", MEMBERS, { what: "junior members", without: "paid" })).toContain(
      "I can't tell which rows of out/a.csv are “junior members”.",
    );
  });

  it("are unknown without such a column or value", () => {
    expect(answer("rows-not", MEMBERS, { without: "voted" })).toBe(
      "out/a.csv has no column “voted”. Its columns are name, town, paid.",
    );
  });

  it("are omitted if the marked rows are requested", () => {
    const text = answer("about", MEMBERS.replace("Total,,2\n", ""), { about: "paid" }) ?? "";
    expect(text).toContain("2 rows of out/a.csv are marked “paid”:");
    expect(text).not.toMatch(/Ivar|Kaja/u);
  });
});

describe("the table of a Markdown file", () => {
  const STOCK =
    "# Stock\n\n| item | stock | price |\n|:--|--:|---|\n| candles | 12 | 8.50 |\n| soap \\| bars | 40 | 4.20 |\n\nCounted in May.\n";
  const asked = (view: string, values: Record<string, string>, content = STOCK): string | undefined =>
    answer(view, content, values, "out/stock.md");

  it("is read like one of a CSV file", () => {
    expect(asked("rows-under", { column: "stock", amount: "20" })).toContain("| candles | 12 | 8.50 |");
    expect(asked("sum", { column: "stock" })).toBe("The sum of stock in out/stock.md is 52.");
    expect(asked("dearest", {})).toContain("The highest price in out/stock.md is 8.5");
    expect(asked("rows-where", { about: "with a stock over 20" })).toContain("40");
  });

  it("is none among several, and in code", () => {
    expect(asked("sum", { column: "stock" }, `${STOCK}\n${STOCK}`)).toContain("neither a table nor");
    expect(asked("sum", { column: "stock" }, `\`\`\`\n${STOCK}\`\`\`\n`)).toContain("neither a table nor");
  });
});

it("does not answer a comparison with the rows that have its number", () => {
  expect(answer("about", CSV, { about: "less than 120" })).not.toContain("train");
  expect(answer("about", CSV, { about: "weigh less than many" })).toBe(
    "I can't tell “weigh less than many” from out/a.csv. Its columns are date, item, amount.",
  );
});

it("adds up the rows that the words beside a column choose", () => {
  const fees = "name,fee,paid\nAda,40,yes\nBen,40,no\nCara,25,no\n";
  expect(answer("sum", fees, { column: "unpaid fees" })).toBe(
    "The sum of fee in out/a.csv is 65, for “unpaid”.",
  );
  expect(answer("sum", fees, { column: "purple fees" })).toContain("has no column “purple fees”");
});

it("does not answer with the names of the columns", () => {
  expect(answer("about", CSV, { about: "the item of the club" })).not.toContain("date,item");
});

it("averages a column for each value of another one", () => {
  const samples = "sample;site;ph\nS1;north;6,8\nS2;south;7,1\nS3;north;6,4\n";
  expect(answer("average-by", samples, { column: "ph", by: "site" })).toContain("| north | 6.6 |");
});
