import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { writeTodos } from "./skill.ts";

const bench = skillBench();

describe("write_todos", () => {
  it("keeps the whole list as it stands", async () => {
    const { assessment, outputs, narrative, structured } = await bench.call(writeTodos, {
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

  it("says when nothing is left, and when there is no list", async () => {
    expect((await bench.call(writeTodos, { todos: [{ text: "a", status: "done" }] })).narrative).toBe(
      "The checklist has 1 line, 1 done.",
    );
    expect((await bench.call(writeTodos, { todos: [] })).structured).toBe("The checklist is empty.");
  });

  it.each([
    [{}],
    [{ todos: "a, b" }],
    [{ todos: [" "] }],
    [{ todos: [{ text: "a", status: "maybe" }] }],
    [{ todos: [{ text: "a", done: true }] }],
    [{ todos: Array.from({ length: 51 }, (_, at) => `line ${at}`) }],
  ])("refuses %j", async (args) => {
    await expect(bench.call(writeTodos, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});
