import { describe, expect, it } from "vitest";
import { answer, failure, nextAction, scratchpad, written } from "./built-in/testing/steps.ts";

describe("the built-in planner, when a step fails", () => {
  it("uses a free name instead of a name that it invented, but not instead of a given one", async () => {
    const taken = failure("ALREADY_EXISTS", "out/sandwich.txt already exists.", ["out/sandwich-2.txt"]);
    const invented = scratchpad(["fs_write", { path: "sandwich.txt", content: "" }, taken]);
    expect(await nextAction("make sandwich file", invented)).toEqual({
      tool: "fs_write",
      args: { path: "out/sandwich-2.txt", content: "" },
    });
    const end = await answer("make sandwich file", [
      ...invented,
      ...scratchpad(["fs_write", { path: "out/sandwich-2.txt", content: "" }, written("out/sandwich-2.txt")]),
    ]);
    expect(end.text).toBe(
      "Created out/sandwich-2.txt (empty). out/sandwich.txt already exists and was not changed.",
    );
    const given = scratchpad(["fs_write", { path: "sandwich.txt", content: "" }, taken]);
    expect((await answer("create a file called sandwich.txt", given)).text).toMatch(
      /already exists.*sandwich-2/s,
    );
  });

  it("answers with similar names instead of acting on them", async () => {
    const missing = failure("FILE_NOT_FOUND", "There is no notes/tody.md.", ["out/notes/today.md"]);
    const end = await answer(
      "delete notes/tody.md",
      scratchpad(["fs_delete", { path: "notes/tody.md" }, missing]),
    );
    expect(end.text).toContain("There is no notes/tody.md.");
    expect(end.text).toContain("out/notes/today.md");
    expect(end.outcome).toBe("stuck");
  });

  it("passes on suggestions for people, and not those for planners", async () => {
    const request = "read a.md and b.md";
    const missing = (path: string, ...suggestions: string[]) =>
      ["fs_read", { path }, failure("FILE_NOT_FOUND", `There is no ${path}.`, suggestions)] as const;
    const hints = ["out/c.md", "Leave the folder out.", "List what is there with fs_list."];
    const end = await answer(
      request,
      scratchpad(missing("a.md", "Files end in .md."), missing("b.md", ...hints)),
    );
    expect(end.text).toContain("Files end in .md.");
    expect(end.text).toContain("out/c.md");
    expect(end.text).not.toMatch(/fs_list|Leave the folder out/);
  });

  it("offers to list the files if none has a similar name", async () => {
    const missing = failure("FILE_NOT_FOUND", "There is no zebra.md.");
    const end = await answer("read zebra.md", scratchpad(["fs_read", { path: "zebra.md" }, missing]));
    expect(end.suggestions).toEqual(["list my files"]);
  });

  it("takes the only file of a bare name", async () => {
    const missing = {
      ...failure("FILE_NOT_FOUND", "There is no a.md.", ["out/x/a.md", "out/x/aa.md"]),
      context: { path: "out/a.md" },
    };
    const copy = ["fs_copy", { from: "a.md", to: "b.md" }, missing] as const;
    expect((await nextAction("copy a.md to b.md", scratchpad(copy))).args).toEqual({
      from: "out/x/a.md",
      to: "b.md",
    });
    const remove = ["fs_delete", { path: "a.md" }, missing] as const;
    expect((await nextAction("delete a.md", scratchpad(remove))).tool).toBe("ask_user");
  });

  it("names a similar file for requests beyond reading", async () => {
    const missing = {
      ...failure("FILE_NOT_FOUND", "There is no a.md.", ["out/x/aa.md"]),
      context: { path: "out/a.md" },
    };
    const end = await answer(
      "copy a.md to b.md",
      scratchpad(["fs_copy", { from: "a.md", to: "b.md" }, missing]),
    );
    expect(end.text).toContain("copy out/x/aa.md to b.md");
    expect(end.text).not.toContain("Say “read");
  });

  it("reports that a person refused, and why", async () => {
    const answerFor = async (context: Record<string, unknown>) => {
      const denied = { ...failure("APPROVAL_DENIED", "The person denied this call."), context };
      const call = ["fs_delete", { path: "notes/today.md" }, denied] as const;
      return (await answer("delete notes/today.md", scratchpad(call))).text;
    };
    expect(await answerFor({ isDecided: true, reason: "still needed" })).toBe(
      "Not done: “delete notes/today.md”. You denied this: still needed",
    );
    expect(await answerFor({ isDecided: true })).toBe("Not done: “delete notes/today.md”. You denied this.");
  });

  it("omits later changes, and names them", async () => {
    const request = "copy a.md to b.md, then delete a.md and list my tasks";
    const copy = { from: "a.md", to: "b.md" };
    const read = ["fs_copy", copy, failure("FILE_NOT_FOUND", "There is no a.md.")] as const;
    expect(await nextAction(request, scratchpad(read))).toEqual({ tool: "task_list", args: {} });
    const end = await answer(request, scratchpad(read, ["task_list", {}, { tasks: [], total: 0 }]));
    expect(end.text).toContain("No tasks.");
    expect(end.text).toMatch(/Not done: “copy a.md to b.md”.*There is no a.md/s);
    expect(end.text).toMatch(/Skipped after that: “delete a.md”/);
  });

  it("continues with the other items of a clause", async () => {
    const first = ["fs_delete", { path: "a.md" }, failure("FILE_NOT_FOUND", "There is no a.md.")] as const;
    expect((await nextAction("delete a.md and b.md", scratchpad(first))).args).toEqual({ path: "b.md" });
  });

  it("does not use a part of a file instead of the whole", async () => {
    const part = [
      "fs_read",
      { path: "big.md" },
      { path: "out/big.md", content: "x", bytes: 9_000_000, truncated: true },
    ] as const;
    const end = await answer("write the contents of big.md to b.md", scratchpad(part));
    expect(end.text).toMatch(/only a part/i);
  });

  it("does not repeat what may have happened already", async () => {
    const unknown = failure("OUTCOME_UNKNOWN", "It is not known whether this was done.");
    const end = await answer(
      'append "x" to log.md',
      scratchpad(["fs_append", { text: "x", path: "log.md" }, unknown]),
    );
    expect(end.outcome).toBe("stuck");
    expect(end.text).toMatch(/not known/);
  });

  it("uses another name for no other reason", async () => {
    const denied = failure("PERMISSION_DENIED", "out/ may not be written.", ["inbox/sandwich.txt"]);
    const end = await answer(
      "make sandwich file",
      scratchpad(["fs_write", { path: "sandwich.txt", content: "" }, denied]),
    );
    expect(end.text).toContain("out/ may not be written.");
  });

  it("gives up after a few names that are all in use", async () => {
    const taken = (path: string, free: string) =>
      [
        "fs_write",
        { path, content: "" },
        failure("ALREADY_EXISTS", `${path} already exists.`, [free]),
      ] as const;
    const end = await answer(
      "make pizza file",
      scratchpad(taken("pizza.txt", "p2"), taken("p2", "p3"), taken("p3", "p4"), taken("p4", "p5")),
    );
    expect(end.text).toContain("already exists");
  });
});
