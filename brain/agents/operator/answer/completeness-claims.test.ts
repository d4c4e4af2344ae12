import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import { omittedItems } from "./list-items.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";
import { call, type Call, task, tasks } from "./testing/observed-calls.ts";

const MOVE =
  "tasks for the move: cancel the gas, cancel the power, order boxes, hand in the keys, sell the sofa. due on 15 december, all of them";
const created = (title: string): Call =>
  call("task_create", { title, due: "2026-12-15" }, { task: task(title, "todo", "2026-12-15") });
const three = ["cancel the gas", "order boxes", "hand in the keys"].map(created);
const five = [...three, created("cancel the power"), created("sell the sofa")];

const refutedIn = (answer: string, observations: Call[], request = MOVE): string[] =>
  checkAnswer(answer, evidenceOf({ request, observations })).flatMap(({ problems }) =>
    problems.filter(({ isRefuted }) => isRefuted).map(({ text }) => text),
  );

describe("work that is said to be complete", () => {
  it("is refuted where more is counted than was done", () => {
    expect(refutedIn("All 5 tasks are created and due on 15 December.", three)).toEqual([
      "5 are said to be done, and 3 calls did one each.",
    ]);
    expect(refutedIn("I created five tasks for the move.", three)).toHaveLength(1);
  });

  it("is refuted where more is counted than was done, whatever file was read before", () => {
    const read = call("fs_read", { path: "meeting.md" }, { content: "1. gas\n2. boxes\n3. keys\n4. snow" });
    const answer = "I created four tasks: the gas, the boxes, the keys and the snow.";
    expect(refutedIn(answer, [read, ...three.slice(0, 2)], "turn meeting.md into tasks")).toEqual([
      "four are said to be done, and 2 calls did one each.",
    ]);
    const letter = (name: string): Call =>
      call("fs_write", { path: `${name}.md`, content: "Dear …" }, { path: `out/${name}.md` });
    const drafts = [read, letter("friendly"), letter("firm")];
    expect(refutedIn("I saved three drafts in out.", drafts, "draft three letters")).not.toEqual([]);
  });

  it("is refuted where a list in the request has items that no call has", () => {
    expect(refutedIn("All the tasks for the move are created.", three)).toEqual([
      "All of it is said to be done, and no call did: cancel the power; sell the sofa.",
    ]);
    expect(refutedIn("All done!", three)).not.toEqual([]);
  });

  it("is refuted where both of two are on the list, and one call created one", () => {
    const read = call("fs_read", { path: "shelf.md" }, { content: "- buy brackets\n- ask Ida" });
    const [one] = three;
    const answer = "Both open points are on your task list, due on 15 December.";
    expect(refutedIn(answer, [read, ...(one ? [one] : [])], "put the points on my task list")).toEqual([
      "Both are said to be done, and 1 call did one.",
    ]);
    expect(refutedIn(answer, [read, ...three.slice(0, 2)], "put the points on my task list")).toEqual([]);
    const joined = created("buy brackets and ask Ida");
    expect(refutedIn(answer, [read, joined], "put the points on my task list")).toEqual([]);
    expect(refutedIn("Both are in one task now.", [read, ...(one ? [one] : [])], "add the points")).toEqual(
      [],
    );
  });

  it("is refuted where both files are said to be moved or copied, and one call did one", () => {
    const moved = (from: string, to: string, tool = "fs_move"): Call =>
      call(tool, { from, to }, { from: `out/${from}`, to: `out/${to}` });
    const one = [moved("school/ski.csv", "school/done/ski.csv")];
    const request = "put both lists of the school into school/done";
    const both = [...one, moved("school/fair.csv", "school/done/fair.csv")];
    for (const answer of [
      "Both lists are now in out/school/done [1].",
      "I moved both files to out/school/done [1].",
    ]) {
      expect(refutedIn(answer, one, request)).toEqual(["Both are said to be done, and 1 call did one."]);
      expect(refutedIn(answer, both, request)).toEqual([]);
      expect(refutedIn(answer, [moved("school/lists", "school/done/lists")], request)).toEqual([]);
    }
    const copied = [moved("haus/a.md", "haus/backup/a.md", "fs_copy")];
    expect(
      refutedIn("I copied both files to out/haus/backup [1].", copied, "back up both files"),
    ).toHaveLength(1);
  });

  it("is refuted where one of several named people has none of the files", () => {
    const letter = (name: string): Call =>
      call(
        "fs_write",
        { path: `letters/${name}.md`, content: `Dear ${name},` },
        { path: `out/letters/${name}.md` },
      );
    const request = "write a letter to each of my three tenants: Brandt, Petri and Vega";
    const two = [letter("brandt"), letter("petri")];
    for (const answer of [
      "I wrote a letter to each of your three tenants [1]: Brandt [1], Petri [2] and Vega.",
      "I wrote all three letters [1][2].",
    ]) {
      expect(refutedIn(answer, two, request)).toEqual([
        "three are said to be done, and 2 calls did one each.",
      ]);
      expect(refutedIn(answer, [...two, letter("vega")], request)).toEqual([]);
    }
    expect(refutedIn("I wrote one letter to all three tenants [1].", two.slice(0, 1), request)).toEqual([]);
    const list = call(
      "fs_write",
      { path: "list.md", content: "- bread\n- milk\n- tea" },
      { path: "out/list.md" },
    );
    expect(
      refutedIn("I wrote the three items into out/list.md [1].", [list], "list bread, milk, tea"),
    ).toEqual([]);
  });

  it.each<[about: string, answer: string, observations: Call[]]>([
    ["everything was done", "All 5 tasks are created and due on 15 December.", five],
    ["it counts what was done", "I created three tasks. The power and the sofa are missing.", three],
    [
      "it counts what was listed",
      "You have 3 tasks, and I created one more.",
      [tasks, created("sell the sofa")],
    ],
    ["it says what is left out", "All tasks but the sofa are created.", three],
  ])("stands where %s", (_about, answer, observations) => {
    expect(refutedIn(answer, observations)).toEqual([]);
  });
});

describe("the omitted items of a list", () => {
  const made = (tool: string, ...texts: string[]) => texts.map((text) => ({ tool, text }));

  it("end before what follows the list", () => {
    const request = "add tasks to ring ida, oskar and the bank on monday";
    expect(omittedItems(request, made("task_create", "ring Ida", "ring Oskar"))).toEqual([
      "the bank on monday",
    ]);
    expect(omittedItems(request, made("task_create", "ring Ida", "ring Oskar", "ring the bank"))).toEqual([]);
  });

  it("are none of the words that say how the result is laid out", () => {
    const request = "merge north.csv and south.csv into all.csv, one row per sku";
    const calls = [
      ...made("fs_read", "out/north.csv", "out/south.csv"),
      ...made("fs_write", "out/all.csv a1,soap"),
    ];
    expect(omittedItems(request, calls)).toEqual([]);
  });

  it("are found once in a long gap", () => {
    const request = `add tasks to ring ida, oskar and the bank${" ".repeat(190_000)}today`;
    expect(omittedItems(request, made("task_create", "ring Ida", "ring Oskar"))).toEqual(["the bank today"]);
  });

  it("are none where the parts of a request are different orders", () => {
    const request = "create a file oslo.md with tent, append lamp to it and read it aloud";
    const calls = [
      ...made("fs_write", "out/oslo.md tent"),
      ...made("fs_append", "out/oslo.md lamp"),
      ...made("fs_read", "out/oslo.md"),
    ];
    expect(omittedItems(request, calls)).toEqual([]);
  });
});

describe("texts that are said to be written for several people", () => {
  const marks = call(
    "fs_read",
    { path: "marks.csv" },
    { content: "name,maths\nOmar Haddad,4\nPia Sand,5\nLena Vogt,2" },
  );
  const letter = (name: string): Call =>
    call("fs_write", { path: `letters/${name}.md`, content: "…" }, { path: `out/letters/${name}.md` });
  const request = "one letter each for the other two";
  const answer = "I wrote one letter each for Omar and Pia in letters [2].";

  it("are refuted where no call has one of the names", () => {
    expect(refutedIn(answer, [marks, letter("omar")], request)).toEqual([
      "Said to be done, and no call did anything about it: Pia.",
    ]);
    expect(
      refutedIn("Ich habe die Briefe für Omar und Pia geschrieben.", [marks, letter("omar")], request),
    ).toHaveLength(1);
  });

  it("stand where each has one, or where the names are no such list", () => {
    expect(refutedIn(answer, [marks, letter("omar"), letter("pia")], request)).toEqual([]);
    expect(refutedIn("I wrote the letter for Omar.", [marks, letter("omar")], request)).toEqual([]);
    expect(
      refutedIn("I wrote the letter that Omar and Pia asked for.", [marks, letter("omar")], request),
    ).toEqual([]);
  });
});

describe("texts that are said to be read", () => {
  const names = ["anna", "ben", "carl", "dina"];
  const listed = call(
    "fs_list",
    { path: "notes" },
    {
      path: "out/notes",
      entries: names.map((name) => ({ name: `${name}.md`, path: `out/notes/${name}.md`, kind: "file" })),
    },
  );
  const read = (name: string): Call =>
    call("fs_read", { path: `notes/${name}.md` }, { path: `out/notes/${name}.md`, content: "Needs help." });
  const request = "read the notes of Anna, Ben, Carl and Dina and tell me who needs help";

  it.each([
    ["I read the notes of Anna, Ben, Carl and Dina [2].", [listed, read("anna")]],
    ["I read the notes of Anna, Ben, Carl and Dina [1].", [read("anna")]],
    ["I've gone through anna.md and dina.md.", [listed, read("anna")]],
    [
      "I read the notes of Anna and Ben.",
      [
        read("anna"),
        call("fs_write", { path: "sum.md", content: "Anna: …\nBen: …" }, { path: "out/sum.md" }),
      ],
    ],
    ["I have read all four notes.", [listed, read("anna"), read("ben")]],
    ["Ich habe die Notizen von Anna, Ben, Carl und Dina gelesen.", [listed, read("anna")]],
  ])("are refuted where no call opened some of them: %s", (answer, observations) => {
    expect(refutedIn(answer, observations, request)).toHaveLength(1);
  });

  it.each([
    ["I read the notes of Anna, Ben, Carl and Dina.", names.map(read)],
    ["I read the notes of Anna, but not those of Ben, Carl and Dina.", [listed, read("anna")]],
    ["I have read all four notes.", [listed, ...names.map(read)]],
    [
      "I read the notes of Anna, Ben, Carl and Dina.",
      [listed, call("fs_read", { path: "class.md" }, { content: "Anna 1\nBen 2\nCarl 3\nDina 4" })],
    ],
  ])("stand where they were opened, or are excluded: %s", (answer, observations) => {
    expect(refutedIn(answer, observations, request)).toEqual([]);
  });
});
