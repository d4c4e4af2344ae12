import { describe, expect, it } from "vitest";
import {
  answer,
  failure,
  matches,
  next,
  nextAction,
  readToday,
  scratchpad,
  task,
  TIMESTAMP,
  written,
} from "./built-in/testing/steps.ts";

describe("the built-in planner, step by step", () => {
  it("acts, then answers with what was observed and nothing else", async () => {
    const action = await nextAction("make sandwich file");
    expect(action).toEqual({ tool: "fs_write", args: { path: "sandwich.txt", content: "" } });
    const end = await answer(
      "make sandwich file",
      scratchpad(["fs_write", action.args, written("out/sandwich.txt")]),
    );
    expect(end).toMatchObject({ style: "strict", verbatim: false, outcome: "answered" });
    expect(end.text).toBe("Created out/sandwich.txt (empty).");
  });

  it("answers a single read with its own output", async () => {
    expect(await nextAction("read notes/today.md")).toEqual({
      tool: "fs_read",
      args: { path: "notes/today.md" },
    });
    const end = await answer("read notes/today.md", scratchpad(readToday));
    expect(end).toMatchObject({ verbatim: true, style: "strict" });
    expect(end.text).toContain("call the plumber");
  });

  it("passes the output of one step to the next", async () => {
    const request = "read notes/today.md and append it to journal.md";
    const append = await nextAction(request, scratchpad(readToday));
    expect(append).toEqual({ tool: "fs_append", args: { text: "call the plumber", path: "journal.md" } });
    const end = await answer(
      request,
      scratchpad(readToday, ["fs_append", append.args, written("out/journal.md")]),
    );
    expect(end.verbatim).toBe(false);
    expect(end.text.split("\n")).toHaveLength(2);
  });

  it("plans calls in parallel if they do not depend on the first one", async () => {
    const apart = await next("read a.md and read b.md");
    expect(apart).toMatchObject({
      action: { args: { path: "a.md" } },
      parallel: [
        { action: { tool: "fs_read", args: { path: "b.md" } }, thought: expect.anything() as unknown },
      ],
    });
    expect(await next("read notes/today.md and append it to journal.md")).not.toHaveProperty("parallel");
    expect(await next("read b.md")).not.toHaveProperty("parallel");
  });

  it("uses the final path of a step, also inside a folder", async () => {
    const moved = await nextAction(
      "create x.md and move it to archive/",
      scratchpad(["fs_write", { path: "x.md", content: "" }, written("out/x.md")]),
    );
    expect(moved).toEqual({ tool: "fs_move", args: { from: "out/x.md", to: "archive/x.md" } });
  });

  it("finds its position by its calls, whatever else is in the scratchpad", async () => {
    const other = ["fs_list", { path: "out" }, { path: "out", entries: [], total: 0 }] as const;
    const action = await nextAction(
      "read notes/today.md and append it to journal.md",
      scratchpad(other, readToday, other),
    );
    expect(action.tool).toBe("fs_append");
  });

  it("does the same thing twice if it is requested twice", async () => {
    const once = scratchpad(readToday);
    expect(await nextAction("read notes/today.md, then read notes/today.md", once)).toEqual({
      tool: "fs_read",
      args: { path: "notes/today.md" },
    });
    expect(
      (await next("read notes/today.md, then read notes/today.md", scratchpad(readToday, readToday))).kind,
    ).toBe("answer");
  });

  it("shows every one of several reads", async () => {
    const list = ["task_list", {}, { tasks: [task("buy milk")], total: 1 }] as const;
    const end = await answer("list my tasks and read notes/today.md", scratchpad(list, readToday));
    expect(end.text).toContain("buy milk");
    expect(end.text).toContain("call the plumber");
    expect(end.verbatim).toBe(false);
  });
});

describe("the built-in planner with a description", () => {
  const request = "mark buy milk as done";
  const lookUp = { tool: "task_find", args: { query: "buy milk" } };
  const found = (...titles: string[]) => scratchpad(["task_find", lookUp.args, matches(...titles)]);
  const done = { id: task("buy milk").id, status: "done" };

  it("looks it up first and continues with the match", async () => {
    expect(await nextAction(request)).toEqual(lookUp);
    expect(await nextAction(request, found("buy milk"))).toEqual({ tool: "task_update_status", args: done });
  });

  it("prefers an exact name among several", async () => {
    const action = await nextAction(request, found("buy milk and bread", "buy milk"));
    expect(action.args.id).toBe(task("buy milk").id);
  });

  it("asks which one is meant, and continues with the answer", async () => {
    const several = ["task_find", { query: "milk" }, matches("buy milk", "order milk")] as const;
    const ask = await nextAction("mark the milk task as done", scratchpad(several));
    expect(ask).toMatchObject({ tool: "ask_user", args: { options: ["buy milk", "order milk"] } });
    const answered = scratchpad(several, ["ask_user", ask.args, { answer: "the second one" }]);
    expect((await nextAction("mark the milk task as done", answered)).args).toEqual({
      id: task("order milk").id,
      status: "done",
    });
  });

  it("asks if the only match is similar, not equal", async () => {
    const ask = await nextAction(
      "delete the oat milk task",
      scratchpad(["task_find", { query: "oat milk" }, matches("buy milk")]),
    );
    expect(ask.tool).toBe("ask_user");
    expect(String(ask.args.question)).toContain("oat milk");
  });

  it("asks once more after a reply that matches no option, then gives up", async () => {
    const several = ["task_find", { query: "milk" }, matches("buy milk", "order milk")] as const;
    const first = await nextAction("delete the milk task", scratchpad(several));
    const second = await nextAction(
      "delete the milk task",
      scratchpad(several, ["ask_user", first.args, { answer: "the green one" }]),
    );
    expect(second.tool).toBe("ask_user");
    expect(second.args.question).not.toBe(first.args.question);
    const end = await answer(
      "delete the milk task",
      scratchpad(
        several,
        ["ask_user", first.args, { answer: "the green one" }],
        ["ask_user", second.args, { answer: "hm" }],
      ),
    );
    expect(end.text).toMatch(/this was not done/i);
  });

  it("asks before it forgets a memory that contains more than the named text", async () => {
    const found = (content: string) =>
      scratchpad([
        "memory_search",
        { query: "Otto is allergic to walnuts" },
        { results: [{ id: "evt-20261118T100000000Z-a", content }], total: 1 },
      ]);
    const request = "forget that Otto is allergic to walnuts";
    const several = "Lena lives in Leipzig. Otto is allergic to walnuts. Theo was born in May.";
    expect(await nextAction(request, found(several))).toMatchObject({
      tool: "ask_user",
      args: { question: expect.stringContaining("says more than") as unknown },
    });
    expect((await nextAction(request, found("Otto is allergic to walnuts and Tom likes tea"))).tool).toBe(
      "ask_user",
    );
    const listed =
      "our boat lies at pier 14, my brother Otto is allergic to walnuts, and the key hangs behind the shed";
    expect((await nextAction(request, found(listed))).tool).toBe("ask_user");
    expect((await nextAction(request, found("My dad Otto is allergic to walnuts"))).tool).toBe(
      "memory_forget",
    );
  });

  it("does nothing if the person wants none of them", async () => {
    const several = ["task_find", { query: "milk" }, matches("buy milk", "order milk")] as const;
    const ask = await nextAction("delete the milk task", scratchpad(several));
    const end = await answer(
      "delete the milk task",
      scratchpad(several, ["ask_user", ask.args, { answer: "none of them" }]),
    );
    expect(end.text).toMatch(/this was not done/i);
  });

  it("reports what it looked for if nothing matches", async () => {
    const none = scratchpad([
      "task_find",
      lookUp.args,
      failure("TASK_NOT_FOUND", "No task matches.", ["buy silk"]),
    ]);
    const end = await answer(request, none);
    expect(end.text).toContain("buy milk");
    expect(end.text).toContain("buy silk");
    const nothing = ["memory_search", { query: "garage code" }, { results: [], total: 0 }] as const;
    expect((await answer("forget the garage code", scratchpad(nothing))).text).toContain("garage code");
  });

  it("finds a file by its content, and none that lacks a word of the description", async () => {
    const entry = (name: string) => ({
      name,
      path: `out/${name}`,
      kind: "file",
      bytes: 1,
      modified: TIMESTAMP,
    });
    const listed = (...names: string[]) =>
      scratchpad([
        "fs_list",
        { recursive: true, pattern: "*shopping*" },
        { path: "out", entries: names.map(entry), total: names.length },
      ]);
    expect(
      (await nextAction("move the shopping list file to the archive folder", listed("shopping-list.txt")))
        .args,
    ).toEqual({ from: "out/shopping-list.txt", to: "archive/shopping-list.txt" });
    expect((await nextAction("delete the shopping list file", listed("shopping-list.txt"))).args).toEqual({
      path: "out/shopping-list.txt",
    });
    expect(
      (
        await nextAction(
          "delete the shopping list file",
          listed("shopping-list-2025.txt", "shopping-list-2026.txt"),
        )
      ).tool,
    ).toBe("ask_user");
    const noFile = (path: string) =>
      ["fs_list", { recursive: true, path }, { path, entries: [], total: 0 }] as const;
    const none = [...listed(), ...scratchpad(noFile("out"), noFile("inbox"))];
    expect((await answer("delete the shopping list file", none)).text).toContain("shopping list");
    const named = await nextAction(
      "delete the shopping list file",
      listed("shopping.md", "shopping-trip.md"),
    );
    expect(named.args).toEqual({ path: "out/shopping.md" });
    const other = await nextAction("delete the shopping list file", listed("shopping-trip.md"));
    expect(other.tool).toBe("ask_user");
  });
});

describe("the built-in planner with an ambiguous request", () => {
  const request = "add a task to buy milk and delete notes/today.md";

  it("asks, and executes the choice", async () => {
    const ask = await nextAction(request);
    expect(ask.tool).toBe("ask_user");
    const options = ask.args.options;
    if (!Array.isArray(options)) throw new Error("no options");
    expect(new Set(options).size).toBe(2);
    const answered = (reply: unknown) => scratchpad(["ask_user", ask.args, { answer: reply }]);
    expect((await nextAction(request, answered(options[0]))).args).toEqual({
      title: "buy milk and delete notes/today.md",
    });
    expect((await nextAction(request, answered("2"))).args).toEqual({ title: "buy milk" });
    expect((await answer(request, answered("neither"))).text).toMatch(/this was not done/i);
  });
});

describe("the built-in planner with a question of its own", () => {
  const asked = (question: string, answered: string) =>
    scratchpad(["ask_user", { question, options: [] }, { answer: answered }]);

  it("says what kind of answer a question has", async () => {
    expect(await next("delete it")).toMatchObject({ action: { tool: "ask_user" }, asks: "meaning" });
    expect(await next("remind me tomorrow at 10")).toMatchObject({ asks: "words" });
    expect(await next("she lives in Ghent now, remember that")).toMatchObject({ asks: "person" });
  });

  const newQuestion = { action: { tool: "memory_search", args: { query: "tickets" } } };

  it("leaves a question by its kind, whatever its words are", async () => {
    const entries = asked("Which thing?", "how much are the tickets");
    expect(await next("delete it", entries)).not.toMatchObject(newQuestion);
    const ofKind = entries.map((entry) => ({ ...entry, asks: "meaning" as const }));
    expect(await next("delete it", ofKind)).toMatchObject(newQuestion);
  });

  it("tells the kind of a question of an earlier version by its words", async () => {
    const entries = asked("What do you mean by “it”?", "how much are the tickets");
    expect(await next("delete it", entries)).toMatchObject(newQuestion);
  });
});
