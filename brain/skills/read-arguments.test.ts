import { describe, expect, it } from "vitest";
import { z } from "zod";
import { CodeDraft } from "@metahuman/core/contract/curation";
import { defineSkill } from "./define-skill.ts";
import { installedSkills } from "./installed.ts";
import { dateArgument } from "./read-arguments.ts";

const skill = (input: z.ZodObject) =>
  defineSkill({
    id: "try_it",
    summary: "Try it",
    category: "system",
    input,
    output: z.strictObject({}),
    effects: "read",
    risk: "low",
    phrases: [],
    narrate: () => "",
    run: async () => ({}),
  });

const list = skill(
  z.strictObject({
    path: z.string(),
    query: z.string().optional(),
    limit: z.int().max(50).default(10),
    ratio: z.number().optional(),
    all: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    status: z.enum(["todo", "in_progress", "done"]).optional(),
    priority: z.enum(["P0", "P1"]).optional(),
    due: dateArgument({ last: true }).nullable().optional(),
  }),
);

describe("the values of a function beside its id", () => {
  const run = skill(
    z.strictObject({
      id: z.string(),
      parameters: z.record(z.string(), z.unknown()).default({}).meta({ gathers: true }),
    }),
  );

  it.each([
    [
      { id: "sign-up", name: "Ola", day: "friday" },
      { name: "Ola", day: "friday" },
    ],
    [{ function: "sign-up", parameters: { name: "Ola" } }, { name: "Ola" }],
    [{ functionId: "sign-up", args: { name: "Ola" } }, { name: "Ola" }],
    [{ id: "sign-up" }, {}],
  ])("are its parameters: %j", (given, parameters) => {
    expect(run.parse(given)).toEqual({ id: "sign-up", parameters });
  });

  it("stay unknown inputs where parameters are given", () => {
    expect(() => run.parse({ id: "sign-up", name: "Ola", parameters: { day: "friday" } })).toThrow(
      /name is not an input/u,
    );
  });
});

describe("arguments as models write them", () => {
  it.each<[string, object, object]>([
    ["a number in quotes", { limit: "5", ratio: "0.5" }, { limit: 5, ratio: 0.5 }],
    ["a truth value in quotes", { all: "True" }, { all: true }],
    ["one text for a list", { tags: "home" }, { tags: ["home"] }],
    ["a list written as text", { tags: '["home", "car"]' }, { tags: ["home", "car"] }],
    ["null for an argument that may be missing", { query: null, tags: null }, {}],
    ["null where it means something", { due: null }, { due: null }],
    [
      "an enum value in other spelling",
      { status: "In Progress", priority: "p1" },
      { status: "in_progress", priority: "P1" },
    ],
    ["another usual word for an enum value", { status: "completed" }, { status: "done" }],
    ["a word for a priority", { priority: "high" }, { priority: "P1" }],
    ["the usual encoding, which all text has", { encoding: "utf-8" }, {}],
    ["a reason for the call, which is no input", { explanation: "I need the list" }, {}],
    ["a week named as a whole", { due: "next week" }, { due: "2026-11-29" }],
  ])("accepts %s", (_what, given, expected) => {
    const asked = {
      now: new Date("2026-11-20T09:30:00Z"),
      timeZone: "Europe/Oslo",
      locale: "en-GB",
      mentions: () => false,
    };
    expect(list.parse({ path: "a", ...given }, asked)).toEqual({ path: "a", limit: 10, ...expected });
  });

  it.each(["file", "filename", "file_path", "Path"])("accepts %s for path", (name) => {
    expect(list.parse({ [name]: "a.md" })).toMatchObject({ path: "a.md" });
  });

  it.each([
    ["git_status", { repo: "tally" }, { path: "tally" }],
    ["shell_safe", { command: "npm test", path: "tally" }, { argv: "npm test", cwd: "tally" }],
    ["shell_safe", { cmd: ["npm", "test"], cwd: "tally" }, { argv: ["npm", "test"], cwd: "tally" }],
  ])("accepts usual words for the arguments of %s: %j", (id, given, expected) => {
    const one = installedSkills.find((installed) => installed.id === id);
    expect(one?.parse(given)).toMatchObject(expected);
  });

  it("joins a date and a time for the one argument that takes both", () => {
    const once = skill(z.strictObject({ text: z.string(), when: z.string() }));
    expect(once.parse({ message: "Call Ida", date: "2026-11-28", time: "08:00" })).toEqual({
      text: "Call Ida",
      when: "2026-11-28 08:00",
    });
    expect(once.parse({ text: "Call Ida", time: "tomorrow at 8" })).toEqual({
      text: "Call Ida",
      when: "tomorrow at 8",
    });
    expect(() => once.parse({ text: "Call Ida", date: "tomorrow" })).toThrow("did you mean when?");
  });

  it("joins a day under another name of the argument with a time apart", () => {
    const task = skill(z.strictObject({ title: z.string(), due: dateArgument({ last: true }).optional() }));
    const asked = {
      now: new Date("2026-11-20T09:30:00Z"),
      timeZone: "Europe/Oslo",
      locale: "en-GB",
      mentions: () => false,
    };
    const expected = { title: "Phone the organ tuner", due: "2026-11-26T09:30:00.000Z" };
    for (const day of ["due_date", "dueDate", "due", "deadline"])
      expect(task.parse({ task: expected.title, [day]: "2026-11-26", time: "10:30" }, asked)).toEqual(
        expected,
      );
    // A second time would be a second answer to when.
    expect(() => task.parse({ title: "a", due: "2026-11-26T09:00", time: "10:30" }, asked)).toThrow(
      "time is not an input",
    );
  });

  it("reads the name of a task as its title, and as the task that is meant beside a title", () => {
    const create = skill(z.strictObject({ title: z.string(), description: z.string().optional() }));
    expect(create.parse({ task: "Buy milk" })).toEqual({ title: "Buy milk" });
    const update = skill(z.strictObject({ id: z.string(), title: z.string().optional() }));
    expect(update.parse({ task: "Buy milk", title: "Buy oat milk" })).toEqual({
      id: "Buy milk",
      title: "Buy oat milk",
    });
    expect(() => update.parse({ task: "Buy milk" })).toThrow("did you mean id?");
  });

  it.each(["delete", "remove_line", "deleteLine", "delete_row"])(
    "reads the action %s as remove",
    (action) => {
      const change = skill(z.strictObject({ action: z.enum(["set", "remove"]) }));
      expect(change.parse({ action })).toEqual({ action: "remove" });
    },
  );

  it("accepts search and replace for the words of an edit", () => {
    const edit = skill(z.strictObject({ find: z.string(), text: z.string() }));
    expect(edit.parse({ search: "a", replace: "b" })).toEqual({ find: "a", text: "b" });
  });

  it("accepts choices for the options of a question, and a formula to calculate", () => {
    const ask = skill(z.strictObject({ question: z.string(), options: z.array(z.string()).default([]) }));
    const asked = { question: "Which one?", options: ["Red", "Blue"] };
    expect(ask.parse({ question: "Which one?", choices: ["Red", "Blue"] })).toEqual(asked);
    expect(ask.parse({ prompt: "Which one?", answers: ["Red", "Blue"] })).toEqual(asked);
    const calculate = skill(z.strictObject({ expression: z.string() }));
    expect(calculate.parse({ formula: "2 * 3" })).toEqual({ expression: "2 * 3" });
  });

  it("accepts no other name for a given argument, or for two at once", () => {
    expect(() => list.parse({ path: "a.md", file: "b.md" })).toThrow("file is not an input");
    expect(() => list.parse({ file: "a.md", filename: "b.md" })).toThrow("path is missing");
  });

  it("accepts arguments that ask for what the skill does anyway, and keeps others", () => {
    const write = skill(z.strictObject({ path: z.string(), content: z.string() }));
    const text = { path: "a.md", content: "x" };
    expect(write.parse({ ...text, create: true, create_dirs: "true", mkdir: true })).toEqual(text);
    expect(() => write.parse({ ...text, create: false })).toThrow("create is not an input");
    expect(() => write.parse({ ...text, append: true })).toThrow("append is not an input");
    const code = skill(z.strictObject({ code: z.string() }));
    expect(code.parse({ code: "1", language: "TypeScript" })).toEqual({ code: "1" });
    expect(() => code.parse({ code: "1", language: "python" })).toThrow("language is not an input");
    const titled = skill(z.strictObject({ title: z.string() }));
    expect(() => titled.parse({ title: "x", create: true })).toThrow("create is not an input");
    const reasoned = skill(z.strictObject({ reasoning: z.string() }));
    expect(reasoned.parse({ reasoning: "kept" })).toEqual({ reasoning: "kept" });
  });

  it("keeps another encoding as an unknown argument, and asks for one call for each of several texts", () => {
    expect(() => list.parse({ path: "a.md", encoding: "latin1" })).toThrow("encoding is not an input");
    expect(() => list.parse({ path: ["a.md", "b.md"] })).toThrow(
      expect.objectContaining({ suggestions: ["Make one call for each of them."] }),
    );
  });

  it("stays the same when its result is parsed again", () => {
    const once = list.parse({ file: "a.md", limit: "5", due: "2026-12-24" });
    expect(list.parse(once)).toEqual(once);
  });

  it("states the limits that a refused value exceeds", () => {
    expect(() => list.parse({ path: "a", limit: "500" })).toThrow("limit: must be at most 50");
    expect(() => list.parse({ path: "a", status: "perhaps" })).toThrow(
      "status must be one of todo, in_progress, done",
    );
  });

  it("names the days that words of another language may mean", () => {
    const asked = {
      now: new Date("2026-11-18T09:30:00Z"),
      timeZone: "Europe/Oslo",
      locale: "de-DE",
      mentions: () => false,
    };
    expect(() => list.parse({ path: "a", due: "nächsten Freitag" }, asked)).toThrow(
      "due may mean 2026-11-20 or 2026-11-27: it must be a day like 2026-11-24; today is 2026-11-18",
    );
    expect(list.parse({ path: "a", due: "übermorgen" }, asked)).toMatchObject({ due: "2026-11-20" });
  });

  it("writes the name of a function in kebab-case", () => {
    const register = skill(CodeDraft);
    const code = { description: "Adds", code: "export const main = () => 1;", tests: "" };
    expect(register.parse({ ...code, name: "Weekly Report_v2" })).toMatchObject({ name: "weekly-report-v2" });
    expect(register.parse({ ...code, name: "addUp" })).toMatchObject({ name: "add-up" });
    expect(() => register.parse({ ...code, name: "!!!" })).toThrow("lower-case letters, digits and hyphens");
  });
});
