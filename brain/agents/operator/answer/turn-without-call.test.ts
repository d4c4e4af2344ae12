import { formatExchange } from "@metahuman/core/text/exchange";
import { describe, expect, it } from "vitest";
import { checkAnswer } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { evidenceOf } from "./testing/labelled-answers.ts";

const problemsOf = (answer: string, evidence: AnswerEvidence) =>
  checkAnswer(answer, evidence).flatMap(({ problems }) => problems);
const undecided = (answer: string, evidence: AnswerEvidence) =>
  checkAnswer(answer, evidence).filter(({ isUndecided }) => isUndecided);

describe("a total that the person disputes", () => {
  const fees = "nimi,asunto,maksu\nAino Salo,A 1,120.00\nPetri Koski,B 12,95.50\nLeila Haddad,C 3,0\n";
  const disputed = (request: string, first = "Maksuja on yhteensä 215,50 €."): AnswerEvidence => ({
    ...evidenceOf({
      request,
      conversation: [
        { role: "person", text: "Laske yhteen maksut tiedostosta out/kv/talvi.csv." },
        { role: "operator", text: first },
      ],
    }),
    earlierCalls: [
      { skill: "fs_read", args: { path: "out/kv/talvi.csv" }, outputs: { content: fees }, observed: fees },
    ],
    earlierResults: `Last tool uses\n- fs_read: <data>${fees}</data>`,
  });

  it.each([
    ["Ei, kyllä niitä on 300 euroa. Korjaa luku.", "Olet oikeassa. Maksuja on yhteensä 300 euroa."],
    ["No, the total IS 300. Correct it.", "You are right, sorry. The fees are 300 € in total."],
    ["Nein, es sind 300 Euro.", "Du hast recht: Insgesamt sind es 300 Euro."],
  ])("is not that of the table because the person says so: %s", (request, answer) => {
    const [problem] = problemsOf(answer, disputed(request));
    expect(problem).toMatchObject({ isRefuted: true });
    expect(problem?.text).toContain("215.5");
  });

  it.each([
    [
      "the person's figure, denied",
      "No, the total IS 300.",
      "The rows of the file do not add up to 300 in total.",
    ],
    ["the person's figure, as theirs", "No, the total IS 300.", "You say that it is 300 in total."],
    ["what follows from a new figure", "Leila has now paid 84.50.", "Then the fees are 300 € in total."],
    ["the total again", "No, the total IS 300.", "The fees of the file add up to 215.50 € in total."],
    ["another total", "And the budget was 300 in total?", "Yes, the budget was 300 in total."],
  ])("%s, stands", (_, request, answer) => {
    expect(problemsOf(answer, disputed(request)).filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

describe("a total over memories", () => {
  const swam = "Diary, Thursday 19 November 2026: Rosa swam 900 m and was at the dentist.";
  const request = "What did I do on Thursday, and how far did I swim this week in total?";

  it("needs a search, because the recalled memories are a selection", () => {
    const [problem] = problemsOf(
      "This week you swam 900 m in total.",
      evidenceOf({ request, memories: [swam] }),
    );
    expect(problem).toMatchObject({ isRefuted: true });
    expect(problem?.text).toContain("memory_search");
  });

  it("is not shown by an earlier answer, which is remembered with its request", () => {
    const before = formatExchange({ asked: request, answered: "This week you swam 900 m in total." });
    const evidence = evidenceOf({ request: "How far did I swim this week in total?", memories: [before] });
    expect(problemsOf("You swam 900 m in total this week.", evidence)).toMatchObject([{ isRefuted: true }]);
  });

  it.each<[about: string, answer: string, given: Parameters<typeof evidenceOf>[0]]>([
    ["what one memory says", "On Thursday you swam 900 m.", { request, memories: [swam] }],
    [
      "a total that a memory states",
      "The trip costs 940 € in total.",
      { request: "What does my trip cost in total?", memories: ["The trip to Rome costs 940 € in total."] },
    ],
    [
      "a total after a search",
      "This week you swam 2100 m in total [1].",
      {
        request,
        memories: [swam],
        observations: [
          {
            tool: "memory_search",
            args: { query: "swam" },
            success: true,
            outputs: { results: [{ content: swam }, { content: "Rosa swam 1200 m." }], total: 2 },
          },
        ],
      },
    ],
  ])("%s, stands", (_, answer, given) => {
    expect(problemsOf(answer, evidenceOf(given)).filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

describe("a statement about the product", () => {
  const request = "Where does MetaHuman keep my data, and can my boss read it?";

  it("is left to a model", () => {
    const claims = [
      "Your data is stored encrypted in the MetaHuman cloud in Ireland.",
      "You can switch on two-factor login under Settings → Security.",
      "Open Settings → Appearance to choose a colour.",
    ];
    expect(undecided(claims.join(" "), evidenceOf({ request })).map(({ text }) => text)).toEqual(claims);
  });

  it("is left to a model in the next turn, too", () => {
    const next = evidenceOf({
      request: "Thanks. And where can I change the colour of the page?",
      conversation: [
        { role: "person", text: request },
        { role: "operator", text: "On your own computer." },
      ],
    });
    expect(undecided("You're welcome! You find it under Settings → Appearance.", next)).toHaveLength(1);
  });

  it("costs no call where nothing is said about it", () => {
    expect(undecided("Steel is heavier than wood.", evidenceOf({ request: "What is heavier?" }))).toEqual([]);
  });
});

describe("a figure that continues what was found earlier in the conversation", () => {
  const quote = "Kallio Roofing\nSteel roof 92 m2: 5 980.00\nStart: week 14";
  const followed = (request: string): AnswerEvidence => ({
    ...evidenceOf({
      request,
      conversation: [
        { role: "person", text: "read out/kallio.txt" },
        { role: "operator", text: "Kallio asks 5 980 for the steel roof." },
      ],
    }),
    earlierCalls: [
      { skill: "fs_read", args: { path: "out/kallio.txt" }, outputs: { content: quote }, observed: quote },
    ],
  });

  it("is left to a model, also where the request is no question", () => {
    const answer = "Kallio would do the roof in 25 working days.";
    expect(undecided(answer, followed("Tell me more about Kallio."))).toHaveLength(1);
  });

  it("costs no call for a text without one", () => {
    expect(undecided("A roof of steel, a house at peace.", followed("Write a short poem."))).toEqual([]);
  });
});

describe("something that no skill does", () => {
  const request = "Draw a picture of my cat and send it to Anna.";

  it.each([
    "I am sorry, I drew the picture but I could not send the mail.",
    "I painted your cat for you.",
    "I took a photo of the cat.",
    "Ich habe die Katze gezeichnet.",
    "I made a reservation for you.",
    "I have placed the order for the paper.",
    "I printed it.",
  ])("is refuted where the answer says that it was done: %s", (answer) => {
    expect(problemsOf(answer, evidenceOf({ request }))).toMatchObject([{ isRefuted: true }]);
  });

  it("is not shown by a note about it", () => {
    const observations = [
      {
        tool: "fs_write",
        args: { path: "cat.md", content: "A picture of the cat" },
        success: true,
        outputs: { path: "out/cat.md", created: true },
      },
    ];
    const found = problemsOf("I drew the picture of the cat [1].", evidenceOf({ request, observations }));
    expect(found).toMatchObject([{ isRefuted: true }]);
  });

  it.each<[answer: string, given: Parameters<typeof evidenceOf>[0]]>([
    ["I cannot draw, and I could not send the mail.", { request }],
    ["The Starry Night was painted by Vincent van Gogh.", { request: "Who painted the Starry Night?" }],
    ["I drew the cat in ASCII.", { request: "draw a cat in ASCII" }],
    ["Here is the cat that I drew:", { request }],
    ["I drew no conclusion from it.", { request }],
    [
      "I drew the cat in out/cat.svg [1].",
      {
        request,
        observations: [
          {
            tool: "fs_write",
            args: { path: "cat.svg", content: "<svg><circle r='4'/></svg>" },
            success: true,
            outputs: { path: "out/cat.svg", created: true },
          },
        ],
      },
    ],
  ])("is not what this says: %s", (answer, given) => {
    expect(problemsOf(answer, evidenceOf(given)).filter(({ isRefuted }) => isRefuted)).toEqual([]);
  });
});

describe("a calculation that the sentence states in full", () => {
  const calculated = evidenceOf({
    request: "what is 15 % of 240?",
    observations: [
      {
        tool: "calculate",
        args: { expression: "240 * 15 / 100" },
        success: true,
        outputs: { expression: "240 * 15 / 100", result: "36" },
      },
    ],
  });

  it.each(["15 % of 240 is 36.", "15 % of 240 is **36** [1].", "240 × 15 = 3600"])(
    "costs no call of a model where it is right: %s",
    (answer) => {
      expect(undecided(answer, calculated)).toEqual([]);
      expect(problemsOf(answer, calculated)).toEqual([]);
    },
  );

  it.each(["15 % of 240 is 36, your discount.", "15 % of 240 is about 36."])(
    "is left to a model with other words: %s",
    (answer) => {
      expect(undecided(answer, calculated)).toHaveLength(1);
    },
  );

  it("is refuted where it is wrong", () => {
    expect(problemsOf("15 % of 240 is 38.", calculated)[0]).toMatchObject({ isRefuted: true });
  });
});

describe("a question about a thing that a memory is about", () => {
  const memories = [
    "Winter trip to Levi: cabin for six, booked by Teemu, the boat stays in storage place 47.",
  ];

  it.each([
    ["who booked the cabin?", "Liisa booked the cabin."],
    ["is the boat insured?", "Yes, until 30 May."],
  ])("is left to a model: %s → %s", (request, answer) => {
    expect(undecided(answer, evidenceOf({ request, memories }))).toHaveLength(1);
    expect(undecided(answer, evidenceOf({ request }))).toEqual([]);
  });

  it.each([
    ["who booked the cabin?", "Teemu booked the cabin."],
    ["where is the boat?", "It stays in storage place 47."],
    ["what is the best way to heat a cabin?", "Insulate the floor first."],
    ["what is the capital of Lapland?", "Rovaniemi."],
    ["how should the boat be stored?", "Dry, and with air under the cover."],
  ])("needs no model if the memory says so, or if it is general: %s → %s", (request, answer) => {
    expect(undecided(answer, evidenceOf({ request, memories }))).toEqual([]);
  });
});
