import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FunctionAnswer, FunctionPage } from "@metahuman/core/contract/answers";
import { disposeAfterAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { createOwnedHome, startServerHere, startTestServer } from "../support/server.ts";

// Functions that were verified under older rules are verified again once, even if the process is killed.

const COUNT = 6;
const { kept } = disposeAfterAll();

/** A recipe with enough examples that verifying it takes some time. */
const recipe = (number: number) => ({
  title: `Copy number ${number}`,
  summary: "Copies a file.",
  steps: ["Read it", "Write it"],
  skillsUsed: ["fs_read", "fs_write"],
  kind: "recipe",
  parameters: [{ name: "path", type: "path", description: "The file", required: true }],
  examples: ["a", "b"].map((name) => ({
    prompt: `copy out/${name}.md as ${number}`,
    parameters: { path: `out/${name}.md` },
    resultPath: `out/copy-${number}.md`,
    fixture: {
      paths: [
        { path: `out/${name}.md`, kind: "file", content: "One two three." },
        { path: `out/copy-${number}.md`, kind: "absent" },
      ],
      tasks: [],
      memories: [],
      at: "2026-11-20T08:00:00.000Z",
    },
  })),
  recipe: {
    promptTemplates: [`copy {path} as ${number}`],
    actions: [
      { skill: "fs_read", args: { path: "${path}" }, expect: [] },
      {
        skill: "fs_write",
        args: { path: `out/copy-${number}.md`, content: "${steps.1.content}" },
        expect: [],
      },
    ],
  },
});

async function fileOfEach(home: string): Promise<string[]> {
  const root = join(home, "profiles/ada/memory/functions");
  const entries = await readdir(root, { recursive: true });
  return entries.filter((path) => /^\d{4}\/function-.*\.json$/.test(path)).map((path) => join(root, path));
}

const pageOf = async (owner: Client) =>
  FunctionPage.parse((await owner.get("/api/functions?limit=200")).body);

it(
  "continues after a kill, loses nothing, and makes a draft of what no longer passes",
  { timeout: 90_000 },
  async () => {
    const { home, session } = await createOwnedHome();
    kept({ dispose: () => rm(home, { recursive: true, force: true }) });
    const first = await startServerHere({ home });
    const owner = session.at(first.url);
    const ids: string[] = [];
    for (let number = 1; number <= COUNT; number += 1) {
      const { id } = FunctionAnswer.parse((await owner.post("/api/functions", recipe(number))).body).function;
      expect((await owner.post("/api/functions/promote", { id })).status).toBe(200);
      ids.push(id);
    }
    await first.dispose();

    // Functions as an older version left them: the last one with a missing result.
    const paths = await fileOfEach(home);
    expect(paths).toHaveLength(COUNT);
    for (const path of paths) {
      const old = (await readFile(path, "utf8")).replaceAll(/"rules": ?\d+/g, '"rules": 1');
      await writeFile(
        path,
        old.replaceAll(`"resultPath": "out/copy-${COUNT}.md"`, '"resultPath": "out/gone.md"'),
      );
    }

    const killed = kept(await startTestServer({ home }));
    const progress = async () => (await pageOf(owner.at(killed.url))).reverification?.checked ?? 0;
    await expect.poll(progress, { timeout: 30_000, interval: 20 }).toBeGreaterThanOrEqual(1);
    await killed.end("SIGKILL");
    const rulesNow = await Promise.all(
      paths.map(async (path) => /"rules": ?(\d+)/.exec(await readFile(path, "utf8"))?.[1]),
    );
    const left = rulesNow.filter((rules) => rules === "1").length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(COUNT);

    const { out } = await mh(home, ["functions", "list"]);
    expect(out).toContain(`Verified under older, less strict rules: ${left}.`);

    const again = kept(await startServerHere({ home }));
    const reverified = async () => (await pageOf(owner.at(again.url))).reverification;
    await expect
      .poll(reverified, { timeout: 60_000 })
      .toMatchObject({ status: "done", total: left, checked: left, inconclusive: [] });
    const { items, reverification } = await pageOf(owner.at(again.url));
    expect(items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const drafts = items.filter(({ trust }) => trust === "draft");
    expect(drafts).toMatchObject([
      { title: `Copy number ${COUNT}`, statusReason: expect.stringContaining("out/gone.md does not exist") },
    ]);
    expect(items.every(({ examples }) => examples.length === 2)).toBe(true);
    expect(reverification?.demoted.length).toBeLessThanOrEqual(1);
  },
);
