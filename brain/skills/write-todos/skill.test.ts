import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { writeTodos } from "./skill.ts";

const harness = skillHarness();

describe("write_todos", () => {
  it("stores the whole list", async () => {
    const { assessment, outputs, narrative, structured } = await harness.call(writeTodos, {
      todos: [
        { text: "read the list", status: "done" },
        { text: "write *it* down", status: "in_progress" },
        "tell Ada",
      ],
    });
    expect(assessment).toMatchObject({ risk: "low", paths: [], hosts: [] });
    expect(outputs).toEqual({
      todos: [
        { text: "read the list", status: "done" },
        { text: "write *it* down", status: "in_progress" },
        { text: "tell Ada", status: "todo" },
      ],
    });
    expect(narrative).toBe("The checklist has 3 lines, 1 done; next: write *it* down");
    expect(structured).toBe("- [x] read the list\n- [~] write \\*it\\* down\n- [ ] tell Ada");
  });

  it("reports a finished list and an empty list", async () => {
    expect((await harness.call(writeTodos, { todos: [{ text: "a", status: "done" }] })).narrative).toBe(
      "The checklist has 1 line, 1 done.",
    );
    expect((await harness.call(writeTodos, { todos: [] })).structured).toBe("The checklist is empty.");
  });

  it("accepts the formats that models write", async () => {
    const { outputs } = await harness.call(writeTodos, {
      todos: [
        { task: "read", status: "completed" },
        { task: "write", status: "In-Progress" },
        { task: "check", status: "pending" },
      ],
    });
    expect(outputs).toEqual({
      todos: [
        { text: "read", status: "done" },
        { text: "write", status: "in_progress" },
        { text: "check", status: "todo" },
      ],
    });
    expect((await harness.call(writeTodos, { todos: "read" })).outputs).toEqual({
      todos: [{ text: "read", status: "todo" }],
    });
  });

  it("names the valid statuses and limits for an invalid item", async () => {
    const refused = (todos: unknown) => harness.call(writeTodos, { todos });
    await expect(refused([{ text: "a", status: "maybe" }])).rejects.toMatchObject({
      message:
        "write_todos cannot take these arguments: todos.0.status must be one of todo, in_progress, done.",
    });
    await expect(refused([{ text: "x".repeat(301) }])).rejects.toMatchObject({
      message: "write_todos cannot take these arguments: todos.0.text: must have at most 300 characters.",
    });
    await expect(refused([7])).rejects.toMatchObject({
      message: "write_todos cannot take these arguments: todos.0 must be an object or text, not a number.",
    });
  });

  it.each([
    [{}],
    [{ todos: 7 }],
    [{ todos: [" "] }],
    [{ todos: [{ text: "a", status: "maybe" }] }],
    [{ todos: [{ done: true }] }],
    [{ todos: Array.from({ length: 51 }, (_, index) => `line ${index}`) }],
  ])("refuses %j", async (args) => {
    await expect(harness.call(writeTodos, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});
