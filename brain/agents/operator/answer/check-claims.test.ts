import { describe, expect, it } from "vitest";
import { type CheckedSentence, checkAnswer } from "./check-claims.ts";
import { indexEvidence, prepareEvidence } from "./evidence.ts";
import { evidenceOf, type LabelledAnswer, labelledAnswers } from "./testing/labelled-answers.ts";
import {
  type Call,
  call,
  task,
  tasks,
  note,
  costs,
  milk,
  failed,
  problemsOf,
} from "./testing/observed-calls.ts";

interface Tally {
  invented: number;
  caught: number;
  true: number;
  marked: number;
}

type File = Parameters<typeof labelledAnswers>[0];
const checkedFiles = new Map<File, { labelled: LabelledAnswer; checked: CheckedSentence[] }[]>();

/** The answers of a file with their check, which takes most of the time of these tests. */
function checkedAnswers(file: File) {
  const known =
    checkedFiles.get(file) ??
    labelledAnswers(file).map((labelled) => ({
      labelled,
      checked: checkAnswer(labelled.answer, evidenceOf(labelled)),
    }));
  checkedFiles.set(file, known);
  return known;
}

function measure(
  files: readonly File[],
  isFound: (sentence: CheckedSentence) => boolean = ({ problems }) => problems.length > 0,
): Tally {
  const tally: Tally = { invented: 0, caught: 0, true: 0, marked: 0 };
  for (const { labelled, checked } of files.flatMap(checkedAnswers)) {
    let from = 0;
    for (const { text, label } of labelled.sentences) {
      const start = labelled.answer.indexOf(text, from);
      from = start + text.length;
      const isMarked = checked.some((one) => one.start < from && one.end > start && isFound(one));
      const isInvented = label === "invented";
      tally[isInvented ? "invented" : "true"]++;
      if (isMarked) tally[isInvented ? "caught" : "marked"]++;
    }
  }
  return tally;
}

describe("the labelled answers for which the rules were written", () => {
  const files = ["own.jsonl", "blind.jsonl", "blind2.jsonl", "blind3.jsonl"] as const;

  it("are three hundred and fifty, half of them with planted inventions", () => {
    const answers = files.flatMap(checkedAnswers).map(({ labelled }) => labelled);
    expect(answers).toHaveLength(350);
    const planted = answers.filter(({ sentences }) => sentences.some(({ label }) => label === "invented"));
    expect(planted).toHaveLength(175);
  });

  it("have 95 % of inventions found, and at most 1 % of true sentences marked", () => {
    const tally = measure(files);
    expect(tally.caught / tally.invented).toBeGreaterThanOrEqual(0.95);
    expect(tally.marked / tally.true).toBeLessThanOrEqual(0.01);
  });
});

it("finds and marks no worse than measured in answers for which no rule was written", () => {
  const tally = measure(["blind4.jsonl"]);
  expect(tally).toMatchObject({ invented: 66, true: 333 });
  expect(tally.caught).toBeGreaterThanOrEqual(48);
  expect(tally.marked).toBeLessThanOrEqual(11);
});

it("confirms nearly no invention: it leaves the rest to a model", () => {
  const tally = measure(["blind4.jsonl"], ({ problems, isUndecided }) => problems.length > 0 || isUndecided);
  expect(tally.caught / tally.invented).toBeGreaterThanOrEqual(0.95);
});

it("refutes nearly no true sentence: a model may confirm the other marked ones", () => {
  const files = ["own.jsonl", "blind.jsonl", "blind2.jsonl", "blind3.jsonl", "blind4.jsonl"] as const;
  const tally = measure(files, ({ problems }) => problems.some(({ isRefuted }) => isRefuted));
  expect(tally.marked / tally.true).toBeLessThanOrEqual(0.003);
  expect(tally.caught).toBeGreaterThanOrEqual(90);
});

it("reads a bare “it is done” as a claim about the request, or about the task if nothing was done", () => {
  const created = call("task_create", { title: "Pack" }, { task: task("Pack", "todo") });
  const listed = call("task_list", {}, { tasks: [task("Pack", "todo")], total: 1 });
  const problems = (observation: Call) =>
    checkAnswer("It is done [1].", evidenceOf({ observations: [observation] })).flatMap(
      (one) => one.problems,
    );
  expect(problems(created)).toEqual([]);
  expect(problems(listed)).not.toEqual([]);
});

const wrote = call("fs_write", { path: "out/a.md" }, { path: "out/a.md", bytes: 5, created: true });
const ticket = call(
  "fs_read",
  { path: "out/ticket.txt" },
  { path: "out/ticket.txt", content: "Seat 45, coach 12\nPhone +491715550123\nRead: p. 212/340\n72 F\n" },
);
describe("a claim without evidence", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["a citation of a step that was not made", "It is there [7].", [note]],
    ["a file that nothing named", "The list is in out/other.md.", [note]],
    ["an action without a call", "I emailed it to Ada.", [tasks]],
    [
      "a message that no call sent",
      "I created the task [1]. I also told Ola.",
      [call("task_create", {}, { id: "s", task: task("Send the invoice to Ola", "todo", "2026-12-04") })],
    ],
    ["an action whose call failed", "I deleted out/b.md.", [failed]],
    ["an action on another file", "I saved it in out/z.md.", [wrote]],
    ["a second action after one that was made", "I wrote out/a.md and deleted the draft.", [wrote]],
    ["an action in German", "Ich habe die Mail verschickt.", [tasks]],
    ["an action in French", "J'ai envoyé le message à Ada.", [tasks]],
    ["an action in Spanish", "He enviado el correo.", [tasks]],
    ["an action in the passive", "The file out/b.md has been removed.", [failed]],
    ["a number of tasks", "You have 7 tasks.", [tasks]],
    ["a number in words", "You have eight tasks.", [tasks]],
    ["a number of tasks with a status", "You have 2 done tasks.", [tasks]],
    ["another number for the same thing", "Your rope is 70 m long.", [note]],
    ["a total that is none", "The four nights cost 510 EUR in total.", [note]],
    ["a day", "Your flight is on 16 March 2027.", [note]],
    ["the wrong weekday of a day", "Your flight is on Tuesday, 14 March 2027.", [note]],
    ["a time", "Your flight leaves at 10:45.", [note]],
    ["a status", '"Call Ada" is done.', [tasks]],
    ["the status of all tasks", "All your tasks are done.", [tasks]],
    ["that none is overdue", "None of your tasks is overdue.", [tasks]],
    ["the due day of another task", '"Write the report" is due on 20 November.', [tasks]],
    ["a quotation", 'Your note says "bring two sleeping bags".', [note]],
    ["a name", "Your friend Gustav booked it.", [note]],
    ["a value of another row", "Tom paid for the dinner.", [costs]],
    ["a number of another row", "Tom paid 44.50 €.", [costs]],
    ["the numbers of two labels exchanged", "You have seat 12 in coach 45.", [ticket]],
    ["the status of the only task, named by a pronoun", "It has been done already.", [milk]],
    ["another priority of the only task", "Its priority is high now.", [milk]],
    ["what a text is said to mention as well", "It also mentions cats.", [note]],
    ["what is added in another language", "También dice que el abono se compra aquí.", [note]],
    ["a name at the start of a sentence", "Karim voted against it.", [note]],
    ["an earlier occasion", "Last time you gave her a scarf.", [note]],
    ["another telephone number", "The number is +49 172 5550123.", [ticket]],
    ["a quotation after a conjunction", 'The note says that "the hotel is paid for already".', [note]],
    ["that something was forgotten", "I have forgotten it.", [note]],
    ["a month before that nothing shows", "The rope was shorter last month.", [note]],
    ["a place that no skill reaches", "It is in your calendar as well.", [note]],
    ["a statement that shares no word with the evidence", "Dogs are welcome on a lead.", [note]],
    ["a person and a place that nothing shows", "Henrik from accounting is working on it.", [tasks]],
    [
      "another state",
      "It is currently out of stock.",
      [call("http_get", {}, { body: "Tent: 249 EUR, in stock" })],
    ],
    [
      "an item of a checklist that is not ticked",
      "The bathroom tiles are finished.",
      [call("fs_read", {}, { content: "- [x] paint\n- [ ] bathroom tiles\n" })],
    ],
    [
      "an entry in a list of the person",
      "I also put it on your shopping list so that you don't forget.",
      [note],
    ],
    ["a place at a known time", "9:35 flight from Market Square", [note]],
    ["an action without any call that does something", "I have registered Tim for you.", [note]],
    [
      "a cause that nothing shows",
      "The log stops because of a power cut.",
      [call("fs_read", {}, { content: "log stops 02:55" })],
    ],
    [
      "an outcome that others decide on",
      "The rota has been approved already.",
      [call("fs_read", {}, { content: "rota: Mon early" })],
    ],
    ["a known subject with nothing that is known of it", "The rope was stolen from a rental car.", [note]],
    [
      "a step that the recipe lacks",
      "The recipe in out/curry.md:\n1. Stir in a tablespoon of peanut butter.",
      [call("fs_read", { path: "out/curry.md" }, { content: "1. Fry the onions\n2. Add lentils\n" })],
    ],
  ])("is found: %s", (_, answer, observations) => {
    expect(problemsOf(answer, observations)).not.toEqual([]);
  });
});

describe("a claim with evidence, or a sentence without a claim", () => {
  it.each<[about: string, answer: string, observations: Call[]]>([
    ["a file and its action", "I wrote out/a.md [1].", [wrote]],
    ["a number as it stands", "Your rope is 60 m long [1].", [note]],
    ["a number in words", "You stay four nights.", [note]],
    ["a product", "The hotel comes to 480 EUR for the four nights.", [note]],
    ["a count", "Two of the three tasks are still open.", [tasks]],
    ["a day in another form", "Dein Flug geht am 14. März 2027 um 9:35 Uhr.", [note]],
    ["the weekday of a day", "Your flight is on Sunday, 14 March 2027.", [note]],
    ["a span of days", '"Write the report" is due in 2 days.', [tasks]],
    [
      "tomorrow, where a task is due then",
      "It is due tomorrow.",
      [call("task_create", {}, { task: task("X y", "todo", "2026-11-23") })],
    ],
    [
      "a rounded size",
      "out/big.csv has about 1.5 KB.",
      [call("fs_list", {}, { entries: [{ path: "out/big.csv", bytes: 1536 }] })],
    ],
    ["an average", "The average is 4.8.", [call("fs_read", {}, { content: "4.2\n5.1\n3.9\n6.0\n" })]],
    [
      "a percentage",
      "That is 25 % of the sum.",
      [call("execute_code", {}, { result: { share: 30, all: 120 } })],
    ],
    ["a value of the same row", "Tom paid for the snacks.", [costs]],
    ["a comparison of two rows", "Ada paid more for fuel than Tom for snacks.", [costs]],
    ["numbers behind their labels", "You have seat 45 in coach 12.", [ticket]],
    ["a telephone number in groups", "The number is +49 171 5550123.", [ticket]],
    ["a part of a whole", "You are on page 212 of 340, so about 62 % is read.", [ticket]],
    ["a temperature on the other scale", "That is about 22 °C.", [ticket]],
    [
      "a share of an amount",
      "17 % of the 120 EUR is 20.40 EUR.",
      [note, call("fs_read", {}, { content: "tax: 17 %" })],
    ],
    ["a price over a span", "It costs 840 EUR over seven nights at 120 EUR each.", [note]],
    ["what is left of a whole", "Of the 120 EUR, 60 went to the rope, which leaves 60 EUR.", [note]],
    ["amounts that are scaled", "Take three times everything: 180 m of rope.", [note]],
    [
      "a month that a file has as 2026-09",
      "In September it was 81.20.",
      [call("fs_read", {}, { content: "month,eur\n2026-08,79.90\n2026-09,81.20\n" })],
    ],
    ["a day in Portuguese", "O voo é no dia 14 de março de 2027.", [note]],
    [
      "an hour without its minutes",
      "It is open from 9 to 18 o'clock.",
      [call("http_get", {}, { body: "9:00-18:00" })],
    ],
    [
      "a key of a configuration by its path",
      "`cron.backup` is set.",
      [call("fs_read", {}, { content: '{"cron":{"backup":"0 3 * * *"}}' })],
    ],
    [
      "an age from a year of birth",
      "Ada turns 85.",
      [call("fs_read", {}, { content: "Ada, born 3 January 1942" })],
    ],
    ["days as heads of a list", "The plan:\n- **Sunday** – flight at 9:35", [note]],
    [
      "a task that was moved to another day",
      "I moved it to Thursday.",
      [
        call(
          "task_update",
          { id: "k", due: "2026-11-26" },
          { task: task("Meet Kofi", "todo", "2026-11-26") },
        ),
      ],
    ],
    [
      "a number and a half",
      "It is 4.5 or rather four and a half kilos.",
      [call("fs_read", {}, { content: "4.5 kg" })],
    ],
    [
      "both days of a range",
      "It runs from 1 to 15 January.",
      [call("fs_read", {}, { content: "2027-01-01 start\n2027-01-15 end" })],
    ],
    [
      "a day that is a named span before another",
      "Notice is due by 31 March 2027.",
      [call("fs_read", {}, { content: "ends 2027-06-30, notice period 3 months" })],
    ],
    [
      "an abbreviated label",
      "Chapter 3 comes next.",
      [call("fs_read", {}, { content: "ch1 done\nch3 open" })],
    ],
    [
      "an example of its own",
      "So 250 EUR would be 270 USD.",
      [call("fs_read", {}, { content: "1 EUR = 1.08 USD" })],
    ],
    [
      "people of a list",
      "Four people are coming.",
      [call("fs_read", {}, { content: "Guests: Ada, Ravi, Joe + daughter" })],
    ],
    [
      "a span of hours and minutes",
      "It took 5 h 30 min.",
      [call("fs_read", {}, { content: "minutes: 330" })],
    ],
    [
      "what a file that was written anew lacks",
      "I removed the tent from out/a.md.",
      [call("fs_write", { path: "out/a.md", overwrite: true }, { path: "out/a.md", created: false })],
    ],
    [
      "the month before, of which something was observed",
      "Last month it was 81.20.",
      [call("fs_read", {}, { content: "2026-10: 81.20" })],
    ],
    ["an opinion on what was observed", "In my view a tent would be lighter and warmer.", [note]],
    ["an instruction", "Keep the receipts somewhere safe.", [note]],
    [
      "a translation of what was observed",
      "The museum stays shut over Christmas and remains lovely to look at from the street.",
      [
        call(
          "http_get",
          {},
          {
            body: "Das Haus ist im Winter für Besucher geschlossen und die Gärten sind von der Straße zu sehen",
          },
        ),
      ],
    ],
    ["an admitted failure", "I could not delete out/b.md.", [failed]],
    ["an acknowledgement", "Noted. OK, noted!", []],
    ["a denied action", "I have not sent anything.", [tasks]],
    ["an offer", "I can email it to Ada and save it in out/x.md.", [tasks]],
    ["a question", "Should I have deleted out/x.md?", [tasks]],
    ["a condition", "If it was moved to out/x.md, it is gone.", [tasks]],
    ["the future", "It will be saved in your notes.", [tasks]],
    ["general knowledge", "Mont Blanc is 4,806 m high.", []],
    ["a recipe", "Heat your oven to 180 °C for 20 minutes.", []],
    ["program text", "```\nrm out/x.md # deleted 12 files\n```", [tasks]],
  ])("is not marked: %s", (_, answer, observations) => {
    expect(problemsOf(answer, observations)).toEqual([]);
  });

  it("is not marked if the person or a memory says it", () => {
    const conversation = [{ role: "person" as const, text: "My rope measures 40 metres." }];
    expect(problemsOf("Your rope is 40 metres long.", [], { conversation })).toEqual([]);
    expect(problemsOf("Your rope is 50 metres long.", [], { conversation })).not.toEqual([]);
    expect(
      problemsOf("You told me that your flat is in Bremen.", [], { memories: ["The flat is in Bremen."] }),
    ).toEqual([]);
  });

  it("is not marked if the operator said it before", () => {
    const conversation = [{ role: "operator" as const, text: "I saved the draft in out/kern.md." }];
    expect(problemsOf("I saved it in out/kern.md.", [], { conversation })).toEqual([]);
  });
});

it("finds the same in evidence that was indexed before, and more when there is more", () => {
  const first = evidenceOf({ observations: [note] });
  const answer = "Your rope is 70 m long.";
  const found = checkAnswer(answer, first);
  expect(found[0]?.problems).toHaveLength(1);
  expect(checkAnswer(answer, { ...first })).toEqual(found);
  expect(checkAnswer(answer, { ...first, memories: ["The rope is 70 m long."] })[0]?.problems).toEqual([]);
});

it("finds evidence ready that was indexed before", async () => {
  const evidence = evidenceOf({ observations: [note, tasks] });
  await indexEvidence(evidence, new AbortController().signal);
  const prepared = prepareEvidence(evidence);
  expect(prepareEvidence({ ...evidence })).toBe(prepared);
  expect(checkAnswer("Your rope is 70 m long.", evidence)[0]?.problems).toHaveLength(1);
});

it("keeps the number of a chapter, page or volume in its sentence", () => {
  const parts = checkAnswer("Read Weber ch. 3 and vol. 2, pp. 40 to 60. Then rest.", evidenceOf({}));
  expect(parts.map(({ text }) => text)).toEqual(["Read Weber ch. 3 and vol. 2, pp. 40 to 60.", "Then rest."]);
});

it("finds no claim in the line under the head of a table", () => {
  const table = "| Who | Rope |\n|---|:--|\n| you | 60 m |";
  const parts = checkAnswer(table, evidenceOf({ observations: [note] }));
  expect(parts.map(({ isUndecided }) => isUndecided)).toEqual([true, false, true]);
});

it("checks sentences and returns their positions", () => {
  const answer = "Hello there! I sent it.\n- It cost 7,000 EUR [1]";
  expect(
    checkAnswer(answer, evidenceOf({ observations: [note] })).map(({ text, start, isChecked }) => [
      text,
      start,
      isChecked,
    ]),
  ).toEqual([
    ["Hello there!", 0, expect.any(Boolean)],
    ["I sent it.", 13, true],
    ["- It cost 7,000 EUR [1]", 24, true],
  ]);
});

it("checks each of 20,000 sentences with the same effort", () => {
  const answer = Array.from(
    { length: 20_000 },
    (_, index) => `City ${index} has a tower of many people ${index}.`,
  );
  const evidence = evidenceOf({ request: "what did I buy?" });
  // If the work for a sentence grew with the answer before it, this would take minutes and exceed the time limit of the
  // test.
  expect(checkAnswer(answer.join(" "), evidence)).toHaveLength(answer.length);
});

it("doubts no statement after a refusal, a question or an introduction, however far apart they are", () => {
  const evidence = evidenceOf({ request: "reserve a table for Monday" });
  const filler = "A red boat sails on a lake in the sun. ".repeat(80);
  const last = (before: string) =>
    checkAnswer(`${before} ${filler}A table waits for you.`, evidence).at(-1)?.problems.length;
  expect([last("Hello there."), last("Sorry."), last("Which one?"), last("Here is a story.")]).toEqual([
    1, 0, 0, 0,
  ]);
});

it("checks an answer of one line of 60,000 characters with the same effort for each figure", () => {
  // If the work for a figure grew with the line, this would take minutes and exceed the time limit of the test.
  const evidence = evidenceOf({
    request: "count to 20000",
    observations: [call("fs_read", { path: "a.md" }, { content: "1" })],
  });
  expect(checkAnswer(", 1".repeat(20_000), evidence).at(-1)).toMatchObject({ end: 60_000 });
});
