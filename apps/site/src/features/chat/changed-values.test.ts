import type { Run } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { changedValues, requestWithChanges } from "./changed-values.ts";

const goal = "tank 30 litres at the end of fuel/vega.md";
const call = (args: Record<string, unknown>) => ({ tool: "fs_append", args });
const before: Pick<Run, "goal" | "offers"> = {
  goal,
  offers: [
    {
      functionId: "func-20261120-abc123",
      version: 1,
      title: "Note the fuel",
      values: { text: "tank 30 litres", path: "fuel/vega.md" },
      calls: [call({ text: "tank 30 litres", path: "fuel/vega.md" }), call({ text: "${steps.1.path}" })],
    },
  ],
};
const run = (
  text: string,
  id = "func-20261120-abc123",
): Pick<Run, "goal" | "scratchpad" | "functionsUsed"> => ({
  goal,
  functionsUsed: [{ id, title: "Note the fuel", followed: true }],
  scratchpad: [call({ text, path: "fuel/vega.md" }), call({ text: "out/fuel/vega.md" })].map(
    (action, index) => ({
      step: index + 1,
      thought: "",
      action,
      timestamp: "2026-11-27T12:00:00.000Z",
    }),
  ),
});

describe("the values that a person changed in an offer", () => {
  it("are those that the run used instead", () => {
    expect(changedValues(before, run("tank 35 litres"))).toEqual([
      { name: "text", offered: "tank 30 litres", used: "tank 35 litres" },
    ]);
  });

  it("are none if the offer was accepted as it was, for another function, and after another request", () => {
    expect(changedValues(before, run("tank 30 litres"))).toEqual([]);
    expect(changedValues(before, run("tank 35 litres", "func-20261120-other1"))).toEqual([]);
    expect(changedValues({ ...before, goal: "list my tasks" }, run("tank 35 litres"))).toEqual([]);
    expect(changedValues(undefined, run("tank 35 litres"))).toEqual([]);
  });
});

describe("a request with changed values", () => {
  it("has each changed word beside the one that it replaces, and names what it does not contain", () => {
    const fuel = { name: "text", offered: "tank 30 litres", used: "tank 35 litres" };
    const path = { name: "path", offered: "fuel/sirius.md", used: "fuel/polaris.md" };
    expect(requestWithChanges(goal, [fuel, path])).toEqual({
      parts: [{ text: "tank " }, { text: "30", used: "35" }, { text: " litres at the end of fuel/vega.md" }],
      others: [path],
    });
  });

  it("has a changed word that stands in brackets in the argument only", () => {
    const mail = { name: "text", offered: "- Tom <tom@ash.example>", used: "- Tom <tom@elm.example>" };
    expect(requestWithChanges("add Tom, tom@ash.example", [mail])).toEqual({
      parts: [{ text: "add Tom, " }, { text: "tom@ash.example", used: "tom@elm.example" }],
      others: [],
    });
  });

  it("is not changed within a word", () => {
    const name = { name: "text", offered: "- Tom Ash", used: "- Thomas Ash" };
    expect(requestWithChanges("add Tomas to members", [name]).parts).toEqual([
      { text: "add Tomas to members" },
    ]);
  });
});
