import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

type Given = Parameters<typeof evidenceOf>[0];

const call = (tool: string, args: Record<string, unknown>, outputs: Record<string, unknown> = {}) => ({
  tool,
  args,
  success: true,
  outputs,
});
const reading = (path: string, content: string) =>
  call("fs_read", { path }, { path: `out/${path}`, content });

const problemsOf = (answer: string, given: Given, workspace?: string) =>
  checkAnswer(answer, { ...evidenceOf(given), ...(workspace !== undefined && { workspace }) }).flatMap(
    ({ problems }) => problems,
  );
const refutationsOf = (answer: string, given: Given): string =>
  problemsOf(answer, given)
    .filter(({ isRefuted }) => isRefuted)
    .map(({ text }) => text)
    .join("\n");

const STOCK = [
  "# Stock",
  "",
  "| item | count | price |",
  "|---|---|---|",
  "| blue bowl | 12 | 249 |",
  "| lid | 5 | 49 |",
  "| vase | 3 | 549 |",
].join("\n");

describe("a calculation that an answer states in full", () => {
  it.each([
    ["a percentage", "15% of 1290 is 183.50.", "193.5"],
    ["a percentage in German", "17 % von 2.340 € sind 387,80 €.", "397.8"],
    ["a percentage and a sum", "17% of 2340 plus 85 is 492.80.", "482.8"],
    ["a sum with a percentage", "85 plus 17% of 2340 is 492.80.", "482.8"],
    ["a product in words", "249 times 15 is 3725.", "3735"],
    ["a product with a sign", "The price is $4.20 × 1000 = $4,250.", "4200"],
    ["a sum after another text", "Together that is 3 + 4 = 8.", "7"],
    ["a chain", "That makes 5 * 60 + 5 = 310.", "305"],
    [
      "a sum before its parts",
      "You have spent **142.50** on oak boards: 94.00 in May and 48.20 in June.",
      "142.2",
    ],
    ["a sum before three parts in brackets", "The bill is €61.40 (12.50 + 30.00 + 18.80).", "61.3"],
    ["a sum after its parts", "Rent 850.00 and power 64.30, in total 914.80.", "914.3"],
  ])("is refuted with the right result: %s", (_, answer, result) => {
    expect(refutationsOf(answer, { request: "do the sum" })).toContain(`the result is ${result}`);
  });

  it.each([
    ["a right percentage", "17% of 2,340 is 397.80."],
    ["a right percentage and a sum", "17% of 2340 plus 85 is 482.80."],
    ["a right sum with a percentage", "85 + 17% of 2340 = 482.80"],
    ["a percentage of a sum", "10% of 50 plus 30 is 8."],
    ["a rounded quotient", "10/3 = 3.33, and 10 ÷ 3 is about 3."],
    ["a size", "A 10 x 15 print is 20 kr."],
    ["a range", "On days 3-4 is a fair."],
    ["a day", "The 2026-11-27 is 3 days away."],
    ["a fraction", "3/4 is 75 percent."],
    ["a right sum before its parts", "You have spent 142.20: 94.00 in May and 48.20 in June."],
    [
      "a sum of which only some parts are named",
      "You have spent 300.00 in all: 94.00 in May and 48.20 in June, among others.",
    ],
    ["a list of prices", "The prices are 10.00, 20.00 and 30.50."],
    ["a price before a range", "It costs 20.50: between 10.00 and 10.40 more than before."],
  ])("is left alone: %s", (_, answer) => {
    expect(refutationsOf(answer, { request: "do the sum" })).toBe("");
  });
});

describe("a figure of a table", () => {
  const sales = "day,orders,revenue\nMon,14,4210\nTue,11,3380\nWed,17,5125\n";

  it("is refuted where only a text of the operator itself has the wrong total", () => {
    const refutations = refutationsOf("In total there were 41 orders.", {
      request: "make a report with the total orders",
      observations: [
        reading("sales.csv", sales),
        call("fs_write", { path: "report.md", content: "# Report\n- 41 orders, revenue 12715" }),
      ],
    });
    expect(refutations).toContain("add up to 42");
  });

  it("is refuted beside the product of a row that it names, in a table in Markdown", () => {
    const given = { request: "was sind die Vasen wert?", observations: [reading("stock.md", STOCK)] };
    expect(refutationsOf("Es sind 3 Vasen, zusammen 1649 wert [1].", given)).toContain("3 × 549 is 1647");
    expect(problemsOf("Es sind 3 Vasen, zusammen 1647 wert [1].", given)).toEqual([]);
  });

  it("is refuted as the total of a name that only one row has", () => {
    const given = {
      request: "how much did each pay?",
      observations: [
        reading("orders.csv", "order,customer,amount\nA-1,Kim,12.50\nA-2,Lee,40.00\nA-3,Kim,7.25\n"),
      ],
    };
    expect(refutationsOf("In total, Lee paid 44.00 [1].", given)).toContain("add up to 40");
    expect(problemsOf("In total, Lee paid 40.00 [1].", given)).toEqual([]);
  });

  it("is refuted as a rise between numbers of two columns", () => {
    const given = {
      request: "how did sales change in May?",
      observations: [reading("s.csv", "month,sales,visits\nApril,80,70\nMay,85,90\n")],
    };
    expect(refutationsOf("Sales rose from 80 to 90 in May [1].", given)).toContain("no column");
    expect(problemsOf("Sales rose from 80 to 85 in May [1].", given)).toEqual([]);
  });
});

describe("a figure that a call calculated", () => {
  const meters = [
    "flat,tenant,date,reading",
    "1 left,Aurelie Brandt,2026-01-02,412.4",
    "1 left,Aurelie Brandt,2026-11-01,498.9",
    "2 left,Jonas Petri,2026-01-02,1020.0",
    "2 left,Jonas Petri,2026-11-01,1101.5",
  ].join("\n");
  const owed = [
    { flat: "1 left", used: 86.5, owes: 376.275 },
    { flat: "2 left", used: 81.5, owes: 354.5249999999999 },
  ];
  const given = {
    request: "how much water did each flat use between January and November, and what do they owe me?",
    observations: [reading("meters.csv", meters), call("execute_code", { code: "…" }, { result: owed })],
  };

  it("stands where it is rounded up from half a unit, as people round", () => {
    for (const line of ["Aurelie Brandt: 86.5 m³, 376.28 EUR [2]", "Jonas Petri: 81.5 m³, 354.53 EUR [2]"])
      expect(problemsOf(line, given)).toEqual([]);
    expect(problemsOf("Aurelie Brandt: 86.5 m³, 376.29 EUR [2]", given)).not.toEqual([]);
  });

  it("is not compared with the total of all readings where the request asks about what is between them", () => {
    expect(refutationsOf("Aurelie Brandt owes 380.00 EUR [2].", given)).not.toContain("add up to");
  });

  it("is added up over the list before a total", () => {
    const list =
      "They owe:\n- Brandt: 86.5 m³, 376.28 EUR\n- Petri: 81.5 m³, 354.53 EUR\n- Vega: 115.5 m³, 502.43 EUR\n";
    const observations = [
      call("execute_code", {}, { result: [86.5, 376.28, 81.5, 354.53, 115.5, 502.43] }),
      call("fs_write", { path: "w.md", content: "together 1223.24" }, { path: "out/w.md" }),
    ];
    const request = "what do they owe?";
    expect(refutationsOf(`${list}\nTogether they owe 1223.24 EUR [2].`, { request, observations })).toContain(
      "the amounts before it add up to 1233.24",
    );
    expect(refutationsOf(`${list}\nTogether they owe 1233.24 EUR.`, { request, observations })).toBe("");
    const deposit = `${list}\nTogether with the deposit they owe 1300.00 EUR.`;
    expect(refutationsOf(deposit, { request, observations })).toBe("");
  });

  it("stands as a total that differs from the rounded parts by their rounding", () => {
    const request = "what do they owe me together?";
    const observations = [call("execute_code", {}, { result: [391.845, 369.195, 523.215, 1284.255] })];
    const parts = "Brandt 391.85 EUR, Petri 369.20 EUR and Vega 523.22 EUR";
    expect(problemsOf(`${parts}, together 1284.26 EUR [1].`, { request, observations })).toEqual([]);
    for (const total of ["1284.29", "1294.26"])
      expect(refutationsOf(`${parts}, together ${total} EUR [1].`, { request, observations })).toContain(
        "the result is 1284.27",
      );
    expect(refutationsOf(`${parts}, together 1284.26 EUR.`, { request })).toContain("the result is 1284.27");
  });
});

describe("values of a list of fields", () => {
  const sheet = (customer: string, job: string): string =>
    `# Job sheet\n\n- Customer: ${customer}\n- Job: ${job}\n- Due: 2026-12-09\n`;
  const given = {
    request: "a job sheet for Tilda Moe",
    observations: [
      reading("jobs/ove-sandell.md", sheet("Ove Sandell", "fix the trailer")),
      call(
        "fs_write",
        { path: "jobs/moe.md", content: sheet("Tilda Moe", "new hinges") },
        { path: "out/jobs/moe.md" },
      ),
    ],
  };

  it("are not taken from another word of the sentence, such as “job” of “job sheet”", () => {
    expect(refutationsOf("The job sheet of Tilda Moe is in out/jobs/moe.md [2].", given)).toBe("");
  });

  it("may be those of several records that a sentence enumerates", () => {
    const chat =
      "what,when\nvaccination booklets,2026-12-02\nclass trip photos,2026-11-29\nskating money,2026-12-04\n";
    const given = { request: "tasks of all of it", observations: [reading("chat.csv", chat)] };
    const listed = (first: string) =>
      `I found three: hand in the vaccination booklets by ${first}, delete the class trip photos by 29 November, and pay the skating money by 4 December [1].`;
    expect(refutationsOf(listed("2 December"), given)).toBe("");
    expect(refutationsOf(listed("4 December"), given)).toContain("no observed record has both");
  });

  it("may stand beside a label that is only a part of the record's", () => {
    const quote =
      "Quote 2231\nTent 6 x 3 m: 140.00\nDelivery: 35.00\nCleaning: 20.00\nVAT 25.5 % is not included.\n";
    const given = { request: "what is it with VAT?", observations: [reading("inbox/quote.txt", quote)] };
    expect(refutationsOf("140 (tent) + 35 (delivery) + 20 (cleaning) = 195 [1].", given)).toBe("");
    expect(refutationsOf("140 (cleaning) + 35 (delivery) = 175 [1].", given)).toContain("no observed record");
  });

  it("are refuted where two of different records are stated together", () => {
    const rows = "who,eur,what\nBen,30,dinner\nTom,12,snacks\n";
    const costs = { request: "who paid?", observations: [reading("costs.csv", rows)] };
    expect(refutationsOf("Tom paid for dinner [1].", costs)).toContain("no observed record has both");
  });
});

describe("the number of words that a text is said to have", () => {
  const poem = "The rain is soft on the roof tonight and the cat is asleep by the stove.";
  const given = {
    request: "write a text of 40 words about the rain",
    observations: [call("fs_write", { path: "rain.md", content: poem }, { path: "out/rain.md", bytes: 71 })],
  };

  it("is counted in what was written, and not taken from the request", () => {
    expect(refutationsOf("I wrote it to out/rain.md [1]. It has 40 words.", given)).toContain("16 words");
    expect(refutationsOf("Out/rain.md has 40 words [1].", given)).toContain("16 words");
    for (const right of ["It has 16 words [1].", "It has about 16 words [1].", "You asked for 40 words."])
      expect(refutationsOf(right, given)).toBe("");
  });
});

describe("a figure without evidence", () => {
  it("is not shown by the number of a part of the request", () => {
    const request = "1 task buy tape 2 call Per 3 a file 4 how many vases do we have 5 a joke";
    const given = {
      request,
      observations: [call("task_create", { title: "buy tape" }, { title: "buy tape" })],
    };
    expect(problemsOf("You have 5 vases.", given).map(({ text }) => text)).toEqual([
      "5 is stated, and nothing shows it.",
    ]);
  });

  it("is not shown by the number of entries of the workspace, except for folders", () => {
    const given = {
      request: "how many vases do we have?",
      observations: [call("task_list", {}, { tasks: [] })],
    };
    const workspace = "Workspace: out/ (27 entries)";
    expect(problemsOf("You have 27 vases.", given, workspace)).not.toEqual([]);
    expect(problemsOf("The folder out/ has 27 entries.", given, workspace)).toEqual([]);
  });

  it("is doubted in an answer without a call about what was said before", () => {
    const conversation: Given["conversation"] = [
      { role: "person", text: "add up the trip: 320 for the train and 510 for the cabin" },
      { role: "operator", text: "The train and the cabin are 830 together." },
    ];
    const given = { request: "what did you say the trip costs?", conversation };
    expect(problemsOf("The trip costs 940.", given)).not.toEqual([]);
    expect(problemsOf("The trip costs 830.", given)).toEqual([]);
  });
});

describe("a change that an answer reports", () => {
  const request = "fix the table in stock.md: blue bowls are 15 now, and the vase costs 499, not 549";
  const edit = (find: string, text: string) =>
    call("fs_edit", { path: "stock.md", action: "replace", find, text });
  const answer = "I changed stock.md: blue bowls are 15 now and the vase costs 499.";

  it("is refuted where no call has a figure of the request", () => {
    const observations = [reading("stock.md", STOCK), edit("| 12 |", "| 15 |")];
    for (const one of [answer, "There are 15 blue bowls, and the vase costs 499 now."])
      expect(refutationsOf(one, { request, observations })).toMatch(/^499 is said to be set/u);
  });

  it("is left alone where each figure is in a call", () => {
    const observations = [reading("stock.md", STOCK), edit("| 12 |", "| 15 |"), edit("549", "499")];
    expect(problemsOf(answer, { request, observations })).toEqual([]);
  });

  it.each([
    ["a title that no call has", 'Die Aufgabe "Inventur Oslo" ist auch angelegt.', "Inventur Oslo"],
    ["no call that changed anything", "The task is also created.", "no call changed anything"],
  ])("is refuted as a state, with %s", (_, state, expected) => {
    const conversation: Given["conversation"] = [
      { role: "operator", text: 'Die Aufgabe "Inventur" ist angelegt. The task is created.' },
    ];
    const given = { request: "the same for Oslo", conversation, observations: [reading("oslo.md", STOCK)] };
    expect(refutationsOf(state, given)).toContain(expected);
  });

  it("is left alone as a state that a call made or the conversation reports", () => {
    const conversation: Given["conversation"] = [
      { role: "operator", text: 'The task "Stocktaking" is created.' },
    ];
    const observations = [call("task_create", { title: "Buy tape" }, { title: "Buy tape", status: "todo" })];
    const given = { request: "and a task to buy tape", conversation, observations };
    expect(refutationsOf('The task "Buy tape" is also created.', given)).toBe("");
    expect(refutationsOf('The task "Stocktaking" is created.', given)).toBe("");
  });
});

describe("what an answer says that the person asked for", () => {
  const conversation: Given["conversation"] = [
    { role: "person", text: "delete notes/offer.md, we do not need it" },
    { role: "operator", text: "I kept the file and moved it to old/offer.md." },
  ];
  const given = { request: "why did you do that?", conversation };

  it("is refuted if the person said nothing of it", () => {
    for (const invented of [
      "I moved it because you asked me to archive copies for the accountant.",
      "Du hast mich gebeten, Kopien für die Buchhaltung aufzubewahren.",
    ])
      expect(refutationsOf(invented, given)).toContain("what the person asked for");
  });

  it("is left alone if the person said it, in the prompt's last tool uses, too", () => {
    expect(refutationsOf("You asked me to delete notes/offer.md.", given)).toBe("");
    const known = ["failed: fs_delete: The person denied this call: put it in the old folder instead"];
    const checked = checkAnswer("I moved it because you asked me to put it in the old folder instead.", {
      ...evidenceOf(given),
      known,
    });
    expect(checked.flatMap(({ problems }) => problems.filter(({ isRefuted }) => isRefuted))).toEqual([]);
  });
});

describe("an hour without its half of the day", () => {
  const given = {
    request: "when does the choir rehearse?",
    observations: [reading("choir.md", "Rehearsal: Thursday 19:00-21:00, hall B\n")],
  };

  it("is the hour of the evening that was read", () => {
    expect(problemsOf("The choir rehearses from 7 to 9 o'clock [1].", given)).toEqual([]);
  });

  it("is doubted when nothing is at that hour", () => {
    expect(problemsOf("The choir rehearses from 6 to 8 o'clock [1].", given)).not.toEqual([]);
  });
});

describe("a figure of the operator's own texts", () => {
  const recipe = "# Brioche (12 pieces)\n\n- 500 g flour\n- 6 eggs\n- 250 g butter\n- 80 ml milk\n";
  const request = "scale out/brioche.md to 30 pieces and save it as out/brioche-30.md";
  const scaled = (butter: number) =>
    call(
      "fs_write",
      {
        path: "out/brioche-30.md",
        content: `# Brioche (30 pieces)\n\n- 1250 g flour\n- 15 eggs\n- ${String(butter)} g butter\n- 200 ml milk\n`,
      },
      { path: "out/brioche-30.md", created: true },
    );
  const doubts = (answer: string, given: Given) =>
    problemsOf(answer, given)
      .map(({ text }) => text)
      .join("\n");

  it("is doubted where it does not follow from what was read", () => {
    const observations = [reading("brioche.md", recipe), scaled(652)];
    expect(doubts("It needs 652 g butter and 15 eggs [2].", { request, observations })).toContain(
      "652 stands only in a text that the operator wrote",
    );
  });

  it("is doubted when the operator read its own file again", () => {
    const again = reading("brioche-30.md", "# Brioche (30 pieces)\n\n- 652 g butter\n");
    const observations = [reading("brioche.md", recipe), scaled(652), again];
    expect(doubts("It needs 652 g butter [3].", { request, observations })).toContain("652 stands only");
  });

  it("stands where it follows from the amounts of the request and of what was read", () => {
    const observations = [reading("brioche.md", recipe), scaled(625)];
    for (const answer of ["It needs 625 g butter and 200 ml milk [2].", "It has 1250 g flour [2]."])
      expect(doubts(answer, { request, observations })).toBe("");
  });

  it("stands where nothing was read from which it should follow", () => {
    const plan = call(
      "fs_write",
      { path: "out/plan.md", content: "Run 45 minutes on 3 days." },
      { path: "out/plan.md" },
    );
    const given = { request: "write me a plan for running into out/plan.md", observations: [plan] };
    expect(doubts("The plan has runs of 45 minutes [1].", given)).toBe("");
  });

  it("is a duration of the request in minutes", () => {
    const log = reading("overtime.csv", "date,minutes\n2026-11-06,30\n2026-11-13,60\n");
    const added = call(
      "fs_append",
      { path: "overtime.csv", text: "2026-11-20,105\n" },
      { path: "out/overtime.csv" },
    );
    const given = { request: "add overtime from friday: 1h45", observations: [log, added] };
    expect(doubts("I added 105 minutes for Friday, 20 November [2].", given)).toBe("");
  });

  const fees = "name,fee,paid\nAnn,45.00,yes\nBo,22.50,no\nCem,45.00,no\nDee,22.50,yes\nEli,45.00,no\n";
  const earlierCalls = [{ skill: "fs_read", args: { path: "out/fees.csv" }, outputs: { content: fees } }];
  const asked = "who still owes money, and how much is it altogether? write it to out/owing.md";
  const inConversation = (
    figure: string,
    answer: string,
    earlier: AnswerEvidence["earlierCalls"] = earlierCalls,
  ) =>
    checkAnswer(answer, {
      ...evidenceOf({
        request: asked,
        conversation: [
          { role: "person", text: "who still owes money, and how much is it altogether?" },
          { role: "operator", text: `Bo, Cem and Eli owe money. Altogether that is ${figure}.` },
        ],
        observations: [
          call(
            "fs_write",
            { path: "out/owing.md", content: `They owe ${figure}.` },
            { path: "out/owing.md" },
          ),
        ],
      }),
      earlierCalls: earlier,
    }).flatMap(({ problems }) => problems);

  it("is doubted where an earlier answer has it, and what was found then does not show it", () => {
    const [problem] = inConversation("122.50", "Altogether they owe 122.50 [1].");
    expect(problem?.text).toContain("122.50 stands only in a text that the operator wrote");
  });

  it("is refuted where an earlier answer had the total of all rows instead of a part", () => {
    const [problem] = inConversation("180", "Bo, Cem and Eli owe 180 altogether [1].");
    expect(problem).toMatchObject({ isRefuted: true });
  });

  it("stands where it follows from what earlier calls of the conversation found", () => {
    expect(inConversation("112.50", "Altogether they owe 112.50 [1].")).toEqual([]);
  });
});
