import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FunctionDetail } from "@metahuman/core/contract/answers";
import { RunPage } from "@metahuman/core/contract/http";
import { createCode, LONGEST, WORD } from "../support/code-samples.ts";
import { act, finish, openModelStage, play } from "../support/model-stage.ts";
import type { ModelStage } from "../support/model-stage.ts";

// What functions must not be used for, and what is left when a process dies under one.

let stage: ModelStage;
beforeAll(async () => {
  stage = await openModelStage();
});
beforeEach(() => stage.set());
afterAll(() => stage.close());

const PATHS = ["../../escape", "..", "/etc/passwd", "a/b", "a\\b", "C:\\x", "a\u0000b", "%2e%2e%2fescape"];

describe("a name that tries to be a path", () => {
  it.each(PATHS)("%j is refused over HTTP and to the operator, and nothing is written", async (name) => {
    const before = await readdir(stage.profile, { recursive: true });
    const draft = { description: "x", code: LONGEST.source, parameters: [WORD], tests: LONGEST.tests };
    const answers = await Promise.all([
      stage.owner.post("/api/functions", { name, title: "x", summary: "x", steps: ["x"], skillsUsed: [] }),
      stage.owner.post("/api/functions/curate", { userRequest: "x", functionName: name, draft }),
      stage.owner.post(`/api/functions/${encodeURIComponent(name)}/run`, { parameters: {} }),
      stage.owner.get(`/api/functions/${encodeURIComponent(name)}`),
    ]);
    for (const { status } of answers) expect([400, 404, 422]).toContain(status);

    const plan = [
      act("function_register", { name, ...draft }),
      act("function_run", { id: name }),
      act("function_load", { id: name }),
      finish,
    ];
    await stage.set({ answer: play(plan) });
    const { scratchpad } = await stage.ask("keep this for later somehow");
    const codes = scratchpad.slice(0, 3).map(({ observation }) => observation?.error?.code);
    expect(codes).toEqual(["INVALID_ARGS", "INVALID_ARGS", "INVALID_ARGS"]);
    const written = (await readdir(stage.profile, { recursive: true })).filter(
      (path) => !before.includes(path),
    );
    expect(written.filter((path) => path.startsWith("memory/functions"))).toEqual([]);
  });
});

describe("grants", () => {
  it("of a function that serves are not widened by registering it anew: that waits for a person", async () => {
    const { id, name } = await createCode(stage.owner, "not-widened");
    await stage.owner.post("/api/functions/promote", { id });
    const wider = {
      name,
      description: "The same, and more.",
      code: `${LONGEST.source}\nexport const more = async () => skills.fs_delete({ path: "out" });`,
      parameters: [WORD],
      tests: LONGEST.tests,
      grants: ["fs_delete", "secret:TOKEN"],
    };
    await stage.set({ answer: play([act("function_register", wider), finish]) });
    await stage.ask("make that function do more somehow");
    const live = FunctionDetail.parse((await stage.owner.get(`/api/functions/${id}`)).body).function;
    expect(live).toMatchObject({
      version: 1,
      trust: "verified",
      code: { grants: [], source: LONGEST.source },
    });
  });
});

describe("a server killed while a function runs", () => {
  it("does not run it again by itself, and says that its outcome is unknown", async () => {
    const { id } = await createCode(
      stage.owner,
      "killed-midway",
      {
        source: `export async function main({ name }: { name: string }) {
  await skills.fs_append({ path: "killed.md", text: name });
  for (;;);
}`,
        grants: ["fs_append"],
      },
      {
        parameters: [{ name: "name", type: "string", description: "A name", required: true }],
        skillsUsed: ["fs_append"],
      },
    );
    const asked = stage.owner.post(`/api/functions/${id}/run`, { parameters: { name: "once" } }).then(
      ({ status }) => status,
      () => "cut off",
    );
    const written = () => readFile(join(stage.profile, "out/killed.md"), "utf8").catch(() => "");
    await expect.poll(written, { timeout: 30_000, interval: 50 }).toContain("once");
    await stage.restart("SIGKILL");
    expect(await asked).toBe("cut off");

    const [run] = RunPage.parse((await stage.owner.get("/api/runs?limit=1")).body).items;
    const runId = run?.id ?? "";
    const status = async () => (await stage.run(runId)).status;
    await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe("interrupted");
    await stage.owner.post(`/api/runs/${runId}/resume`);
    await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe("ended");
    expect((await stage.run(runId)).scratchpad[0]?.observation).toMatchObject({
      success: false,
      error: { code: "OUTCOME_UNKNOWN" },
    });
    expect((await written()).split("once")).toHaveLength(2);
  });
});
