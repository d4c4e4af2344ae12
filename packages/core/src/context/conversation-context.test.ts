import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationTurn } from "../contract/context.ts";
import { estimateTokens } from "../contract/tokens.ts";
import { buildConversationContext, inPairs } from "./build-context-package.ts";
import { extractSummary } from "./extract-summary.ts";
import { formatConversation } from "./format-context-for-prompt.ts";

const turn = (role: ConversationTurn["role"], text: string, more: Partial<ConversationTurn> = {}) => ({
  role,
  text,
  at: "2026-01-01T08:00:00.000Z",
  ...more,
});
const person = (text: string) => turn("person", text);
const operator = (text: string, more: Partial<ConversationTurn> = {}) => turn("operator", text, more);
const build = (turns: ConversationTurn[], budgetTokens = 500, more: { taskContext?: string } = {}) =>
  buildConversationContext({ turns, earlierTurns: 0 }, { budgetTokens, ...more });

describe("the conversation in a prompt", () => {
  it("is empty before the first request", () => {
    expect(formatConversation(build([]))).toBe("");
  });

  it("contains short turns verbatim, without citations of earlier steps", () => {
    const { turns, omittedTurns, summary } = build([person("My rope is red."), operator("Noted [2].")]);
    expect(turns.map(({ text }) => text)).toEqual(["My rope is red.", "Noted."]);
    expect([omittedTurns, summary]).toEqual([0, undefined]);
  });

  it("clips a long turn with a notice", () => {
    const [clipped] = build([person("word ".repeat(2_000))]).turns;
    expect(clipped?.text).toMatch(/more characters are left out\]$/u);
  });

  it("contains the person's last long message beyond its budget, and only that one", () => {
    const pasted = (name: string) => `${name} ${"brings a cake. ".repeat(110)}${name} is the last`;
    const talk = [
      person(pasted("Ada")),
      operator("Noted."),
      person(pasted("Bo")),
      operator(`The list: ${"a cake. ".repeat(200)}`),
    ];
    const built = buildConversationContext(
      { turns: talk, earlierTurns: 0 },
      { budgetTokens: 500, longMessageTokens: 600 },
    );
    expect(built.turns.at(-2)?.text).toBe(pasted("Bo"));
    expect(built.turns.at(-1)?.text).toMatch(/are left out\]$/u);
    expect(formatConversation(built)).not.toContain("Ada is the last");
    const beforeOthers = [...talk, person("thanks"), operator("You are welcome.")];
    const later = buildConversationContext(
      { turns: beforeOthers, earlierTurns: 0 },
      { budgetTokens: 500, longMessageTokens: 600 },
    );
    expect(formatConversation(later)).toContain("Bo is the last");
  });

  it("always contains the text that the request continues from", () => {
    const talk = Array.from({ length: 50 }, (_, index) => person(`turn number ${String(index)} of the talk`));
    const built = build(talk, 200, { taskContext: "The draft says: dear Ola." });
    expect(formatConversation(built)).toContain("The draft says: dear Ola.");
  });

  it("contains focus and topics of the last turns", () => {
    const { focus, topics } = build([
      person("I am packing for climbing in the Lofoten, see out/packing.md."),
      operator("The Lofoten are rainy in autumn."),
      person("and?"),
    ]);
    expect(focus).toContain("packing for climbing in the Lofoten");
    expect(topics).toContain("Lofoten");
    expect(topics).toContain("out/packing.md");
  });

  it("never exceeds its budget, for any conversation", () => {
    const turns = fc.array(
      fc.record({
        role: fc.constantFrom("person" as const, "operator" as const),
        text: fc.string({ maxLength: 3_000 }),
        at: fc.constant("2026-01-01T08:00:00.000Z"),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(
        turns,
        fc.integer({ min: 100, max: 1_500 }),
        fc.option(fc.string(), { nil: undefined }),
        fc.integer({ min: 0, max: 600 }),
        (exchanges, budget, summary, longMessageTokens) => {
          const built = buildConversationContext(
            { turns: exchanges, earlierTurns: 0, ...(summary !== undefined && { summary }) },
            { budgetTokens: budget, taskContext: "It continues.", longMessageTokens },
          );
          expect(estimateTokens(formatConversation(built))).toBeLessThanOrEqual(budget + longMessageTokens);
        },
      ),
    );
  });
});

describe("an extractive summary of a conversation", () => {
  it("keeps numbers, names, files and decisions, in order", () => {
    const summary = extractSummary(
      [
        person("Hello there, nice to meet you again today."),
        person("The hut of Ola has 12 beds."),
        operator("It is often windy."),
        person("I decided to take the ferry."),
        operator("The plan is in out/plan.md."),
      ],
      { tokens: 200 },
    );
    expect(summary).toBe(
      "person: The hut of Ola has 12 beds.\nperson: I decided to take the ferry.\noperator: The plan is in out/plan.md.",
    );
  });

  it("keeps what the person stated before questions, chat and what the operator repeats", () => {
    const turns = [
      person("the budget is 1200 euros on 14 february"),
      operator("A budget of 1200 euros on 14 February."),
      person("aunt gerda cannot climb the stairs"),
      operator("Then the room should be on the ground floor."),
      person("what could we do for music"),
      operator("A small accordion duo or a playlist from her youth would fit."),
      person("no live music because she hates it"),
      person("who should give the speech"),
      person("ok and what do i wear"),
      person("she gets seasick on boats now"),
    ];
    const request = "write down everything we fixed, and who pays for what";
    expect(extractSummary(turns, { tokens: 60, request }).split("\n")).toEqual([
      "person: the budget is 1200 euros on 14 february",
      "person: aunt gerda cannot climb the stairs",
      "person: no live music because she hates it",
      "person: she gets seasick on boats now",
    ]);
  });

  it("ends no sentence between a day and its month", () => {
    const turns = [
      person("mach mir eine Aufgabe, die Torte bis zum 10. Dezember zu bestellen. Wir sind 24."),
    ];
    expect(extractSummary(turns, { tokens: 200 }).split("\n")).toEqual([
      "person: mach mir eine Aufgabe, die Torte bis zum 10. Dezember zu bestellen.",
      "person: Wir sind 24.",
    ]);
  });

  it("ignores the answers of failed runs", () => {
    expect(
      extractSummary([operator("There are 40 files in out/x.", { outcome: "failed" })], { tokens: 200 }),
    ).toBe("");
  });

  it("prefers sentences with words of the request", () => {
    const turns = [
      person("Freya brings two tins of paint."),
      ...Array.from({ length: 12 }, (_, index) =>
        person(`I want to call Bertil about boat ${String(index)} in out/boat.md.`),
      ),
    ];
    const without = extractSummary(turns, { tokens: 60 });
    expect(without).not.toContain("tins of paint");
    const summary = extractSummary(turns, { tokens: 60, request: "how much paint is there?" });
    expect(summary).toContain("tins of paint");
    expect(estimateTokens(summary)).toBeLessThanOrEqual(60);
  });

  it("extends the previous summary within its token limit", () => {
    const before = "person: The rope measures 40 metres.";
    const more = Array.from({ length: 30 }, (_, index) =>
      person(`On day ${String(index)} we walk ${String(index)} kilometres.`),
    );
    const summary = extractSummary(more, { tokens: 100, before });
    expect(summary).toContain(before);
    expect(estimateTokens(summary)).toBeLessThanOrEqual(100);
  });
});

/** A stored turn of a run. */
const turnOf = (run: string, role: ConversationTurn["role"]) => ({ id: `run-${run}-${role}`, role });

describe("requests that overlap", () => {
  it("are each followed by their own answer", () => {
    const stored = [
      turnOf("a", "person"),
      turnOf("b", "person"),
      turnOf("a", "operator"),
      turnOf("c", "person"),
      turnOf("b", "operator"),
      { id: "msg-1", role: "operator" as const },
    ];
    expect(inPairs(stored).map(({ id }) => id)).toEqual([
      "run-a-person",
      "run-a-operator",
      "run-b-person",
      "run-b-operator",
      "run-c-person",
      "msg-1",
    ]);
  });
});

describe("the extracted summary of an edited text", () => {
  const turns = [
    person("Hm no, my supervisor says abstracts have no citations. Take them out again."),
    operator("I took both citations out of the abstract. It is shorter now."),
    person("Undo that, I will argue with him."),
    operator("I undid it."),
    person("What a day it was. The sun came out."),
    operator("That sounds good. Enjoy it."),
  ];
  it("keeps each order and what became of it", () => {
    const summary = extractSummary(turns, { tokens: 160 });
    for (const kept of ["Take them out again.", "I took both citations out", "Undo that", "I undid it."])
      expect(summary).toContain(kept);
    expect(summary).not.toContain("The sun came out");
  });
});
