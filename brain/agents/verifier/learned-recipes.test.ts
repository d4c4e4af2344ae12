import { readFileSync } from "node:fs";
import type { FixturePath, FunctionContent, FunctionFixture } from "@metahuman/core/contract/function";
import type { Task } from "@metahuman/core/contract/task";
import { generalizeRun } from "@metahuman/core/functions/learning/generalize-run";
import type { MadeCall } from "@metahuman/core/functions/learning/learnable-run";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import { installedSkills } from "@metahuman/skills/installed";
import { expect, it } from "vitest";
import { z } from "zod";
import { factsAbout } from "../learner/should-learn.ts";
import { createVerifier } from "./verifier.ts";
import { openScratchEnvironment } from "./scratch-environment.ts";
import { callInScratch, isContained } from "./scratch-call.ts";

// Recipes learned from correct runs pass verification with every variation.

const Values = z.record(z.string(), z.unknown());
const Case = z.object({
  name: z.string(),
  request: z.string(),
  calls: z.array(z.object({ skill: z.string(), args: Values, outputs: Values })),
  expect: z.enum(["recipe", "composed", "guide", "nothing"]),
});
type Case = z.infer<typeof Case>;

const honest = z
  .array(Case)
  .parse(
    JSON.parse(
      readFileSync(new URL("../../../tests/fixtures/learning/honest.json", import.meta.url), "utf8"),
    ),
  )
  .filter(({ expect: wanted }) => wanted === "recipe");

const NOW = new Date("2026-11-22T09:00:00.000Z");
const REGION = { timeZone: "UTC", locale: "en-GB" };
const TASK: Task = {
  id: "task-20261120T080000000Z-call-mum",
  title: "call mum",
  description: "",
  status: "todo",
  priority: "P2",
  tags: [],
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
};
const embedder = createBuiltInEmbedder();
const skillOf = (id: string) => installedSkills.find((skill) => skill.id === id);

/** The files that the run needs: those it read, moved, deleted or changed without creating them. */
function stateBefore({ calls }: Case): FunctionFixture {
  const places = new Map<string, FixturePath>();
  const rooted = (path: unknown): string =>
    /^(?:out|inbox)(?:\/|$)/.test(String(path)) ? String(path) : `out/${String(path)}`;
  const add = (path: unknown, content: string | undefined): void => {
    const place = rooted(path);
    if (places.has(place)) return;
    places.set(
      place,
      content === undefined ? { path: place, kind: "absent" } : { path: place, kind: "file", content },
    );
  };
  for (const { skill, args, outputs } of calls) {
    const text = typeof outputs["content"] === "string" ? outputs["content"] : "Some text.";
    if (skill === "fs_read" || skill === "summarize_file" || skill === "fs_delete") add(args["path"], text);
    if (skill === "fs_move") {
      add(args["from"], text);
      add(args["to"], undefined);
    }
    if (skill === "json_update") add(args["path"], '{"theme":"light","port":3000}');
    if (skill === "fs_append") add(args["path"], outputs["created"] === false ? "Before." : undefined);
    if (skill === "fs_write") add(args["path"], args["overwrite"] === true ? "Before." : undefined);
    if (skill === "fs_list")
      for (const entry of z.array(z.object({ path: z.string() })).parse(outputs["entries"] ?? []))
        if (!places.has(entry.path) && calls.some((call) => call.args["path"] === entry.path))
          add(
            entry.path,
            String(calls.find((call) => call.outputs["path"] === entry.path)?.outputs["content"]),
          );
  }
  return { paths: [...places.values()], tasks: [TASK], memories: [], at: NOW.toISOString(), ...REGION };
}

/** The run with the real outputs of the skills that can be called in a scratch environment. */
async function carriedOut(one: Case, fixture: FunctionFixture): Promise<MadeCall[]> {
  if (!one.calls.every(({ skill }) => ((found) => found !== undefined && isContained(found))(skillOf(skill))))
    return one.calls.map((call) => ({ ...call, success: true }));
  const scratch = await openScratchEnvironment({ fixture, usesMemory: true, embedder });
  try {
    const made: MadeCall[] = [];
    for (const [index, { skill: id, args: given }] of one.calls.entries()) {
      const skill = skillOf(id);
      if (!skill) throw new Error(`There is no skill ${id}.`);
      const isTask = typeof given["id"] === "string" && given["id"].startsWith("task-");
      let args = isTask ? { ...given, id: TASK.id } : given;
      const content = made.findLast((call) => typeof call.outputs["summary"] === "string")?.outputs[
        "summary"
      ];
      if (id === "fs_write" && content !== undefined) args = { ...args, content };
      const outputs = await callInScratch(skill, args, {
        step: index + 1,
        request: one.request,
        now: NOW,
        region: REGION,
        ports: scratch.ports,
        signal: AbortSignal.timeout(20_000),
      });
      made.push({ skill: id, args, success: true, outputs });
    }
    return made;
  } finally {
    await scratch.close();
  }
}

async function failuresOf(one: Case): Promise<string[]> {
  const factsOf = factsAbout(installedSkills);
  const fixture = stateBefore(one);
  const calls = await carriedOut(one, fixture);
  const learned = generalizeRun(
    { request: one.request, calls, now: NOW, timeZone: "UTC", explores: true, fixture },
    factsOf,
  );
  if (!learned?.isReplayable) return ["It is no recipe."];
  const { actions, parameters, example, promptTemplate } = learned;
  const content: FunctionContent = {
    name: "learned",
    title: one.name,
    summary: "",
    tags: [],
    steps: ["Do it."],
    skillsUsed: [...new Set(actions.map(({ skill }) => skill))],
    examples: [example],
    parameters,
    kind: "recipe",
    recipe: { promptTemplates: promptTemplate === undefined ? [] : [promptTemplate], actions },
  };
  const verifier = createVerifier({
    skill: skillOf,
    skills: () => installedSkills,
    embedder,
    clock: () => NOW,
    region: async () => REGION,
  });
  const { checks } = await verifier.verify(content);
  return checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail ?? ""}`);
}

it("of ten honest recipes at least nine pass", { timeout: 120_000 }, async () => {
  const failed: string[] = [];
  for (const one of honest) {
    const failures = await failuresOf(one);
    if (failures.length > 0) failed.push(`${one.name}: ${failures.join(" ")}`);
  }
  expect(honest.length).toBeGreaterThanOrEqual(25);
  expect(failed.length, failed.join("\n")).toBe(0);
});
