import { describe, expect, it } from "vitest";
import { findPatterns, type Interaction } from "./find-patterns.ts";
import { fitsTemplate } from "./template.ts";

let count = 0;
const asked = (request: string, ...skills: string[]): Interaction => {
  count += 1;
  return {
    kind: "request",
    id: `evt-20261120T${String(count).padStart(9, "0")}Z-x`,
    request,
    skills,
    at: "2026-11-20T09:00:00.000Z",
    context: {},
  };
};
const find = (interactions: Interaction[], threshold = 3) =>
  findPatterns(interactions, { threshold, signal: new AbortController().signal });

describe("findPatterns", () => {
  it("finds a repeated request with different words in one position", async () => {
    const [only, ...others] = await find([
      asked("make sandwich file", "fs_write"),
      asked("what is the weather"),
      asked("Make tea file", "fs_write"),
      asked("make shopping list file", "fs_write"),
    ]);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      text: "make {words} file",
      slots: [{ name: "words", kind: "words", values: ["sandwich", "tea", "shopping list"] }],
      skills: ["fs_write"],
    });
    expect(only?.members).toHaveLength(3);
  });

  it("recognizes quoted text, files, dates and numbers by form, and keeps constant parts", async () => {
    const [only] = await find([
      asked('append "two eggs" to log.md on 2026-11-01', "fs_append"),
      asked('append "milk" to log.md on 2026-11-02', "fs_append"),
      asked('append "bread, rye" to log.md on 2026-11-03', "fs_append"),
    ]);
    expect(only?.text).toBe("append {text} to log.md on {date}");
    expect(only?.slots.map(({ values }) => values.length)).toEqual([3, 3]);
  });

  it("separates requests with different skills, and requests that share only stop words", async () => {
    expect(
      await find([
        asked("list my tasks", "task_list"),
        asked("list my files", "fs_list"),
        asked("list my notes", "fs_list"),
        asked("is it in the house"),
        asked("is it in the garden"),
        asked("is it in the car"),
      ]),
    ).toEqual([]);
  });

  it("finds a request that is repeated word for word and never led to a call, from two content words on", async () => {
    const again = (request: string) => Array.from({ length: 4 }, () => asked(request));
    const found = await find([
      ...again("create user login"),
      ...again("water plants"),
      ...again("what is the weather"),
    ]);
    expect(found.map(({ text, members }) => [text, members.length])).toEqual([
      ["create user login", 4],
      ["water plants", 4],
    ]);
  });

  it("finds repeated observations apart from requests", async () => {
    const noted = (request: string): Interaction => ({ ...asked(request), kind: "observation" });
    const found = await find([
      noted("slept badly after coffee"),
      noted("slept badly after wine"),
      noted("slept badly after coffee"),
      asked("slept badly after tea"),
    ]);
    expect(found).toMatchObject([{ kind: "observation", text: "slept badly after {words}" }]);
    expect(found[0]?.members).toHaveLength(3);
  });

  it("requires as many occurrences as the threshold", async () => {
    const twice = [asked("make tea file", "fs_write"), asked("make coffee file", "fs_write")];
    expect(await find(twice, 3)).toEqual([]);
    expect(await find(twice, 2)).toHaveLength(1);
  });

  it("returns the same patterns for the same interactions in any order", async () => {
    const all = ["a", "b", "c", "d"].flatMap((name) => [
      asked(`add a task to call ${name}`, "task_create"),
      asked(`read notes/${name}.md`, "fs_read"),
    ]);
    expect(await find([...all].reverse())).toEqual(await find(all));
    expect((await find(all)).map(({ text }) => text)).toEqual(["add a task to call {words}", "read {file}"]);
  });

  it("accepts other scripts, emoji and empty text", async () => {
    const [only] = await find([
      asked("напомни купить молоко", "task_create"),
      asked("напомни купить хлеб", "task_create"),
      asked("напомни купить 🍎", "task_create"),
      asked("", "task_create"),
      asked("🙂🙂", "task_create"),
    ]);
    expect(only?.text).toBe("напомни купить {words}");
  });

  it("stops when its signal is aborted", async () => {
    const many = Array.from({ length: 400 }, (_, index) => asked(`alpha${index} beta${index} gamma${index}`));
    const signal = AbortSignal.abort();
    await expect(findPatterns(many, { threshold: 3, signal })).rejects.toThrow();
  });
});

describe("fitsTemplate", () => {
  it("accepts only requests of the same form", () => {
    expect(fitsTemplate("make {words} file", "make soup file")).toBe(true);
    expect(fitsTemplate("append {text} to log.md on {date}", 'append "x" to log.md on 2026-12-01')).toBe(
      true,
    );
    expect(fitsTemplate("make {words} file", "make soup")).toBe(false);
    expect(fitsTemplate("make {words} file", "what did I eat yesterday")).toBe(false);
    expect(
      fitsTemplate(
        "make {words} file",
        `make ${"very ".repeat(30)}long speech about how a file is made, file`,
      ),
    ).toBe(false);
  });
});
