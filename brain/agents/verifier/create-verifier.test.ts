import type { FunctionContent } from "@metahuman/core/contract/function";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { installedSkills } from "@metahuman/skills/installed";
import { expect, it } from "vitest";
import { createVerifier } from "./create-verifier.ts";

const AT = "2026-11-22T11:30:00.000Z";

function verify(recipe: FunctionContent["recipe"], more: Partial<FunctionContent> = {}, timeZone = "UTC") {
  const skills = installedSkills;
  const verifier = createVerifier({
    skill: (id) => skills.find((skill) => skill.id === id),
    skills: () => skills,
    embedder: createBuiltInEmbedder(),
    clock: () => new Date(AT),
    region: async () => ({ timeZone, locale: "en-GB" }),
  });
  return verifier.verify({
    name: "tried",
    title: "Tried",
    summary: "",
    tags: [],
    steps: ["Do it."],
    skillsUsed: [],
    examples: [],
    parameters: [],
    kind: "recipe",
    ...(recipe && { recipe }),
    ...more,
  });
}

const failing = async (...args: Parameters<typeof verify>) =>
  (await verify(...args)).checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}: ${detail ?? ""}`);

const path = { name: "path", type: "path", description: "The file", required: true } as const;
const fixture = (...files: [path: string, content: string][]) => ({
  paths: files.map(([place, content]) => ({ path: place, kind: "file" as const, content })),
  tasks: [],
  memories: [],
  at: AT,
});

it("holds a path that is named without its root for the one that a skill gives", async () => {
  const problems = await failing(
    {
      promptTemplates: ["read ${path}"],
      actions: [
        {
          skill: "fs_read",
          args: { path: "${path}" },
          expect: [{ field: "path", is: "equals", value: "${path}" }],
        },
      ],
    },
    {
      parameters: [path],
      examples: [
        {
          prompt: "read settings.json",
          parameters: { path: "settings.json" },
          fixture: fixture(["out/settings.json", "{}"]),
        },
      ],
    },
  );
  expect(problems).toEqual([]);
});

it("takes ${today} as the day where the person is", async () => {
  const recipe = {
    promptTemplates: ["start a journal"],
    actions: [
      {
        skill: "fs_write",
        args: { path: "out/${today}.md", content: "" },
        expect: [{ field: "path", is: "equals" as const, value: "out/${today}.md" }],
      },
    ],
  };
  const example = (resultPath: string) => ({
    examples: [{ prompt: "start a journal", parameters: {}, resultPath, fixture: fixture() }],
  });
  expect(await failing(recipe, example("out/2026-11-23.md"), "Pacific/Auckland")).toEqual([]);
  expect(await failing(recipe, example("out/2026-11-22.md"), "America/New_York")).toEqual([]);
  const recorded = { ...fixture(), timeZone: "Pacific/Auckland", locale: "en-NZ" };
  const inAuckland = { prompt: "start a journal", parameters: {}, resultPath: "out/2026-11-23.md" };
  expect(
    await failing(recipe, { examples: [{ ...inAuckland, fixture: recorded }] }, "America/New_York"),
  ).toEqual([]);
});

it("decides nothing when the scratch environment cannot be created", async () => {
  const temporary = process.env["TMPDIR"];
  process.env["TMPDIR"] = "/dev/null/nowhere";
  const report = await verify(
    {
      promptTemplates: ["read ${path}"],
      actions: [{ skill: "fs_read", args: { path: "${path}" }, expect: [] }],
    },
    {
      parameters: [path],
      examples: [
        {
          prompt: "read settings.json",
          parameters: { path: "settings.json" },
          fixture: fixture(["out/settings.json", "{}"]),
        },
      ],
    },
  ).finally(() => {
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
  });
  expect(report.ok).toBe(false);
  expect(report.checks.filter(({ ok }) => !ok)).toMatchObject([
    { name: "replay of example 1", inconclusive: true },
  ]);
});

it("refuses a recipe that writes what the old file said whatever the new one says", async () => {
  const problems = await failing(
    {
      promptTemplates: ["summarize ${path}"],
      actions: [
        { skill: "fs_read", args: { path: "${path}" }, expect: [] },
        {
          skill: "fs_write",
          args: { path: "out/summary.md", content: "Epoxy arrives on Friday." },
          expect: [],
        },
      ],
    },
    {
      parameters: [path],
      examples: [
        {
          prompt: "summarize out/n1.md",
          parameters: { path: "out/n1.md" },
          fixture: fixture(["out/n1.md", "The shop says the epoxy will be here by the end of the week."]),
        },
      ],
    },
  );
  expect(problems).toEqual([
    "variation of example 1: Action 2 (fs_write) says “Epoxy arrives on Friday.” whatever action 1 reads.",
  ]);
});

it("lets a recipe pass that carries over what it reads, and one that writes what the person asked for", async () => {
  const example = {
    parameters: [path],
    examples: [
      {
        prompt: "read out/n1.md and write hello there to out/b.md",
        parameters: { path: "out/n1.md" },
        fixture: fixture(["out/n1.md", "One two three."]),
      },
    ],
  };
  for (const content of ["${steps.1.content}", "hello there"])
    expect(
      await failing(
        {
          promptTemplates: [],
          actions: [
            { skill: "fs_read", args: { path: "${path}" }, expect: [] },
            { skill: "fs_write", args: { path: "out/b.md", content }, expect: [] },
          ],
        },
        example,
      ),
    ).toEqual([]);
});
