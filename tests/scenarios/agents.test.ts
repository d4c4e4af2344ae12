import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AgentRunAnswer } from "@metahuman/core/contract/agents";
import { AgentPage } from "@metahuman/core/contract/answers";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { startTestServer } from "../support/server.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
const inProfile = (path: string) => join(server.home, "profiles/ada", path);

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.owner();
});
afterAll(() => server.dispose());

/** Lets an agent work and answers how that ended. */
async function work(agent: string) {
  const { status, body } = await owner.post(`/api/agents/${agent}/run`, { wait: true });
  expect([agent, status]).toEqual([agent, 200]);
  return AgentRunAnswer.parse(body).run;
}

describe("the agents in the background", () => {
  it("are listed with schedule, last run and next run", async () => {
    const { items } = AgentPage.parse((await owner.get("/api/agents")).body);
    const librarian = items.find(({ name }) => name === "librarian");
    expect(librarian).toMatchObject({ enabled: true, schedule: "40 * * * *", running: false, lastRun: null });
    expect(Date.parse(librarian?.nextRun ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  it("work when asked, tell what they did, and stand in the audit", async () => {
    await writeFile(inProfile("memory/curated/broken.json"), "{ not json");
    const run = await work("librarian");
    expect(run).toMatchObject({ status: "finished", trigger: "person" });
    expect(run.problems).toMatchObject([{ subject: expect.stringContaining("broken.json") as unknown }]);
    const log = await owner.get(`/api/agents/librarian/log?runId=${run.id}`);
    expect(log.body).toMatchObject({ items: [{ level: "warning" }] });
    expect((await owner.get("/api/audit?query=agent_started")).body).toMatchObject({
      items: [{ event: "agent_started", actor: "ada", details: { agent: "librarian" } }],
    });
    await rm(inProfile("memory/curated/broken.json"));
  });

  it("say when they are not there or not running", async () => {
    expect((await owner.post("/api/agents/plumber/run")).status).toBe(404);
    expect((await owner.post("/api/agents/librarian/stop")).body).toEqual({ run: null });
  });

  it("are told of on the stream of the page", async () => {
    const left = new AbortController();
    for await (const { event, data } of owner.events("/api/events", { signal: left.signal })) {
      if (event !== "agents") continue;
      expect(data).toMatchObject({ items: [{ name: expect.any(String) as unknown }] });
      break;
    }
    left.abort();
  });

  it("can be asked for in plain words", async () => {
    const { body } = await owner.post("/api/operator", { goal: "run the librarian" });
    const [first] = z.object({ scratchpad: z.array(z.unknown()) }).parse(body).scratchpad;
    expect(first).toMatchObject({ action: { tool: "run_agent", args: { agent: "librarian" } } });
    expect(body).toMatchObject({ result: expect.stringContaining("The librarian finished") as unknown });
  });

  it("are run, listed and read from the command line, beside the running server", async () => {
    const ran = await mh(server.home, ["--json", "agent", "run", "librarian"]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ran.out)).toMatchObject({ run: { agent: "librarian", status: "finished" } });
    expect((await mh(server.home, ["agent", "list"])).out).toMatch(/librarian +40 \* \* \* \*/);
    expect(await mh(server.home, ["agent", "log", "librarian"])).toMatchObject({ code: 0 });
    expect((await mh(server.home, ["agent", "stop", "librarian"])).out).toContain("not running");
    expect(await mh(server.home, ["agent", "run", "plumber"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("librarian") as unknown,
    });
  });

  it("follow etc/agents.json from the next look on", async () => {
    await mkdir(join(server.home, "etc"), { recursive: true });
    await writeFile(join(server.home, "etc/agents.json"), '{"librarian": {"enabled": false}}');
    await expect
      .poll(async () => (await owner.get("/api/agents")).body, { timeout: 20_000 })
      .toMatchObject({
        items: expect.arrayContaining([
          expect.objectContaining({ name: "librarian", nextRun: null }),
        ]) as unknown,
      });
  });
});
