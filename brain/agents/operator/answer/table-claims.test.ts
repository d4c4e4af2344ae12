import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

const reading = (content: string, request = "have a look at the table") =>
  evidenceOf({
    request,
    observations: [{ tool: "fs_read", args: { path: "out/a.csv" }, success: true, outputs: { content } }],
  });
const problemsOf = (answer: string, content: string): string[] =>
  checkAnswer(answer, reading(content)).flatMap(({ problems }) => problems.map(({ text }) => text));

const SHIFTS = "date,shift\n2026-12-02,night\n2026-12-03,night\n2026-12-07,early\n2027-01-04,night\n";
const SALES = "day,total\nFri 20,640\nSat 21,910\nSun 22,300\n";
const TOURS = "name,km,hours\nNorth ridge,12,5\nLake loop,18,4\nOld mill,7,2\n";

describe("a sentence about a table", () => {
  it.each([
    ["a count of rows that is another one", "You have four night shifts.", SHIFTS],
    ["a count of the rows of a month", "There are four night shifts in December.", SHIFTS],
    ["the row with the most", "The lake loop is the shortest tour.", TOURS],
    ["the row with the least, by its short weekday", "The lowest total was on Friday.", SALES],
    ["a factor of two", "On Saturday it was double of Friday.", SALES],
  ])("is marked if it is wrong: %s", (_, answer, content) => {
    expect(problemsOf(answer, content)).not.toEqual([]);
  });

  it.each([
    ["a count of all such rows", "You have three night shifts.", SHIFTS],
    ["a count of the rows of a month", "There are two night shifts in December.", SHIFTS],
    ["the row with the most in one column", "The lake loop is the longest tour.", TOURS],
    ["one of several columns", "The north ridge is the longest tour, by its hours.", TOURS],
    ["the row with the least", "The lowest total was on Sunday.", SALES],
    ["the second of a ranking", "Friday has the second highest total.", SALES],
    ["a factor of about two", "On Friday it was double of Sunday.", SALES],
    ["a total of a column, in any wording", "Yhteensä 1850.", SALES],
    [
      "the total of the rows of a month",
      "All of December: 42.",
      "day,km\n2026-12-01,40\n2026-12-02,2\n2027-01-03,9\n",
    ],
    ["what one column leaves of another", "Ada kept 550.", "who,fee,costs\nAda,700,150\nBob,300,50\n"],
  ])("is not marked if it is right: %s", (_, answer, content) => {
    expect(problemsOf(answer, content)).toEqual([]);
  });
});

describe("a figure of a whole table", () => {
  const ORDERS = "order,customer,amount\nA-1,Kim,12.50\nA-2,Lee,40.00\nA-3,Kim,7.25\nA-4,Ola,21.00\n";
  const refutations = (answer: string): string[] =>
    checkAnswer(answer, reading(ORDERS)).flatMap(({ problems }) =>
      problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
    );

  it.each([
    ["a total", "In total your orders cost 90.75 [1].", "add up to 80.75"],
    ["an average", "On average an order costs 25.19 [1].", "average 20.19"],
    ["a count of rows", "The file has 6 rows [1].", "has 4 rows"],
  ])("is refuted with the right one when it is wrong: %s", (_, answer, right) => {
    expect(refutations(answer).join("\n")).toContain(right);
  });

  it.each([
    ["a total", "In total your orders cost 80.75 [1]."],
    ["an average", "On average an order costs 20.19 [1]."],
    ["a count of rows", "The file has 4 rows [1]."],
    ["a total of a part", "The two orders over 20 cost 61.00 in total [1]."],
    ["a total of one customer", "Kim spent 19.75 in total [1]."],
  ])("is confirmed when it is right: %s", (_, answer) => {
    expect(refutations(answer)).toEqual([]);
  });
});

describe("a wrong figure that occurs elsewhere in the run", () => {
  const ORDERS =
    "order,customer,amount\nA-1,Kim,42.50\nA-2,Lee,40.00\nA-3,Kim,13.50\nA-4,Ola,21.00\nA-5,Lee,8.00\n";
  const read = (path: string, content: string) => ({
    tool: "fs_read",
    args: { path },
    success: true,
    outputs: { content },
  });
  const refutations = (answer: string, other: string): string[] =>
    checkAnswer(
      answer,
      evidenceOf({
        request: "how much did my orders cost?",
        observations: [read("out/orders.csv", ORDERS), read("out/other.md", other)],
      }),
    ).flatMap(({ problems }) => problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text));

  it.each([
    [
      "in another file",
      "In total your orders cost 152.00 [1].",
      "The rent of the hall is 152.",
      "add up to 125",
    ],
    ["as an id", "In total your orders cost 152.00 [1].", "Ticket 152 is open.", "add up to 125"],
    ["as a date", "On average an order costs 2026 [1].", "Written on 2026-11-20.", "average 25"],
    ["for a part of the rows", "Kim spent 65.00 in total [1].", "Bus line 65 is late.", "add up to 56"],
    ["for a part, as an average", "Kim's average is 82.00 [1].", "House number 82.", "average 28"],
  ])("is refuted with the right one: %s", (_, answer, other, right) => {
    expect(refutations(answer, other).join("\n")).toContain(right);
  });

  it.each([
    ["the total, rounded", "In total your orders cost about 125 [1].", "nothing"],
    ["the total of a part", "Kim spent 56.00 in total [1].", "nothing"],
    ["a total that another file states", "The hall costs 152.00 in total [2].", "Rent of the hall: 152.00"],
    ["the average of a part", "Kim's average is 28.00 [1].", "nothing"],
    ["a row and the total", "In total you spent 125.00; the order A-1 alone cost 42.50 [1].", "nothing"],
    ["a date beside the total", "On 20 November the orders cost 125.00 in total [1].", "2026-11-20"],
    ["a number of orders beside it", "The 5 orders cost 125.00 in total [1].", "nothing"],
    ["a share of the total", "Kim spent 56.00 of the 125.00 in total [1].", "nothing"],
    ["both groups", "Kim and Lee spent 104.00 together [1].", "nothing"],
    ["an order's own cost", "The order A-1 costs 42.50 [1].", "nothing"],
  ])("is confirmed when it is right: %s", (_, answer, other) => {
    expect(refutations(answer, other)).toEqual([]);
  });
});

describe("a total of the rows that a question is about", () => {
  const FEES = "name,fee,paid\nAnn,45,yes\nBo,67.50,yes\nCem,45,no\nDee,67.50,no\n";
  const refutations = (answer: string, request: string): string[] =>
    checkAnswer(answer, reading(FEES, request)).flatMap(({ problems }) =>
      problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
    );
  const asked = "who still owes money, and how much is it altogether?";

  it("is not refuted with the total of all rows", () => {
    expect(refutations("Altogether that is 112.50 [1].", asked)).toEqual([]);
  });

  it("is refuted with the totals of both parts when it is wrong", () => {
    expect(refutations("Altogether that is 122.50 [1].", asked).join()).toContain(
      "all rows of the table add up to 225, those with “yes” to 112.5, the others to 112.5",
    );
  });

  it("is refuted where it is the total of all rows", () => {
    expect(refutations("Altogether that is 225 [1].", asked).join()).toContain(
      "the request asks for a part: those with “yes” to 112.5, the others to 112.5",
    );
    expect(refutations("Altogether that is 112.50 of 225 [1].", asked)).toEqual([]);
    expect(refutations("Altogether that is 225 [1].", "how much are the fees altogether?")).toEqual([]);
  });

  it("includes rows with short names", () => {
    const short = reading(
      "name,fee,paid\nAnn,45,yes\nBo,30,no\nCem,45,no\nEd,20,no\n",
      "how much altogether?",
    );
    expect(checkAnswer("Altogether that is 140 [1].", short).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it("has no parts where all rows are asked about", () => {
    expect(
      refutations("Altogether that is 122.50 [1].", "how much are the fees altogether?").join(),
    ).toContain("the rows of the table add up to 225.");
  });
});

describe("a figure over a table with several columns of numbers", () => {
  const ORDERS =
    "order,customer,net,tax\nA-1,Kim,40.00,10.00\nA-2,Ola,20.00,5.00\nA-3,Kim,60.00,15.00\nA-4,Ola,36.00,9.00\nA-5,Kim,12.00,3.00\n";
  const refutations = (answer: string): string[] =>
    checkAnswer(answer, reading(ORDERS)).flatMap(({ problems }) =>
      problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
    );

  it.each([
    ["the total of a group", "Kim spent 130.00 in total [1].", "add up to 112 and 28"],
    ["the total of all", "In total the orders cost 190.00 [1].", "add up to 168 and 42"],
    ["the average of a group", "Kim's orders cost 47.50 on average [1].", "average 37.33 and 9.33"],
  ])("is refuted when it is wrong: %s", (_, answer, right) => {
    expect(refutations(answer).join("\n")).toContain(right);
  });

  it.each([
    ["one column of a group", "Kim spent 112.00 in total, without the tax [1]."],
    ["both columns of a group", "Kim spent 140.00 in total [1]."],
    ["one column of all", "The tax is 42.00 in total [1]."],
    ["both columns of all", "In total the orders cost 210.00 [1]."],
    ["what one column leaves of the other", "In total 126.00 are left of the orders [1]."],
  ])("stands when it is right: %s", (_, answer) => {
    expect(refutations(answer)).toEqual([]);
  });
});

describe("a difference between two groups of rows", () => {
  const ORDERS =
    "order,customer,amount\nA-1,Kim,42.50\nA-2,Lee,40.00\nA-3,Kim,13.50\nA-4,Ola,21.00\nA-5,Lee,8.00\n";
  const refutations = (answer: string, request = "how much more did Kim pay than Ola in orders-nov.csv?") =>
    checkAnswer(
      answer,
      evidenceOf({
        request,
        observations: [
          {
            tool: "fs_read",
            args: { path: "out/orders-nov.csv" },
            success: true,
            outputs: { content: ORDERS },
          },
        ],
      }),
    ).flatMap(({ problems }) => problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text));

  it.each([
    ["in the middle", "Kim paid 45.00 more than Ola [1]."],
    ["a number of the table", "Kim paid 42.50 more than Ola [1]."],
    ["with a currency", "Kim paid 25.00 euros more than Ola [1]."],
    ["as a noun", "The difference between Kim and Ola is 45.00 [1]."],
    ["the other way round", "Ola paid 35.00 more than Kim [1]."],
    ["less instead of more", "Kim paid 35.00 less than Ola [1]."],
    ["in German", "Kim hat 45,00 mehr bezahlt als Ola [1]."],
  ])("is refuted with both totals when it is wrong: %s", (_, answer) => {
    expect(refutations(answer).join("\n")).toContain("” add up to");
  });

  it.each([
    ["of the totals", "Kim paid 35.00 more than Ola [1]."],
    ["the other way round", "Ola paid 35.00 less than Kim [1]."],
    ["as a noun", "The difference between Kim and Ola is 35.00 [1]."],
    ["beside the totals", "Kim paid 56.00 and Ola 21.00, so Kim paid 35.00 more [1]."],
    ["of the averages", "An order of Kim costs 7.00 more than one of Ola [1]."],
    ["of two orders", "The order A-1 of Kim costs 2.50 more than A-2 [1]."],
    ["rounded", "Kim paid about 35 more than Ola [1]."],
  ])("stands when it is right: %s", (_, answer) => {
    expect(refutations(answer)).toEqual([]);
  });

  it("is not calculated when the request is about some of the rows", () => {
    expect(
      refutations("Kim paid 21.50 more than Ola [1].", "how much more did Kim pay than Ola without A-3?"),
    ).toEqual([]);
  });
});

describe("what is said of named rows", () => {
  const ORDERS =
    "order,date,customer,net,tax\nA-1,2026-11-02,Kim,40.00,10.00\nA-2,2026-11-03,Ola,20.00,5.00\nA-3,2026-11-05,Kim,60.00,15.00\nA-4,2026-11-09,Lee,100.00,25.00\nA-5,2026-11-12,Ola,36.00,9.00\n";
  const CLASS = "name,maths,science\nEmma,14,17\nNoah,9,12\nLiam,11,8\nLucas,7,10\n";
  const refutations = (answer: string, content: string): string[] =>
    checkAnswer(answer, reading(content)).flatMap(({ problems }) =>
      problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
    );

  it.each([
    ["how many they are", "Ola made 3 orders [1].", ORDERS, "has 2 of its rows"],
    ["how many they are, in words", "Kim made three orders [1].", ORDERS, "has 2 of its rows"],
    ["that they are below a limit", "Noah, Lucas and Liam are below 10 in maths [1].", CLASS, "has 11"],
    ["that they are above a limit", "Emma and Liam have more than 13 in maths [1].", CLASS, "has 11"],
    ["what they come to together", "Ola and Kim spent 220.00 together, with tax [1].", ORDERS, "156 and 39"],
  ])("is refuted when it is wrong: %s", (_, answer, content, right) => {
    expect(refutations(answer, content).join("\n")).toContain(right);
  });

  it.each([
    ["how many they are", "Ola made 2 orders [1].", ORDERS],
    ["another number beside it", "Ola made 2 orders, for 56.00 in total [1].", ORDERS],
    ["that they are below a limit", "Noah and Lucas are below 10 in maths [1].", CLASS],
    ["the one that is not", "Noah and Lucas are below 10 in maths, but Liam has 11 [1].", CLASS],
    ["that they have at least so much", "Emma and Noah have at least 9 in maths [1].", CLASS],
    ["what they come to together", "Ola and Kim spent 195.00 together, with tax [1].", ORDERS],
    ["what they come to without the tax", "Ola and Kim spent 156.00 together [1].", ORDERS],
  ])("stands when it is right: %s", (_, answer, content) => {
    expect(refutations(answer, content)).toEqual([]);
  });

  it("does not read the lines of a program as a table", () => {
    const code =
      "const MAX = 3;\nasync function retry(fn, times = MAX) {\n  for (let i = 0; i <= times; i++) {\n    fn(i);\n  }\n}\n";
    expect(refutations("It tries a request 6 times [1].", code)).toEqual([]);
  });
});

describe("a sentence in which code finds no problem", () => {
  const NOTE =
    "# Plum cake (Helga)\n\n1 kg plums, 300 g flour\nOven 180 C, 45 minutes\nBasti: not on Friday\n";
  const isUndecided = (answer: string, evidence = reading(NOTE)): boolean =>
    checkAnswer(answer, evidence).some((sentence) => sentence.isUndecided);

  it.each([
    ["only asks", "Shall I bake 45 of the plum cakes?"],
    ["only offers", "I can bake the plum cake for you."],
  ])("needs no check if it %s", (_, answer) => {
    expect(isUndecided(answer)).toBe(false);
  });

  it.each([
    ["uses the words of one line", "The plum cake is by Helga [1]."],
    ["says what stands in no line", "The plum cake of Helga is her mother's."],
    ["joins the words of several lines", "Helga takes 300 g flour."],
    ["reverses a line by leaving a word out", "Basti can come on Friday."],
    ["says it with the words of the request", "You need 45 minutes for the flour."],
    ["ranks", "The plum cake is the best one by Helga."],
    ["counts", "There are two lines by Helga."],
    ["denies", "Helga has no plum cake."],
    ["states something inside a question", "Shall I tell Basti, who is coming on Friday?"],
    ["states something inside an offer", "I can tell Helga, because she asked for it."],
    ["states something inside advice", "Bring the plums that Basti paid, since he left them here."],
  ])("is checked by a model if it %s", (_, answer) => {
    expect(isUndecided(answer)).toBe(true);
  });

  it("is checked by a model if the question is about an earlier turn, and not if it is about the world", () => {
    const conversation = [{ role: "person" as const, text: "My rope measures 40 metres." }];
    const asking = (request: string) => evidenceOf({ request, conversation });
    expect(isUndecided("The longer of the two.", asking("and which was the rope again?"))).toBe(true);
    expect(isUndecided("It is Paris.", asking("what is the capital of France?"))).toBe(false);
    expect(isUndecided("A rope usually lasts for years.", asking("how long does a rope last?"))).toBe(false);
  });
});

describe("what is no table with figures", () => {
  const FILES = ["2026-10-nordlund.txt", "2026-11-baker.txt", "2026-11-power.txt"];
  const TEXTS = [
    "Total: 220.50 EUR\nDue: 2026-11-04\n",
    "Net: 80.00\nTotal: 95.20 EUR\n",
    "Total: 131.00 EUR\n",
  ];
  const invoices = evidenceOf({
    request: "what is in my invoices folder and how much do I owe altogether?",
    observations: [
      {
        tool: "fs_list",
        args: { path: "invoices" },
        success: true,
        outputs: { entries: FILES.map((name, index) => ({ name, kind: "file", bytes: 77 + 10 * index })) },
      },
      {
        tool: "execute_code",
        args: {},
        success: true,
        outputs: { result: Object.fromEntries(FILES.map((name, index) => [name, TEXTS[index]])) },
      },
    ],
  });
  const found = (answer: string): string[] =>
    checkAnswer(answer, invoices).flatMap(({ problems }) => problems.map(({ text }) => text));

  it("is a list of files, whose sizes are not added up for a sum of money", () => {
    expect(found("Altogether you owe 446.70 EUR.")).toEqual([]);
    expect(found("Altogether you owe 466.70 EUR.").join()).toMatch(
      /^466\.70 is stated, and nothing shows it/u,
    );
  });

  it("is a list of files, except for a sentence about their sizes", () => {
    const listing = { ...invoices, scratchpad: invoices.scratchpad.slice(0, 1) };
    const checked = checkAnswer("Together the three files are 300 bytes large.", listing);
    expect(checked.flatMap(({ problems }) => problems.map(({ text }) => text)).join()).toContain(
      "add up to 261",
    );
  });

  it("is an earlier answer with a list, whose lines are no rows", () => {
    const answered = evidenceOf({
      request: "undo the cleaning please",
      conversation: [
        {
          role: "operator",
          text: "I cleaned the file; five people are left.\n\n- Bruno: 2020-13-05 is not a date\n- Dario: since is unknown\n\nCelia's since is only a year (2019), I left it.",
        },
      ],
      observations: [
        {
          tool: "archive_restore",
          args: { entry: "out/contacts.csv" },
          success: true,
          outputs: { origin: "out/contacts.csv" },
        },
      ],
    });
    const checked = checkAnswer("The old file is back, with the six rows it had.", answered);
    expect(checked.flatMap(({ problems }) => problems).filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

it("has no sum of the sizes of files, which an earlier turn listed", () => {
  const rows = ["1.csv | file | 137", "2.csv | file | 110", "3.csv | file | 134"];
  const listing = [
    "| name | kind | bytes | modified |",
    "| --- | --- | --- | --- |",
    ...rows.map((row) => `| week${row} | 2026-11-30 11:59 |`),
  ].join("\n");
  const evidence = evidenceOf({
    request: "the wreath in month/week3.csv was 105.25",
    observations: [
      {
        tool: "table_edit",
        args: { path: "month/week3.csv" },
        success: true,
        outputs: { changed: "105.25" },
      },
    ],
  });
  const answer = "Brandt is 105.25 in month/week3.csv now, so the total is 699.05.";
  const checked = checkAnswer(answer, { ...evidence, earlierResults: `- fs_list: out/month/\n\n${listing}` });
  const problems = checked.flatMap((sentence) => sentence.problems.map(({ text }) => text));
  expect(problems.join("\n")).not.toContain("its rows add up to");
});
