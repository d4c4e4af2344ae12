import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ApprovalPage, OperatorPending } from "@metahuman/core/contract/http";
import { harnessBeforeAll } from "../support/before-all.ts";
import { createCode, functionNow, LONGEST } from "../support/code-samples.ts";
import { act, finish, play, type ModelHarness } from "../support/model-harness.ts";
import { startWebServer } from "../support/web-server.ts";

// The approvals that a function needs before it runs, and which of its failures count against it.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const run = (id: string, parameters: object) =>
  harness.owner.post(`/api/functions/${id}/run`, { parameters });
const promote = async (id: string) => {
  const { status, body } = await harness.owner.post("/api/functions/promote", { id });
  if (status !== 200) throw new Error(JSON.stringify(body));
};
const times = async (count: number, once: (index: number) => Promise<unknown>) => {
  for (let index = 1; index <= count; index += 1) await once(index);
};

const TIDE = {
  source: `export async function main({ url }: { url: string }) {
  const { body } = await skills.http_get({ url });
  return { body };
}`,
  tests: `fake("http_get", () => ({ status: 200, contentType: "text/plain", body: "high", finalUrl: "", bytes: 4, truncated: false }));
assert.deepEqual(await main({ url: "https://tide.example" }), { body: "high" });`,
  grants: ["http_get"],
};
const URL_PARAMETER = {
  parameters: [{ name: "url", type: "string", description: "Where", required: true }],
  skillsUsed: ["http_get"],
};

describe("a code function that may use the web", () => {
  it("asks once before it runs, shows the host, and then contacts that host without another question", async () => {
    const web = await startWebServer((_request, response) => {
      response.setHeader("content-type", "text/plain").end("high tide");
    });
    try {
      await harness.set({ etc: { skills: { network: { privateHosts: [web.host] } } } });
      const { id } = await createCode(harness.owner, "tide-once", TIDE, URL_PARAMETER);
      await promote(id);
      const started = await run(id, { url: `http://${web.host}/` });
      expect(started.status).toBe(202);
      const { runId, pending } = OperatorPending.parse(started.body);
      const { items } = ApprovalPage.parse((await harness.owner.get("/api/approvals")).body);
      const asked = items.find((approval) => approval.runId === runId);
      expect(asked?.preview.facts).toContainEqual({ label: "hosts", value: web.host });
      await harness.owner.post(`/api/approvals/${pending?.kind === "approval" ? pending.approvalId : ""}`, {
        decision: "once",
      });
      await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
      const { scratchpad } = await harness.run(runId);
      expect(scratchpad[0]?.observation?.outputs).toMatchObject({ result: { body: "high tide" } });
      expect(await functionNow(harness.owner, id)).toMatchObject({ stats: { successes: 1, failures: 0 } });
    } finally {
      await web.close();
    }
  });

  it("is refused a host that the person was not shown, which does not count as its failure", async () => {
    const other = `export async function main({ url }: { url: string }) {
  await skills.http_get({ url });
  const { body } = await skills.http_get({ url: "http://127.0.0." + String(1) + ":9/other" });
  return { body };
}`;
    const web = await startWebServer((_request, response) => {
      response.end("high tide");
    });
    try {
      await harness.set({ etc: { skills: { network: { privateHosts: [web.host, "127.0.0.1:9"] } } } });
      const { id } = await createCode(
        harness.owner,
        "tide-elsewhere",
        { ...TIDE, source: other },
        URL_PARAMETER,
      );
      const started = await run(id, { url: `http://${web.host}/` });
      const { runId, pending } = OperatorPending.parse(started.body);
      await harness.owner.post(`/api/approvals/${pending?.kind === "approval" ? pending.approvalId : ""}`, {
        decision: "once",
      });
      await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
      const { scratchpad } = await harness.run(runId);
      expect(scratchpad[0]?.observation?.error?.message).toContain("127.0.0.1:9");
      expect(await functionNow(harness.owner, id)).toMatchObject({ stats: { failures: 0 } });
    } finally {
      await web.close();
    }
  });

  it("that is refused by a person has not failed", async () => {
    await harness.set({ etc: { skills: { network: { privateHosts: ["127.0.0.1:9"] } } } });
    const { id } = await createCode(harness.owner, "tide-refused", TIDE, URL_PARAMETER);
    await promote(id);
    const started = await run(id, { url: "http://127.0.0.1:9/" });
    const { runId, pending } = OperatorPending.parse(started.body);
    await harness.owner.post(`/api/approvals/${pending?.kind === "approval" ? pending.approvalId : ""}`, {
      decision: "deny",
    });
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
    expect(await functionNow(harness.owner, id)).toMatchObject({ status: "active", stats: { failures: 0 } });
  });
});

describe("credit", () => {
  it("does not count an existing or a missing item against code", async () => {
    await harness.set();
    const source = `export async function main({ path, to }: { path: string; to: string }) {
  return skills.fs_move({ from: path, to });
}`;
    const parameters = ["path", "to"].map((name) => ({
      name,
      type: "path",
      description: "",
      required: true,
    }));
    const { id } = await createCode(
      harness.owner,
      "move-there",
      { source, grants: ["fs_move"] },
      { parameters, skillsUsed: ["fs_move"] },
    );
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
    try {
      await times(6, () => run(id, { path: "no-such-file.md", to: "there.md" }));
      for (const name of ["one.md", "two.md"]) await writeFile(join(harness.profile, "out", name), name);
      await times(6, () => run(id, { path: "one.md", to: "two.md" }));
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
    expect(await functionNow(harness.owner, id)).toMatchObject({ status: "active", stats: { failures: 0 } });
  });

  it("does not count a web server that cannot be reached", async () => {
    await harness.set({ etc: { skills: { network: { privateHosts: ["127.0.0.1:9"] } } } });
    const { id } = await createCode(harness.owner, "tide-down", TIDE, URL_PARAMETER);
    const started = await run(id, { url: "http://127.0.0.1:9/" });
    const { runId, pending } = OperatorPending.parse(started.body);
    await harness.owner.post(`/api/approvals/${pending?.kind === "approval" ? pending.approvalId : ""}`, {
      decision: "once",
    });
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 30_000 }).toBe("ended");
    expect((await harness.run(runId)).scratchpad[0]?.observation?.success).toBe(false);
    expect(await functionNow(harness.owner, id)).toMatchObject({ stats: { failures: 0 } });
  });

  it("disables code after five failures of its own in a row, whoever ran it, and reports it", async () => {
    await harness.set();
    const { id } = await createCode(harness.owner, "fails-five-times");
    await promote(id);
    await times(8, () => run(id, { words: ["a"] }));
    await times(4, () => run(id, { words: [] }));
    expect((await functionNow(harness.owner, id)).status).toBe("active");
    await harness.set({ answer: play([act("function_run", { id, parameters: { words: [] } }), finish]) });
    const { scratchpad } = await harness.ask("what is the longest of no words somehow");
    expect(scratchpad[0]?.observation?.error?.suggestions?.join(" ")).toContain("disabled");
    const now = await functionNow(harness.owner, id);
    expect(now).toMatchObject({ status: "disabled", stats: { successes: 8, failures: 5 } });
    expect(now.statusReason).toContain("5 times in a row");
  });

  it("allows a function that a person enabled again another five failures", async () => {
    await harness.set();
    const { id } = await createCode(harness.owner, "fails-again", LONGEST);
    await promote(id);
    await times(20, () => run(id, { words: ["a"] }));
    await times(5, () => run(id, { words: [] }));
    expect((await functionNow(harness.owner, id)).status).toBe("disabled");
    await harness.owner.post(`/api/functions/${id}/enable`);
    await times(4, () => run(id, { words: [] }));
    expect((await functionNow(harness.owner, id)).status).toBe("active");
    await run(id, { words: [] });
    expect((await functionNow(harness.owner, id)).status).toBe("disabled");
  });
});
