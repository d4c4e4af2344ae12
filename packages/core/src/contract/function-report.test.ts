import { describe, expect, it } from "vitest";
import { describeReverification, successText, valueOrigins } from "./function-report.ts";

it("says how often a function worked, and of a single use what came of it", () => {
  const rates = [
    [0, 0],
    [1, 1],
    [1, 0],
    [13, 12],
  ].map(([executions = 0, successes = 0]) => successText({ executions, successes }));
  expect(rates).toEqual(["not used yet", "worked once", "failed once", "worked 12 of 13 times"]);
});

describe("the origin of a function's values", () => {
  it("is described for each call, with the reason for a guide", () => {
    expect(
      valueOrigins({
        kind: "guide",
        examples: [{ prompt: "summarize a.md", skillSequence: ["fs_read", "fs_write"] }],
        provenance: [
          { step: 1, argument: "path", from: "request", detail: "from your request" },
          { step: 2, argument: "path", from: "constant", detail: "always this place" },
          { step: 2, argument: "content", from: "composed", detail: "composed by the model" },
        ],
      }),
    ).toEqual([
      "1. fs_read: “path”: from your request",
      "2. fs_write: “path”: always this place; “content”: composed by the model, so this is a guide",
    ]);
    expect(valueOrigins({ kind: "recipe", examples: [] })).toEqual([]);
  });

  it("is described for each action of a recipe with a composed text", () => {
    const action = (skill: string) => ({ skill, args: {}, expect: [] });
    expect(
      valueOrigins({
        kind: "recipe",
        examples: [{ prompt: "summarize a.md", skillSequence: ["fs_read", "fs_write"] }],
        recipe: {
          promptTemplates: [],
          actions: [action("fs_read"), action("conversational_response"), action("fs_write")],
        },
        provenance: [
          { step: 2, argument: "context", from: "output", detail: "what content is composed from" },
          { step: 3, argument: "content", from: "composed", detail: "composed by the model each time" },
        ],
      }),
    ).toEqual([
      "2. conversational_response: “context”: what content is composed from",
      "3. fs_write: “content”: composed by the model each time",
    ]);
  });
});

describe("the progress of re-verification", () => {
  const state = { status: "running", total: 12, checked: 3, demoted: [], inconclusive: [] } as const;
  const one = { id: "func-20261122-aaaaaa", title: "Make a note", reason: "replay: it is not there" };

  it("is described while it runs, and afterwards only its result", () => {
    expect(describeReverification({ ...state, demoted: [], inconclusive: [] })).toBe(
      "Verified functions are checked again under stricter rules: 3 of 12 done.",
    );
    expect(describeReverification({ ...state, status: "done", demoted: [one], inconclusive: [one] })).toBe(
      "No longer passing, and drafts again: “Make a note”. Each says why. Not checked, still in service, and checked again at the next start: “Make a note”.",
    );
    expect(
      describeReverification({ ...state, status: "done", demoted: [], inconclusive: [] }),
    ).toBeUndefined();
  });
});
