import { anyCharacter } from "./testing-characters.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlannedValue, Interpretation } from "./grammar/plan.ts";
import { readRequest } from "./read-request.ts";
import type { SkillGrammar } from "./grammar/phrase.ts";
import { TemplateError } from "./grammar/template.ts";
import { TEST_SKILLS, NOW, OSLO } from "./testing-grammar.ts";

const read = (request: string): Interpretation =>
  readRequest(request, TEST_SKILLS, { now: NOW, timeZone: OSLO });

const summarize = (value: PlannedValue): unknown =>
  value.from === "request" || value.from === "function"
    ? value.value
    : value.from === "call"
      ? `#${value.call} ${value.take}`
      : value.from === "answer"
        ? value.question
        : value.candidates.map(({ id }) => id).join(" | ");

/** Returns a plan as a list of skills and arguments, and any other interpretation as its kind. */
function plan(request: string): unknown {
  const interpretation = read(request);
  if (interpretation.kind !== "plan") return interpretation.kind;
  return interpretation.calls.map(({ skill, args }) => [
    skill,
    Object.fromEntries(Object.entries(args).map(([name, value]) => [name, summarize(value)])),
  ]);
}

describe("readRequest", () => {
  it.each<[string, unknown]>([
    ["show the lamps", [["lamp_state", {}]]],
    ["Please, could you show me the lamps? Thanks!", [["lamp_state", {}]]],
    ["lamps in the attic", [["lamp_state", { room: "attic" }]]],
    ["make a sign a.md", [["sign_paint", { path: "a.md", text: "" }]]],
    [
      "make a sign a.md saying keep Off the grass!",
      [["sign_paint", { path: "a.md", text: "keep Off the grass!" }]],
    ],
    ["mkae a sing a.md saying “keep off”", [["sign_paint", { path: "a.md", text: "keep off" }]]],
    ["make a garden gate sign", [["sign_paint", { path: "garden-gate.txt", text: "" }]]],
    [
      "make sign a.md and b.md",
      [
        ["sign_paint", { path: "a.md", text: "" }],
        ["sign_paint", { path: "b.md", text: "" }],
      ],
    ],
  ])("reads one order: %j", (request, expected) => {
    expect(plan(request)).toEqual(expected);
  });

  it("adds a look-up before a call that needs something described in words", () => {
    expect(plan("light the reading lamp")).toEqual([
      ["lamp_find", { query: "reading" }],
      ["lamp_switch", { on: true, id: "#0 reference" }],
    ]);
    const interpretation = read("light the reading lamp");
    expect(interpretation).toMatchObject({
      readOnly: false,
      calls: [{ lookup: "reading" }, { lookup: undefined }],
    });
  });

  it.each<[string, unknown]>([
    [
      "show the lamps and read a.md",
      [
        ["lamp_state", {}],
        ["sign_read", { path: "a.md" }],
      ],
    ],
    [
      "light the reading lamp then darken it",
      [
        ["lamp_find", { query: "reading" }],
        ["lamp_switch", { on: true, id: "#0 reference" }],
        ["lamp_switch", { on: false, id: "#1 reference" }],
      ],
    ],
    [
      "make a sign a.md and read it",
      [
        ["sign_paint", { path: "a.md", text: "" }],
        ["sign_read", { path: "#0 path" }],
      ],
    ],
    [
      "read a.md, and paint the text on b.md",
      [
        ["sign_read", { path: "a.md" }],
        ["sign_paint", { text: "#0 text", path: "b.md" }],
      ],
    ],
    [
      "paint the lamps in the attic on b.md",
      [
        ["lamp_state", { room: "attic" }],
        ["sign_paint", { text: "#0 text", path: "b.md" }],
      ],
    ],
    ["make a sign a.md; paint hello on it", [["sign_paint", { path: "a.md", text: "hello" }]]],
    ["remember to buy bread and butter", [["chore_add", { title: "buy bread and butter" }]]],
    [
      "remember to buy bread and show the lamps",
      [
        ["chore_add", { title: "buy bread" }],
        ["lamp_state", {}],
      ],
    ],
    [
      "remember to read a.md and darken the hall lamp",
      [["chore_add", { title: "read a.md and darken the hall lamp" }]],
    ],
    ["darken it", "not-understood"],
    ["make a sign a.md, show the lamps and darken it", "not-understood"],
  ])("reads several clauses: %j", (request, expected) => {
    expect(plan(request)).toEqual(expected);
  });

  it("is ambiguous if the end of a text could be a separate command that changes something", () => {
    const interpretation = read("remember to buy bread and read a.md");
    expect(interpretation.kind).toBe("ambiguous");
    expect(interpretation).toMatchObject({
      plans: [[{ skill: "chore_add" }], [{ skill: "chore_add" }, { skill: "sign_read" }]],
    });
  });

  it("keeps dates, priorities and tags out of a title, in any order", () => {
    const expected = [
      ["chore_add", { title: "call the bank", day: "2026-11-20", priority: "P1", tags: ["home"] }],
    ];
    expect(plan("remember to call the bank by friday, high priority #home")).toEqual(expected);
    expect(plan("remember to call the bank #home, high priority, on friday")).toEqual(expected);
  });

  it.each<[string, Interpretation["kind"]]>([
    ["", "empty"],
    [" \n ", "empty"],
    ["...", "empty"],
    ["?", "capabilities"],
    ["what can you do?", "capabilities"],
    ["hello there", "small-talk"],
    ["don't light the hall lamp", "refrain"],
    ["light the hall lamp. Actually, never mind", "refrain"],
    ["I do not want you to light the hall lamp", "refrain"],
    ["if it is dark, light the hall lamp", "not-understood"],
    ["did you light the hall lamp?", "not-understood"],
    ["he said light the hall lamp", "not-understood"],
    ['"light the hall lamp"', "not-understood"],
    ["lighted the hall lamp", "not-understood"],
    ["light all the lamps", "not-understood"],
    ["don't light the hall lamp and darken the hall lamp", "not-understood"],
  ])("does nothing for %j: %s", (request, kind) => {
    expect(read(request).kind).toBe(kind);
  });

  it("executes commands after a cancelled one, and before a harmless prohibition", () => {
    expect(plan("make a sign a.md. No, wait. Read b.md")).toEqual([["sign_read", { path: "b.md" }]]);
    expect(plan("show the lamps but don't light any")).toEqual([["lamp_state", {}]]);
  });

  it("names the skill that a question is about", () => {
    expect(read("how do I make a sign?")).toEqual({ kind: "capabilities", about: ["sign_paint"] });
    expect(read("can you light lamps?")).toMatchObject({ kind: "capabilities" });
    expect(read("how do I bake bread?")).toMatchObject({ kind: "not-understood", needsModel: true });
  });

  it("reports what it understood, what it did not, and what would work", () => {
    const interpretation = read("show the lamps and bake a cake");
    expect(interpretation).toMatchObject({
      kind: "not-understood",
      understood: ["show the lamps"],
      unexplained: ["bake a cake"],
      needsModel: false,
    });
    const two = read("show the lamps. Bake a cake");
    expect(two).toMatchObject({ kind: "not-understood" });
    if (two.kind !== "not-understood") return;
    expect(two.unexplained.join(" ")).toMatch(/bake a cake/i);
    expect(two.nearest).toHaveLength(3);
    for (const sentence of two.nearest) expect(read(sentence).kind).toBe("plan");
  });

  it("clips a long request in its report", () => {
    const interpretation = read("nonsense ".repeat(10_000));
    if (interpretation.kind !== "not-understood") throw new Error(interpretation.kind);
    for (const words of interpretation.unexplained) expect(words.length).toBeLessThan(200);
  });

  it("compares each part of a long request once with the form of a text, however many phrases have it", () => {
    let comparisons = 0;
    class Counted extends RegExp {
      override test(words: string): boolean {
        comparisons++;
        return super.test(words);
      }
    }
    const sum: SkillGrammar = {
      id: "sum",
      reads: true,
      phrases: Array.from({ length: 20 }, (_, index) => `sum {numbers} ${"x".repeat(index + 1)}y`),
      slots: { numbers: { type: "text", like: new Counted(String.raw`^\d+(?: \d+)*$`, "u"), sample: "1 2" } },
    };
    const parts = 40;
    readRequest("sum the xxy xxxxy and ".repeat(parts), [sum], { now: NOW, timeZone: OSLO });
    const words = parts * 5;
    // From each "sum" to each end after it: half of the words on average.
    expect(comparisons).toBeGreaterThan(0);
    expect(comparisons).toBeLessThanOrEqual((parts * words) / 2);
  });

  it("keeps long text whole", () => {
    const text = "one two three, four and five. ".repeat(3_000).trim();
    expect(plan(`make a sign a.md saying ${text}`)).toEqual([["sign_paint", { path: "a.md", text }]]);
  });

  it("bounds the work on hostile requests", () => {
    const pieces = [
      "and darken the x lamp ",
      "to to on on ",
      "remember to a and ",
      '" “ ‘ ',
      "monday ",
      "paint a on ",
    ];
    for (const piece of pieces) expect(read(`remember to ${piece.repeat(8_000)}`)).toBeDefined();
    expect(read(`add a,${" ".repeat(1_000)}!x`)).toBeDefined();
    for (const gap of ["\n", " \n", "\t", "\u00A0"])
      for (const [before, after] of [
        ["remember to a", "!x"],
        ['make a sign "', '"'],
        ["paint a.md", "x.md"],
      ] as const)
        expect(read(`${before}${gap.repeat(4_000)}${after}`)).toBeDefined();
  });

  it("rejects a phrase that could begin with any word, and names it in the error", () => {
    const skillGrammars = [
      { id: "bad", reads: false, phrases: ["{text} now"], slots: { text: "text" as const } },
    ];
    expect(() => readRequest("x", skillGrammars, { now: NOW })).toThrow(TemplateError);
    const untyped = [{ id: "bad", reads: true, phrases: ["say {what}"] }];
    expect(() => readRequest("x", untyped, { now: NOW })).toThrow("{what}");
  });
});

describe("readRequest, whatever is written", () => {
  const anything = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          ..."make a sign lamp light the read a.md it and then , . don't never “ ” \" ' remember to saying on paint friday !! #x if how you can".split(
            " ",
          ),
        ),
        { maxLength: 30 },
      )
      .map((words) => words.join(" ")),
  );

  it("never throws and is deterministic", () => {
    fc.assert(
      fc.property(anything, (request) => {
        expect(read(request)).toEqual(read(request));
      }),
      { numRuns: 500 },
    );
  });

  it("returns quoted text byte for byte", () => {
    const quotes = fc.constantFrom(["“", "”"], ['"', '"'], ["«", "»"], ["「", "」"]);
    fc.assert(
      fc.property(
        quotes,
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        ([open = "", close = ""], text) => {
          fc.pre(!text.includes(open) && !text.includes(close));
          expect(plan(`make a sign a.md saying ${open}${text}${close}`)).toEqual([
            ["sign_paint", { path: "a.md", text }],
          ]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("plans no change without a word of a command that changes something", () => {
    const words = "make paint light switch darken remember".split(" ");
    fc.assert(
      fc.property(anything, (request) => {
        const interpretation = read(request);
        if (interpretation.kind !== "plan" || interpretation.readOnly) return;
        expect(words.some((word) => request.normalize("NFKC").toLowerCase().includes(word.slice(0, 2)))).toBe(
          true,
        );
      }),
      { numRuns: 500 },
    );
  });
});
