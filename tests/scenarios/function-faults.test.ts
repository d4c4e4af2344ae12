import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OperatorPending, RunPage } from "@metahuman/core/contract/http";
import { createCode, functionNow, LONGEST, WORD } from "../support/code-samples.ts";
import { act, finish, openModelHarness, play, type ModelHarness } from "../support/model-harness.ts";
import { startWebServer } from "../support/web-server.ts";

// Misuse of functions, and the state after a process dies while one runs.

/** The value of TIDE_KEY in the server's environment. */
const SECRET = "moon-and-sun-93f1";

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness({ env: { TIDE_KEY: SECRET } });
});
beforeEach(() => harness.set());
afterAll(() => harness.close());

const PATHS = ["../../escape", "..", "/etc/passwd", "a/b", "a\\b", "C:\\x", "a\u0000b", "%2e%2e%2fescape"];

describe("a name that could be a path", () => {
  it.each(PATHS)("%j is refused over HTTP and to the operator, and nothing is written", async (name) => {
    const before = await readdir(harness.profile, { recursive: true });
    const draft = { description: "x", code: LONGEST.source, parameters: [WORD], tests: LONGEST.tests };
    const answers = await Promise.all([
      harness.owner.post("/api/functions", { name, title: "x", summary: "x", steps: ["x"], skillsUsed: [] }),
      harness.owner.post("/api/functions/curate", { userRequest: "x", functionName: name, draft }),
      harness.owner.post(`/api/functions/${encodeURIComponent(name)}/run`, { parameters: {} }),
      harness.owner.get(`/api/functions/${encodeURIComponent(name)}`),
    ]);
    for (const { status } of answers) expect([400, 404, 422]).toContain(status);

    const plan = [
      act("function_register", { name, ...draft }),
      act("function_run", { id: name }),
      act("function_load", { id: name }),
      finish,
    ];
    await harness.set({ answer: play(plan) });
    const { scratchpad } = await harness.ask("keep this for later somehow");
    const codes = scratchpad.slice(0, 3).map(({ observation }) => observation?.error?.code);
    // A function is found by its title, too, so any text may be asked for.
    expect(codes).toEqual(["INVALID_ARGS", "FUNCTION_NOT_FOUND", "FUNCTION_NOT_FOUND"]);
    const written = (await readdir(harness.profile, { recursive: true })).filter(
      (path) => !before.includes(path),
    );
    expect(written.filter((path) => path.startsWith("memory/functions"))).toEqual([]);
  });
});

describe("grants", () => {
  it("of a function in service are not extended by registering it again: that waits for a person", async () => {
    const { id, name } = await createCode(harness.owner, "not-widened");
    await harness.owner.post("/api/functions/promote", { id });
    const wider = {
      name,
      description: "The same, and more.",
      code: `${LONGEST.source}\nexport const more = async () => skills.fs_delete({ path: "out" });`,
      parameters: [WORD],
      tests: LONGEST.tests,
      grants: ["fs_delete", "secret:TOKEN"],
    };
    await harness.set({ answer: play([act("function_register", wider), finish]) });
    await harness.ask("make that function do more somehow");
    expect(await functionNow(harness.owner, id)).toMatchObject({
      version: 1,
      trust: "verified",
      code: { grants: [], source: LONGEST.source },
    });
  });
});

describe("a secret", () => {
  const asking = (grants: string[]) => ({
    source: `export async function main({ url }: { url: string }) {
  const headers = { authorization: "Bearer \${secret:TIDE_KEY}" };
  const { body } = await skills.http_get({ url, headers });
  console.log(body);
  return { body };
}`,
    tests: `fake("http_get", () => ({ status: 200, contentType: "text/plain", body: "high", finalUrl: "", bytes: 4, truncated: false }));
assert.deepEqual(await main({ url: "http://tide.example" }), { body: "high" });`,
    grants,
  });
  const more = {
    parameters: [{ name: "url", type: "string", description: "Where", required: true }],
    skillsUsed: ["http_get"],
  };

  it("is sent with the request of a function with a grant for it, once a person allows it, and is stored nowhere", async () => {
    const headers: (string | undefined)[] = [];
    const careless = await startWebServer(({ headers: { authorization } }, response) => {
      headers.push(authorization);
      response.setHeader("content-type", "text/plain").end(`you sent ${authorization ?? "nothing"}`);
    });
    const url = `http://${careless.host}/`;
    try {
      await harness.set({ etc: { skills: { network: { privateHosts: [careless.host] } } } });
      const { id } = await createCode(harness.owner, "tide", asking(["http_get", "secret:TIDE_KEY"]), more);
      expect((await harness.owner.post("/api/functions/promote", { id })).status).toBe(200);
      const started = await harness.owner.post(`/api/functions/${id}/run`, { parameters: { url } });
      expect([started.status, headers]).toEqual([202, []]);
      const { runId, pending } = OperatorPending.parse(started.body);
      const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
      await harness.owner.post(`/api/approvals/${approvalId}`, { decision: "once" });
      await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
      expect(headers).toEqual([`Bearer ${SECRET}`]);
      const { scratchpad } = await harness.run(runId);
      expect(scratchpad[0]?.observation?.outputs).toMatchObject({
        result: { body: "you sent Bearer ${secret:TIDE_KEY}" },
      });

      const exported = await harness.owner.raw("GET", "/api/export");
      const kept = [harness.server.output(), Buffer.from(await exported.arrayBuffer()).toString("latin1")];
      for (const file of await readdir(harness.home, { recursive: true, withFileTypes: true }))
        if (file.isFile()) kept.push(await readFile(join(file.parentPath, file.name), "latin1"));
      expect(kept.join("\n").includes("TIDE_KEY")).toBe(true);
      expect(kept.filter((text) => text.includes(SECRET))).toEqual([]);
    } finally {
      await careless.close();
    }
  });

  it("that the owner's list omits is refused to a function, whatever a person granted or allowed", async () => {
    const privateHosts = ["127.0.0.1:9"];
    await harness.set({ etc: { skills: { network: { privateHosts }, secrets: ["OTHER_KEY"] } } });
    const granted = asking(["http_get", "secret:TIDE_KEY"]);
    const { id } = await createCode(harness.owner, "unlisted-tide", granted, more);
    const parameters = { url: "http://127.0.0.1:9/" };
    const started = await harness.owner.post(`/api/functions/${id}/run`, { parameters });
    const { runId, pending } = OperatorPending.parse(started.body);
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    await harness.owner.post(`/api/approvals/${approvalId}`, { decision: "once" });
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
    const { scratchpad } = await harness.run(runId);
    expect(scratchpad[0]?.observation?.error?.message).toContain("TIDE_KEY is not in the list of secrets");
  });

  it("is missing for a function without a grant, and code that contains a secret is not saved", async () => {
    const { id } = await createCode(harness.owner, "no-tide", asking(["http_get"]), more);
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
    try {
      await harness.set({ etc: { skills: { network: { privateHosts: ["127.0.0.1:9"] } } } });
      const answer = await harness.owner.post(`/api/functions/${id}/run`, {
        parameters: { url: "http://127.0.0.1:9/" },
      });
      expect(JSON.stringify(answer.body)).not.toContain(SECRET);
      expect(answer.status).not.toBe(200);
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
    const code = { ...asking([]), language: "typescript", entry: "main" };
    const source = code.source.replace("${secret:TIDE_KEY}", SECRET);
    const refused = await harness.owner.post("/api/functions", {
      title: "Hold a secret",
      summary: "",
      steps: [],
      skillsUsed: [],
      code: { ...code, source },
    });
    expect(refused.status).toBe(422);
  });
});

describe("a server killed while a function runs", () => {
  it("does not run it again, and reports that its outcome is unknown", async () => {
    await harness.separate();
    const { id } = await createCode(
      harness.owner,
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
    const asked = harness.owner.post(`/api/functions/${id}/run`, { parameters: { name: "once" } }).then(
      ({ status }) => status,
      () => "cut off",
    );
    const written = () => readFile(join(harness.profile, "out/killed.md"), "utf8").catch(() => "");
    await expect.poll(written, { timeout: 30_000, interval: 50 }).toContain("once");
    await harness.kill();
    expect(await asked).toBe("cut off");

    const [run] = RunPage.parse((await harness.owner.get("/api/runs?limit=1")).body).items;
    const runId = run?.id ?? "";
    const status = async () => (await harness.run(runId)).status;
    await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe("interrupted");
    await harness.owner.post(`/api/runs/${runId}/resume`);
    await expect.poll(status, { timeout: 30_000, interval: 200 }).toBe("ended");
    expect((await harness.run(runId)).scratchpad[0]?.observation).toMatchObject({
      success: false,
      error: { code: "OUTCOME_UNKNOWN" },
    });
    expect((await written()).split("once")).toHaveLength(2);
  });
});
