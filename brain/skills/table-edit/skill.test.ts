import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { editTable, type TableEdit } from "./edit-table.ts";
import { tableEdit } from "./skill.ts";

const harness = skillHarness();
const MEMBERS =
  'name,email,joined,paid,fee\nGerda Lund,gerda@lund.no,2018,no,12\nOtto Berg,otto@mail.com,2021,no,12\n"Berg, Olli",olli@berg.fi,2019,yes,24\n';
const put = (text = MEMBERS) => writeFile(join(harness.folder("out"), "members.csv"), text);
const edit = (args: Record<string, unknown>) => harness.call(tableEdit, { path: "members.csv", ...args });
const edited = (text: string, args: TableEdit): string => editTable(text, args, "out/t.csv").text;

describe("a word for a day", () => {
  const invoices = "id,paid\n1,2026-10-02\n2,\n";
  const paid = (text: string, row: string): string =>
    editTable(text, { action: "set", row, column: "paid", value: "today" }, "out/t.csv", "2026-11-28").text;

  it("is its date in a column of dates", () => {
    expect(paid(invoices, "2")).toBe("id,paid\n1,2026-10-02\n2,2026-11-28\n");
    expect(
      editTable(
        invoices,
        { action: "add", values: { id: "3", paid: "yesterday" } },
        "out/t.csv",
        "2026-12-01",
      ).text,
    ).toContain("3,2026-11-30");
  });

  it("is itself in a column of words", () => {
    expect(paid("id,paid\n1,yes\n2,\n", "2")).toBe("id,paid\n1,yes\n2,today\n");
  });
});

describe("table_edit", () => {
  it("sets one cell, shows the change before, and leaves everything else as it is", async () => {
    await put();
    const { assessment, outputs, narrative } = await edit({
      action: "set",
      row: "Otto",
      column: "paid",
      value: "yes",
    });
    expect(assessment).toMatchObject({
      risk: "medium",
      paths: ["out/members.csv"],
      overwrites: true,
      preview: { title: "Change out/members.csv?", diff: { before: MEMBERS } },
    });
    expect(outputs).toMatchObject({
      changed: true,
      row: "Otto Berg",
      column: "paid",
      before: "no",
      after: "yes",
      archived: { origin: "out/members.csv" },
    });
    expect(narrative).toBe("Changed paid of Otto Berg from “no” to “yes” in out/members.csv.");
    expect(await harness.read("out/members.csv")).toBe(MEMBERS.replace("2021,no", "2021,yes"));
  });

  it("changes nothing where the cell has the value already", async () => {
    await put();
    const { outputs, narrative } = await edit({ action: "set", row: "Olli", column: "paid", value: "yes" });
    expect(outputs).toMatchObject({ changed: false });
    expect(narrative).toBe("paid of Berg, Olli is “yes” already in out/members.csv.");
  });

  it.each([
    ["Otto's email", "otto@berg.no"],
    ["Ottos email", "otto@berg.no"],
    ["the email of Otto Berg", "otto@berg.no"],
    ["otto@mail.com", "otto@berg.no"],
  ])("finds the cell that “%s” means", (row, value) => {
    expect(edited(MEMBERS, { action: "set", row, value })).toBe(MEMBERS.replace("otto@mail.com", value));
  });

  const BUDGET = "item,amount\nrent,900\nfood,320\n";

  it("gives a row that is named its amount, and does not replace its name", () => {
    expect(edited(BUDGET, { action: "set", row: "food", value: "350" })).toBe(BUDGET.replace("320", "350"));
    expect(edited(BUDGET, { action: "set", row: "food", value: "zero" })).toBe(BUDGET.replace("320", "0"));
    expect(edited(BUDGET, { action: "set", row: "food", value: "groceries" })).toBe(
      BUDGET.replace("food", "groceries"),
    );
    const two = "item,net,gross\nrent,900,990\n";
    expect(() => edited(two, { action: "set", row: "rent", value: "950" })).toThrow(
      "It is not clear which column of “rent” is meant.",
    );
  });

  it.each(["phone 25", "phone for 25", "25 for the phone", "phone, 25"])(
    "adds “%s” to a table of words and amounts",
    (values) => {
      expect(edited(BUDGET, { action: "add", values })).toBe(`${BUDGET}phone,25\n`);
    },
  );

  it("adds a row from words, each value in the column of its kind", async () => {
    await put();
    const { narrative } = await edit({ action: "add", values: "Nina Falk, 12 euros, paid" });
    expect(narrative).toBe("Added a row to out/members.csv: name “Nina Falk”, paid “yes”, fee “12”.");
    expect(await harness.read("out/members.csv")).toBe(`${MEMBERS}Nina Falk,,,yes,12\n`);
  });

  it.each([
    ["Nina Falk, nina@falk.no, not paid", "Nina Falk,nina@falk.no,,no,"],
    ["Nina Falk and unpaid", "Nina Falk,,,no,"],
    ["Nina Falk, fee: 15, joined 2026", "Nina Falk,,2026,,15"],
    ["Nina Falk,nina@falk.no,2026,no,12", "Nina Falk,nina@falk.no,2026,no,12"],
    ["name: Falk, email: nina@falk.no", "Falk,nina@falk.no,,,"],
  ])("reads the row %s", (values, line) => {
    expect(edited(MEMBERS, { action: "add", values })).toBe(`${MEMBERS}${line}\n`);
  });

  it("adds a row by column, in the order of the columns", () => {
    expect(edited(MEMBERS, { action: "add", values: { fee: 9, name: "Falk, Nina" } })).toBe(
      `${MEMBERS}"Falk, Nina",,,,9\n`,
    );
  });

  it("gives a row of values without a name the name it is called by", async () => {
    await put();
    const { narrative } = await edit({ action: "add", row: "Nina Falk", values: { fee: 12, paid: "no" } });
    expect(narrative).toBe("Added a row to out/members.csv: name “Nina Falk”, paid “no”, fee “12”.");
    const named = { action: "add", row: "Nina", values: { name: "Nina Falk" } } as const;
    expect(edited(MEMBERS, named)).toBe(`${MEMBERS}Nina Falk,,,,\n`);
  });

  it("sets several cells of a row", async () => {
    await put();
    const args = { action: "set", row: "Otto", values: { paid: "yes", fee: "20", joined: 2021 } };
    const { outputs, narrative } = await edit(args);
    expect(narrative).toBe("Changed the row Otto Berg of out/members.csv: paid to “yes”, fee to “20”.");
    expect(outputs).toMatchObject({ row: "Otto Berg", cells: { paid: "yes", fee: "20" } });
    expect(await harness.read("out/members.csv")).toBe(MEMBERS.replace("2021,no,12", "2021,yes,20"));
    expect((await edit(args)).narrative).toMatch(/has these values already/u);
    expect((await edit({ action: "set", row: "Otto", values: { paid: "no" } })).narrative).toBe(
      "Changed paid of Otto Berg from “yes” to “no” in out/members.csv.",
    );
  });

  it.each(["Nina Falk, Tom Ude", "Nina Falk, 12, 15, 18", "12.50 for stamps", "food 412.30"])(
    "adds no row where a value of “%s” belongs nowhere",
    (values) => {
      expect(() => edited(MEMBERS, { action: "add", values })).toThrow(/It is not clear in which column/u);
    },
  );

  it("takes a new word in a column of marks if there is a value for every column", () => {
    const samples = "id,ph,status\nS1,6.8,ok\nS2,7.4,ok\n";
    expect(edited(samples, { action: "add", values: "S5, 7.2, repeat" })).toBe(`${samples}S5,7.2,repeat\n`);
  });

  it("takes a list of names for no row", () => {
    const clients = "name,city,status\nLindqvist,Stockholm,active\n";
    expect(() => edited(clients, { action: "add", values: "Anna, Tom and Eva Lund, 3" })).toThrow();
    expect(() =>
      edited(clients.replace("status", "status,phone"), { action: "add", values: "Anna, Tom and Eva" }),
    ).toThrow("It is not clear in which column “Tom” belongs. The columns are name, city, status, phone.");
    expect(edited(clients, { action: "add", values: "Nordwind, Oslo, active" })).toBe(
      `${clients}Nordwind,Oslo,active\n`,
    );
  });

  it("removes one row, and restores it with its undo", async () => {
    await put();
    const { narrative } = await edit({ action: "remove", row: "Gerda" });
    expect(narrative).toBe("Removed the row “Gerda Lund, gerda@lund.no, 2018, no, 12” from out/members.csv.");
    expect(await harness.read("out/members.csv")).toBe(MEMBERS.replace(/Gerda.*\n/u, ""));
  });

  it("names the rows where several fit, and those there are where none fits", async () => {
    await put();
    await expect(edit({ action: "remove", row: "Berg" })).rejects.toMatchObject({
      message: "2 rows of out/members.csv have “Berg”: Otto Berg, Berg, Olli.",
      context: { choices: { argument: "row", values: ["Otto Berg", "Berg, Olli"] } },
    });
    await expect(edit({ action: "set", row: "Anna", column: "paid", value: "yes" })).rejects.toThrow(
      "No row of out/members.csv has “Anna”. Its rows are Gerda Lund, Otto Berg, Berg, Olli.",
    );
    await expect(edit({ action: "set", row: "Gerdda", column: "paid", value: "yes" })).rejects.toMatchObject({
      context: { choices: { argument: "row", values: ["Gerda Lund"] } },
    });
    await expect(edit({ action: "set", row: "Otto", column: "phone", value: "1" })).rejects.toThrow(
      "out/members.csv has no column “phone”. Its columns are name, email, joined, paid, fee.",
    );
  });

  it.each([
    ["semicolons and decimal commas", "item;price\r\nink;4,50\r\n", "pens, 3 euros", "pens;3,00\r\n"],
    ["tabs", "item\tcolor\npen\tblue\n", "ink, red", "ink\tred\n"],
    ["quoted cells", '"item","color"\n"pen","blue"\n', "ink, red", '"ink","red"\n'],
    ["a space after each comma", "item, color\npen, blue\n", "ink, red", "ink, red\n"],
  ])("keeps the form of a file with %s", (_, text, values, line) => {
    expect(edited(text, { action: "add", values })).toBe(`${text}${line}`);
  });

  it("adds to a file without a last line break, and before a row of totals", () => {
    expect(edited("item,n\npen,1", { action: "add", values: "ink, 2" })).toBe("item,n\npen,1\nink,2");
    const { text, hasTotal } = editTable(
      "item,n\npen,1\ntotal,1\n",
      { action: "add", values: "ink, 2" },
      "out/t.csv",
    );
    expect([text, hasTotal]).toEqual(["item,n\npen,1\nink,2\ntotal,1\n", true]);
  });

  it.each([
    ["name,ok\nA,x\nB,\n", { row: "B", column: "ok", value: "yes" }, "name,ok\nA,x\nB,x\n"],
    ["name,ok\nA,x\nB,\n", { row: "A", column: "ok", value: "no" }, "name,ok\nA,\nB,\n"],
    ["name,ok\nA,true\n", { row: "A", column: "ok", value: "no" }, "name,ok\nA,false\n"],
    ["nom,payé\nZoé,non\n", { row: "Zoe", column: "paye", value: "yes" }, "nom,payé\nZoé,oui\n"],
    ["name,ok\nA,Nein\n", { row: "A", column: "ok", value: "yes" }, "name,ok\nA,Ja\n"],
    ["name,ok\nA,no\n", { row: "A", column: "ok", value: "ja" }, "name,ok\nA,yes\n"],
    ["name,note\nA\n", { row: "A", column: "note", value: "a, b" }, 'name,note\nA,"a, b"\n'],
  ])("writes yes, no and commas as the file %j does", (text, args, expected) => {
    expect(edited(text, { action: "set", ...args })).toBe(expected);
  });

  it("refuses a file that is not a table", async () => {
    await writeFile(join(harness.folder("out"), "plan.md"), "# Plan\n");
    await expect(harness.call(tableEdit, { path: "plan.md", action: "remove", row: "Plan" })).rejects.toThrow(
      "out/plan.md has no table, or several.",
    );
    expect(() => edited('name\n"open\n', { action: "remove", row: "open" })).toThrow("is not closed");
  });

  it("edits the table of a Markdown file and leaves the text around it", () => {
    const stock = "# Stock\n\n| item | price |\n| --- | ---: |\n| soap | 4.20 |\n| mugs | 11.00 |\n\nEnd\n";
    const after = (args: TableEdit): string => editTable(stock, args, "out/stock.md").text;
    expect(after({ action: "set", row: "soap", column: "price", value: "4.50" })).toBe(
      stock.replace("4.20", "4.50"),
    );
    expect(after({ action: "add", values: "lamps | big, 20" })).toBe(
      stock.replace("11.00 |\n", "11.00 |\n| lamps \\| big | 20.00 |\n"),
    );
    expect(after({ action: "remove", row: "soap" })).toBe(stock.replace("| soap | 4.20 |\n", ""));
    expect(
      editTable(
        "| n | x |\n|---|---|\n| a | |\n",
        { action: "set", row: "a", column: "x", value: "1" },
        "t.md",
      ).text,
    ).toBe("| n | x |\n|---|---|\n| a | 1 |\n");
    expect(() => editTable(`${stock}\n${stock}`, { action: "remove", row: "soap" }, "out/s.md")).toThrow(
      "has no table, or several",
    );
  });

  it("finds the row by a column and its cell", () => {
    const hours = "date,hours\n2026-11-02,4\n2026-11-03,3\n";
    expect(edited(hours, { action: "set", row: "date 2026-11-03", column: "hours", value: "3.5" })).toBe(
      hours.replace("03,3\n", "03,3.5\n"),
    );
  });
});

describe("rows in the order of a column", () => {
  const by = (text: string, column: string, descending = false): string =>
    edited(text, { action: "sort", column, descending });

  it.each([
    ["amounts by their value", "n,fee\na,9.5\nb,10\nc,2", "fee", "n,fee\nc,2\na,9.5\nb,10"],
    ["words in whatever case", "n;x\nb;1\nA;2\n", "n", "n;x\nA;2\nb;1\n"],
    [
      "days with the day first",
      "day,x\n03.02.2026,a\n01.11.2025,b\n",
      "day",
      "day,x\n01.11.2025,b\n03.02.2026,a\n",
    ],
    [
      "days with the month first",
      "day,x\n11/21/2026,a\n3/4/2026,b\n",
      "day",
      "day,x\n3/4/2026,b\n11/21/2026,a\n",
    ],
    ["rows without a value last", "n,fee\na,\nb,2\nc,1\n", "fee", "n,fee\nc,1\nb,2\na,\n"],
    ["a row of totals where it is", "n,fee\na,3\nb,1\nTotal,4\n", "fee", "n,fee\nb,1\na,3\nTotal,4\n"],
    ["quoted cells and line breaks as they are", 'n,x\r\n"b, c",1\r\na,2', "n", 'n,x\r\na,2\r\n"b, c",1'],
  ])("has %s", (_, text, column, expected) => {
    expect(by(text, column)).toBe(expected);
  });

  it("goes from the highest to the lowest", () => {
    expect(by("n,fee\na,3\nb,\nc,10\n", "fee", true)).toBe("n,fee\nc,10\na,3\nb,\n");
  });

  it("is refused for a column that does not exist, and for days with two meanings", () => {
    expect(() => by(MEMBERS, "height")).toThrow("Its columns are name, email, joined, paid, fee");
    expect(() => by("day,x\n3/4/2026,a\n1/2/2026,b\n", "day")).toThrow("can be read in two ways: “3/4/2026”");
  });

  it("sorts the rows of a Markdown table", () => {
    const table = "Stock\n\n| thing | left |\n| --- | ---: |\n| tea | 4 |\n| oil | 1 |\n\nEnd\n";
    expect(editTable(table, { action: "sort", column: "left" }, "out/t.md").text).toBe(
      "Stock\n\n| thing | left |\n| --- | ---: |\n| oil | 1 |\n| tea | 4 |\n\nEnd\n",
    );
  });

  it("is reported, and again when nothing changes", async () => {
    await put();
    const first = await edit({ action: "sort", column: "joined" });
    expect(first.narrative).toBe("Sorted the 3 rows of out/members.csv by joined.");
    const again = await edit({ action: "sort", column: "joined" });
    expect(again.outputs).toMatchObject({ changed: false });
    expect(again.narrative).toBe("The rows of out/members.csv are sorted by joined already.");
  });
});

describe("the columns of a table", () => {
  it.each<[string, TableEdit, string, string]>([
    [
      "adds one at the end",
      { action: "add_column", column: "phone" },
      "n,fee\na,1\nb\n",
      "n,fee,phone\na,1,\nb,,\n",
    ],
    [
      "quotes a name that needs it",
      { action: "add_column", column: "fee; due" },
      "n;x\na;1",
      'n;x;"fee; due"\na;1;',
    ],
    [
      "renames one",
      { action: "rename_column", column: "fee", value: "dues" },
      "n,Fee\na,1\n",
      "n,dues\na,1\n",
    ],
    ["removes the first", { action: "remove_column", column: "n" }, "n, fee\na, 1\n", "fee\n1\n"],
    [
      "removes the last",
      { action: "remove_column", column: "fee" },
      'n,"fee"\r\na,"1,5"\r\nb\r\n',
      "n\r\na\r\nb\r\n",
    ],
  ])("%s", (_, edit, text, expected) => {
    expect(edited(text, edit)).toBe(expected);
  });

  it("are filled when they are added, with one value or with those of the named rows", async () => {
    await put();
    const values = { "Gerda Lund": "R-1", Olli: "R-2" };
    const { narrative } = await edit({ action: "add_column", column: "receipt", values });
    expect(narrative).toBe(
      "Added the column “receipt” to out/members.csv: Gerda Lund “R-1”, Berg, Olli “R-2”.",
    );
    expect(await harness.read("out/members.csv")).toBe(
      MEMBERS.replace("fee\n", "fee,receipt\n")
        .replace("no,12\n", "no,12,R-1\n")
        .replace("no,12\n", "no,12,\n")
        .replace("24\n", "24,R-2\n"),
    );
    expect(edited("n,fee\na,1\ntotal,1\n", { action: "add_column", column: "ok", value: "no" })).toBe(
      "n,fee,ok\na,1,no\ntotal,1,\n",
    );
    expect(() => edited(MEMBERS, { action: "add_column", column: "x", values: { Anna: "1" } })).toThrow(
      "No row of out/t.csv has “Anna”.",
    );
  });

  it.each<[TableEdit, string]>([
    [{ action: "add_column", column: "left" }, "| thing | left |\n| --- | ---: |\n| tea \\| mint | 4 |\n"],
    [
      { action: "add_column", column: "where" },
      "| thing | left | where |\n| --- | ---: | --- |\n| tea \\| mint | 4 |  |\n",
    ],
    [{ action: "remove_column", column: "thing" }, "| left |\n| ---: |\n| 4 |\n"],
    [
      { action: "rename_column", column: "left", value: "stock" },
      "| thing | stock |\n| --- | ---: |\n| tea \\| mint | 4 |\n",
    ],
  ])("are those of a Markdown table, too: %o", (edit, expected) => {
    const table = "| thing | left |\n| --- | ---: |\n| tea \\| mint | 4 |\n";
    if (expected === table)
      expect(() => editTable(table, edit, "out/t.md")).toThrow("has a column “left” already");
    else expect(editTable(table, edit, "out/t.md").text).toBe(expected);
  });

  it("are named in the refusal of one that is missing, taken, or the only one", () => {
    expect(() => edited(MEMBERS, { action: "remove_column", column: "height" })).toThrow(
      "Its columns are name",
    );
    expect(() => edited(MEMBERS, { action: "rename_column", column: "fee", value: "Paid" })).toThrow(
      "already",
    );
    expect(() => edited("n\na\n", { action: "remove_column", column: "n" })).toThrow("the only column");
    expect(() => edited("1,2\n3,4\n", { action: "add_column", column: "n" })).toThrow(
      "does not name its columns",
    );
  });
});
