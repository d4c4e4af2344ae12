import type { Phrase } from "@metahuman/core/language/grammar/phrase";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { answer, failure, next, nextAction, scratchpad } from "./built-in/testing/steps.ts";

/** After the look-up of memories about the statement. */
const noFile = (path: string) =>
  scratchpad(["fs_read", { path }, failure("FILE_NOT_FOUND", `There is nothing at out/${path}.`)]);
const nothingKnown = scratchpad([
  "memory_search",
  { query: "my dentist is Dr. Berg" },
  { results: [], total: 0 },
]);

describe("the built-in planner without a call to make", () => {
  it.each([
    "don't delete anything",
    "hello",
    "",
    "what can you do?",
    "asdf qwer",
    "write me a poem about rain",
  ])("answers %j without any step", async (request) => {
    const move = await next(request);
    expect(move).toMatchObject({ kind: "answer", style: "default" });
  });

  it.each(["yes", "yes please", "sure, do it"])("says that nothing was asked after “%s”", async (request) => {
    const move = await answer(request);
    expect(move.text).toBe("Nothing waits for an answer. What would you like to do?");
  });

  it("lists an example for each skill, and how to get a model", async () => {
    const { text } = await answer("what can you do?");
    const isListed = (phrase: string | Phrase): boolean =>
      typeof phrase === "string" || phrase.isUnlisted !== true;
    for (const { phrases, summary } of installedSkills)
      if (phrases.some(isListed)) expect(text).toContain(summary);
    expect(text).toContain("Ollama");
  });

  it("explains how on request", async () => {
    const { text } = await answer("how do I delete a file?");
    expect(text).toContain("delete notes/today.md");
    expect(text).not.toContain("List tasks");
  });

  it("reports that a poem needs a model, and how to get one", async () => {
    const { text } = await answer("write me a poem about rain");
    expect(text).toMatch(/needs a language model/);
    expect(text).toMatch(/Ollama.*Settings → Models/s);
  });

  it("reports what it understood, what it did not, and what would work", async () => {
    const { text, suggestions = [] } = await answer("list my tasks and bake a cake");
    expect(text).toContain("“bake a cake”");
    expect(text).toContain("Requests like these work");
    for (const offered of suggestions) expect(text).not.toContain(`- “${offered}”`);
  });

  it("asks whether to remember a statement, and lists nothing else", async () => {
    const { text, suggestions } = await answer("my dentist is Dr. Berg", nothingKnown);
    expect(text).toBe("Thank you. Nothing of this is stored yet. Should it be remembered?");
    expect(suggestions).toEqual(["remember that “my dentist is Dr. Berg”"]);
  });

  it.each(["", "…", "bake a cake", "append latest headlines to log.txt", "rename every txt file to md"])(
    "suggests only requests without invented names that change nothing: %s",
    async (asked) => {
      const { suggestions = [] } = await answer(asked, noFile("log.txt"));
      expect(suggestions).toHaveLength(3);
      for (const request of suggestions) {
        const { tool, args } = await nextAction(request);
        expect(installedSkills.find(({ id }) => id === tool)?.effects).toBe("read");
        expect(Object.values(args).filter((value) => typeof value === "string")).toEqual([]);
      }
    },
  );

  it("gives no example of a deletion unless one was meant, and never of the person's own file", async () => {
    const entry = { name: "fees.csv", path: "out/fees.csv", kind: "file", bytes: 5, modified: "2026-11-18" };
    const list = (path: string, ...entries: unknown[]) =>
      ["fs_list", { recursive: true, path }, { path, entries, total: entries.length }] as const;
    const listed = scratchpad(list("out", entry), list("inbox"));
    expect((await answer("get rid of that stuff", listed)).text).not.toContain("fees.csv");
    expect((await answer("rescue the cellar contents", listed)).text).not.toMatch(
      /“(?:delete|remove|forget)/u,
    );
    expect((await answer("sort notes.md nicely out", [...listed, ...noFile("notes.md")])).text).not.toMatch(
      /“(?:delete|remove|forget)/u,
    );
  });

  it("suggests what it understood and what it could remember first", async () => {
    expect((await answer("list my tasks and bake a cake")).suggestions?.[0]).toBe("list my tasks");
    expect((await answer("my dentist is Dr. Berg", nothingKnown)).suggestions?.[0]).toContain(
      "my dentist is Dr. Berg",
    );
  });

  it.each(["zeige meine Aufgaben", "покажи мои задачи", "¿dónde están mis archivos?"])(
    "reports that without a model only English is understood, for %j, and how to get a model",
    async (request) => {
      const { text } = await answer(request);
      expect(text).toContain("without a language model only English is understood");
      expect(text).toContain("Ollama");
    },
  );

  it.each([
    ["bake a cake", true],
    ["what can you do?", true],
    ["what time is it?", true],
    ["hello", false],
  ])("decides whether its answer to %j is worth remembering: %j", async (request, isIdle) => {
    expect(await answer(request)).toMatchObject({ isIdle });
  });

  it("states the day and the time", async () => {
    expect((await answer("what's the date today?")).text).toBe("It is Wednesday, 18 November 2026.");
    expect((await answer("what time is it?")).text).toMatch(
      /^It is \d\d:\d\d, Wednesday, 18 November 2026\.$/u,
    );
  });

  it("distinguishes quotation marks from the marks inside them", async () => {
    expect((await answer("frobnicate “the” thing")).text).toContain("‘frobnicate “the” thing’");
  });

  it("reports missing skills", async () => {
    const move = await next(
      "read notes/today.md",
      [],
      installedSkills.filter(({ id }) => id === "task_list"),
    );
    expect(move.kind).toBe("answer");
  });
});

describe("the built-in planner when a call is blocked", () => {
  it("offers to overwrite, or another name, as requests with exactly that meaning", async () => {
    const args = { path: "hello.txt", content: "hi" };
    const taken = {
      ...failure("ALREADY_EXISTS", "out/hello.txt already exists.", ["out/hello-2.txt"]),
      context: { path: "out/hello.txt", instead: [{ overwrite: true }] },
    };
    const request = 'create hello.txt with the text "hi"';
    const end = await answer(request, scratchpad(["fs_write", args, taken]));
    const [overwrite = "", other = ""] = end.suggestions ?? [];
    expect(other).not.toContain("table");
    expect(await next(overwrite)).toMatchObject({ action: { args: { ...args, overwrite: true } } });
    expect(await next(other)).toMatchObject({ action: { args: { ...args, path: "out/hello-2.txt" } } });
    expect(end.text).toContain(overwrite);
  });

  it("offers to remember a statement", async () => {
    const [keep = ""] = (await answer("my dentist is Dr. Berg", nothingKnown)).suggestions ?? [];
    expect(await next(keep)).toMatchObject({
      action: { tool: "memory_remember", args: { text: "my dentist is Dr. Berg" } },
    });
  });

  it("never shows names of arguments", async () => {
    const missing = {
      ...failure("FILE_NOT_FOUND", "There is nothing at out/settings.json."),
      context: { path: "out/settings.json", instead: [{ create: true }] },
    };
    const args = { path: "settings.json", set: "port = 8080" };
    const end = await answer("set port to 8080 in settings.json", scratchpad(["json_update", args, missing]));
    expect(end.text).not.toMatch(/create(?: to|:) true/u);
    expect(await next(end.suggestions?.[0] ?? "")).toMatchObject({
      action: { args: { ...args, create: true } },
    });
  });
});
