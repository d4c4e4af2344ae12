import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainHarness, type PlainHarness } from "../support/plain-harness.ts";

// Changes of CSV files in plain words, without a model.

const MEMBERS =
  'name,email,paid,fee\nGerda Lund,gerda@lund.no,no,12\nOtto Berg,otto@mail.com,no,12\n"Berg, Olli",olli@berg.fi,yes,12\n';

let harness: PlainHarness;
beforeEach(async () => {
  harness = await openPlainHarness();
  await harness.write("out/members.csv", MEMBERS);
});
afterEach(() => harness.close());

const say = async (goal: string) => (await harness.ask(goal)).result ?? "";
const members = () => harness.read("out/members.csv");

describe("a cell", () => {
  it.each([
    "set Otto's paid to yes in members.csv",
    "mark Otto as paid in members.csv",
    "Otto has paid, pls update members.csv",
    "in members.csv set paid to yes for Otto Berg",
    "note in members.csv that Otto has paid",
    "Otto paid already, please update the members",
    "set the paid of Otto Berg to yes in the member list",
  ])("is set by “%s”", async (request) => {
    expect(await say(request)).toContain("Changed paid of Otto Berg from “no” to “yes” in out/members.csv.");
    expect(await members()).toBe(MEMBERS.replace("otto@mail.com,no", "otto@mail.com,yes"));
  });

  it.each([
    "change Ottos email to otto@berg.no in members.csv",
    "Otto's email is now otto@berg.no, change that in members.csv",
    "replace otto@mail.com with otto@berg.no in members.csv",
  ])("gets another value by “%s”", async (request) => {
    await say(request);
    expect(await members()).toBe(MEMBERS.replace("otto@mail.com", "otto@berg.no"));
  });

  it("is corrected and undone by the next messages", async () => {
    await say("set the fee of Gerda to 15 in members.csv");
    expect(await say("no, 18")).toContain("“18”");
    expect(await members()).toBe(MEMBERS.replace("no,12", "no,18"));
    await say("undo that");
    expect(await members()).toContain("Gerda Lund,gerda@lund.no,no,15");
  });

  it("is not changed where no row fits, and the answer names the rows", async () => {
    expect(await say("mark Anna as paid in members.csv")).toContain("Its rows are Gerda Lund, Otto Berg");
    expect(await members()).toBe(MEMBERS);
  });

  it("is asked about where several rows fit", async () => {
    const asked = await harness.ask("mark Berg as not paid in members.csv");
    expect(asked.pending).toMatchObject({ kind: "question", options: ["Otto Berg", "Berg, Olli"] });
    await harness.answer(asked, "Olli");
    expect(await members()).toBe(MEMBERS.replace("olli@berg.fi,yes", "olli@berg.fi,no"));
  });
});

describe("a row", () => {
  it.each([
    "add Nina Falk, 12 euros, paid to members.csv",
    "add Nina Falk to members.csv, 12 euros, paid",
    "add a row to members.csv: Nina Falk, 12 euros and paid",
    "please put Nina Falk, paid, 12 euro into the member list",
    "add a new entry to members.csv with name: Nina Falk, paid: yes, fee: 12",
  ])("is added by “%s”", async (request) => {
    await say(request);
    expect(await members()).toBe(`${MEMBERS}Nina Falk,,yes,12\n`);
  });

  it.each([
    "remove Otto from members.csv",
    "delete the row of Otto Berg from members.csv",
    "take Otto Berg off the member list",
  ])("is removed by “%s”, and restored by “undo that”", async (request) => {
    await say(request);
    expect(await members()).toBe(MEMBERS.replace(/Otto.*\n/u, ""));
    await say("undo that");
    expect(await members()).toBe(MEMBERS);
  });

  it("is written as it is where it is one already", async () => {
    await say("append the row Mia,mia@x.no,no,9 to members.csv");
    expect(await members()).toBe(`${MEMBERS}Mia,mia@x.no,no,9`);
  });

  it("is not made of a list of names", async () => {
    await say("add Anna, Tom and Eva to members.csv");
    expect(await members()).toBe(MEMBERS);
  });
});

describe("a bare name of a file in another folder", () => {
  it("is that file, if it is the only one of the name", async () => {
    await harness.write("out/club/rules.md", "# Rules\n");
    await say('add "no dogs" at the end of rules.md');
    expect(await harness.read("out/club/rules.md")).toBe("# Rules\nno dogs");
    expect(await say("rename rules.md to house-rules.md")).toContain("out/club/house-rules.md");
  });

  it("is asked about if several have it, or if it would be deleted", async () => {
    await harness.write("out/club/rules.md", "# Rules\n");
    expect((await harness.ask("delete rules.md")).pending).toMatchObject({ options: ["out/club/rules.md"] });
    harness.startConversation();
    await harness.write("out/house/rules.md", "# House\n");
    const asked = await harness.ask("add quiet hours to rules.md");
    expect(asked.pending).toMatchObject({ options: ["out/club/rules.md", "out/house/rules.md"] });
    await harness.answer(asked, "the house one");
    expect(await harness.read("out/house/rules.md")).toBe("# House\nquiet hours");
  });

  it("is a new file if its folder is named", async () => {
    await harness.write("out/club/rules.md", "# Rules\n");
    await say("append quiet hours to out/rules.md");
    expect(await harness.read("out/rules.md")).toContain("quiet hours");
  });
});

it("“make it 220” is a new value in the column that was asked for", async () => {
  await harness.write(
    "out/rare.csv",
    "title,year,price,shelf\nWild Wales,1862,85,C\nThe Mabinogion,1849,240,A\n",
  );
  await say("which books in rare.csv are on shelf C?");
  await say("and what is the price of The Mabinogion?");
  await say("A dealer has talked me down, make it 220.");
  expect(await harness.read("out/rare.csv")).toContain("The Mabinogion,1849,220,A");
});

it("a Markdown table under a heading is changed like any other", async () => {
  await harness.write(
    "out/rare.md",
    "# Rare\n\n| title | price |\n| --- | --- |\n| Wild Wales | 85 |\n| The Mabinogion | 240 |\n",
  );
  await say("what is the price of The Mabinogion in rare.md?");
  await say("make it 220");
  expect(await harness.read("out/rare.md")).toContain("| The Mabinogion | 220 |");
});

it("what comes to a table is added to what it has, in words and in figures", async () => {
  await harness.write("out/stock.csv", "item,boxes,expiry\namoxicillin,12,2027-01\nmetformin,30,2028-03\n");
  await say("how many boxes of metformin do we have in stock.csv");
  await say("we just received twenty more boxes of amoxicillin please update it");
  await say("take the metformin out of the table we threw it away");
  expect(await harness.read("out/stock.csv")).toBe("item,boxes,expiry\namoxicillin,32,2027-01\n");
  expect(await say("so how many boxes altogether now")).toContain("is 32");
});

it("pieces that went are no number of boxes", async () => {
  await harness.write("out/stock.csv", "item,boxes,price\npens,12,1.20\npaper,30,4.10\n");
  await say("show stock.csv");
  await say("we sold 3 pens");
  expect(await harness.read("out/stock.csv")).toContain("pens,12,1.20");
});

it("a new row is no question, whatever was asked before", async () => {
  await harness.write(
    "out/invoices.csv",
    "number,client,amount,paid\n15,Oxbow Press,960,no\n16,Marek Film,310,no\n",
  );
  await say("which invoices in invoices.csv have not been paid yet?");
  expect(await say("And how much do those two come to altogether?")).toContain("1270");
  await say("Please add a new row: 17, Marek Film, 484, no");
  expect(await harness.read("out/invoices.csv")).toMatch(/17,Marek Film,484,no\n?$/u);
  expect(await say("what is the sum of the amount column in the whole of invoices.csv now?")).toContain(
    "1754",
  );
});

it("a figure is read in any order of words, and again after a change", async () => {
  await harness.write("out/fuel.csv", "date,litres,hours\n2026-11-23,310,11\n2026-11-24,285,10\n");
  expect(await say("fuel.csv litres total")).toContain("595");
  await say("add 2026-11-27, 295, 10");
  expect(await say("total now")).toContain("890");
  await harness.write("out/sale.csv", "item,price,sold\ncookies,1,54\nbrownies,2,31\n");
  expect(await say("how many cookies did we sell in sale.csv")).toContain("54");
});

describe("a table that was just made", () => {
  it("gets rows as bare values, whatever announces them, and is corrected by news", async () => {
    const read = () => harness.read("out/eggs.csv");
    await say("make a table eggs.csv with customer, product, boxes, paid");
    await say("put Hillary Ash, brown, 3, yes");
    await say("another one: Bowen, white, 2, no");
    await say("one more: Castle Inn, brown, 10, no");
    expect(await harness.ask("how much has come in so far?")).toMatchObject({
      result: expect.stringContaining("is 3, where paid is yes"),
    });
    await say("Bowen rang, he wants 4 and not 2");
    await say("castle inn is up to 12 now");
    await say("hillary's product is white");
    const rows =
      "customer,product,boxes,paid\nHillary Ash,white,3,yes\nBowen,white,4,no\nCastle Inn,brown,12,no\n";
    expect(await read()).toBe(rows);
    for (const remark of [
      "Another one bites the dust",
      "it's Friday today",
      "it's a mess here",
      "that makes 3 of us",
      "my boss is up to something now",
      "Bowen wants a word",
      "Hillary is up to no good",
      "Hillary is brown from the sun",
    ])
      await say(remark);
    expect(await read()).toBe(rows);
  });

  it("takes a row by its name and its weekday, and the value that was asked for", async () => {
    await harness.write(
      "out/rota.csv",
      "name,day,shift\nPru,Mon,late\nTom,Tue,late\nTom,Fri,late\nAda,Thu,early\n",
    );
    await say("who's on thu in rota.csv");
    await say("change toms friday one to early");
    await say("what shift has Pru");
    await say("swap it to early");
    expect(await harness.read("out/rota.csv")).toBe(
      "name,day,shift\nPru,Mon,early\nTom,Tue,late\nTom,Fri,early\nAda,Thu,early\n",
    );
    await harness.write("out/herd.csv", "tag,weight,pen\nA1,61,north\nA2,58,south\n");
    await say("show herd.csv");
    await say("A1 went up by 2 kilos");
    await say("what does A2 weigh");
    await say("down to 57");
    expect(await harness.read("out/herd.csv")).toBe("tag,weight,pen\nA1,63,north\nA2,57,south\n");
    await harness.write("out/sales.csv", "day,buyer,boxes,paid\n2026-11-28,Bowen,2,no\n");
    await say("show sales.csv");
    await say("and 2026-11-28, Castle Inn, 10, no");
    await say("mark Bowen yes and Castle Inn no");
    expect(await harness.read("out/sales.csv")).toBe(
      "day,buyer,boxes,paid\n2026-11-28,Bowen,2,no\n2026-11-28,Castle Inn,10,no\n",
    );
  });
});

it("compares with an amount, and takes “less than” for no superlative", async () => {
  await harness.write("out/stock.csv", "product,bottles,price\npastis,14,16.50\nrum,5,19\ngin,3,22\n");
  for (const question of [
    "which products have less than 6 bottles in stock.csv?",
    "who has less than 6 bottles?",
  ]) {
    const answer = await say(question);
    expect(answer).toContain("| rum |");
    expect(answer).toContain("| gin |");
  }
  expect(await say("which have more than 6 bottles?")).toContain("| pastis |");
});

it("keeps a word of a value that its column has, too, and puts values behind names in their columns", async () => {
  await harness.write("out/orders.csv", "customer,cake,price\nRagna,red velvet,18\nOlaf,fruit cake,9\n");
  await say("show orders.csv");
  await say("New order: Ingrid, carrot cake, 12");
  await say("add cake apple tart, customer Bo, price 3");
  expect(await harness.read("out/orders.csv")).toContain("Ingrid,carrot cake,12\nBo,apple tart,3\n");
});
