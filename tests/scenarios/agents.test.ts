import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AgentRunAnswer } from "@metahuman/core/contract/agents";
import { AgentPage } from "@metahuman/core/contract/answers";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { OccurrencePage } from "@metahuman/core/contract/schedule";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { startServerHere, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
const inProfile = (path: string) => join(server.home, "profiles/ada", path);

// No schedule starts anything meanwhile.
const AGENTS = {
  ingestor: { enabled: false },
  librarian: { schedule: "40 3 1 1 *" },
  "pattern-miner": { enabled: false },
  reflector: { enabled: false },
};

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), "metahuman-agents-"));
  await mkdir(join(home, "etc"));
  await writeFile(join(home, "etc/agents.json"), JSON.stringify(AGENTS));
  server = await startServerHere({ home });
  owner = await server.owner();
});
afterAll(async () => {
  await server.dispose();
  await rm(server.home, { recursive: true, force: true });
});

/** Runs an agent and returns its outcome. */
async function work(agent: string) {
  const { status, body } = await owner.post(`/api/agents/${agent}/run`, { wait: true });
  expect([agent, status]).toEqual([agent, 200]);
  return AgentRunAnswer.parse(body).run;
}

describe("the background agents", () => {
  it("are listed with schedule, last run and next run", async () => {
    const { items } = AgentPage.parse((await owner.get("/api/agents")).body);
    const librarian = items.find(({ name }) => name === "librarian");
    expect(librarian).toMatchObject({ enabled: true, schedule: "40 3 1 1 *", running: false, lastRun: null });
    expect(Date.parse(librarian?.nextRun ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  it("are paused and resumed by a person, in this profile", async () => {
    const librarian = async () =>
      AgentPage.parse((await owner.get("/api/agents")).body).items.find(({ name }) => name === "librarian");
    expect((await owner.post("/api/agents/librarian/pause")).status).toBe(200);
    expect(await librarian()).toMatchObject({ enabled: true, paused: true, nextRun: null });
    expect((await mh(server.home, ["agent", "list"])).out).toMatch(/^librarian +paused/mu);
    expect(await mh(server.home, ["agent", "resume", "librarian"])).toMatchObject({ code: 0 });
    expect(await librarian()).toMatchObject({ paused: false, nextRun: expect.any(String) as unknown });
    expect((await owner.get("/api/audit?query=agent_paused")).body).toMatchObject({ total: 1 });
  });

  it("run on request, report what they did, and are in the audit log", async () => {
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

  it("report that they do not exist or are not running", async () => {
    expect((await owner.post("/api/agents/plumber/run")).status).toBe(404);
    expect((await owner.post("/api/agents/librarian/stop")).body).toEqual({ run: null });
  });

  it("send updates on the stream of the page", async () => {
    const left = new AbortController();
    for await (const { event, data } of owner.events("/api/events", { signal: left.signal })) {
      if (event !== "agents") continue;
      expect(AgentPage.shape.items.parse(z.object({ items: z.unknown() }).parse(data).items)).toHaveLength(4);
      break;
    }
    left.abort();
  });

  it("can be requested in plain words", async () => {
    const { body } = await owner.post("/api/operator", { goal: "run the librarian" });
    const [first] = z.object({ scratchpad: z.array(z.unknown()) }).parse(body).scratchpad;
    expect(first).toMatchObject({ action: { tool: "run_agent", args: { agent: "librarian" } } });
    expect(body).toMatchObject({ result: expect.stringContaining("The librarian finished") as unknown });
  });

  it("are run, listed and read from the command line while the server is running", async () => {
    const ran = await mh(server.home, ["--json", "agent", "run", "librarian"]);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ran.out)).toMatchObject({ run: { agent: "librarian", status: "finished" } });
    expect((await mh(server.home, ["agent", "list"])).out).toMatch(/librarian +40 3 1 1 \*/);
    expect(await mh(server.home, ["agent", "log", "librarian"])).toMatchObject({ code: 0 });
    expect((await mh(server.home, ["agent", "stop", "librarian"])).out).toContain("not running");
    expect(await mh(server.home, ["agent", "run", "plumber"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("librarian") as unknown,
    });
  });

  it("import files that are dropped into the inbox, and find them", async () => {
    await writeFile(inProfile("inbox/ferry.md"), "# Ferry\nThe ferry to Nesodden leaves at nine.");
    await writeFile(inProfile("inbox/photo.jpg"), "no text");
    const run = await work("ingestor");
    expect(run).toMatchObject({ status: "finished", problems: [{ subject: "inbox/photo.jpg" }] });
    const { body } = await owner.get("/api/recall?query=when%20does%20the%20Nesodden%20ferry%20leave");
    expect(body).toMatchObject({
      items: [{ memory: { trust: "untrusted", metadata: { file: "inbox/ferry.md" } } }],
    });
  });

  it("detect repeated requests, and report it at the next one", async () => {
    const ask = async (goal: string) =>
      z.object({ runId: z.string() }).parse((await owner.post("/api/operator", { goal })).body).runId;
    for (const name of ["sandwich", "tea", "coffee"]) await ask(`make ${name} file`);
    expect((await work("pattern-miner")).summary).toContain("1 new patterns");
    expect((await owner.get("/api/memories_all")).body).toMatchObject({
      totals: { patterns: 1 },
      patterns: [
        { metadata: { pattern: { template: "make {words} file", occurrences: 3, skills: ["fs_write"] } } },
      ],
    });
    const { body } = await owner.get(`/api/runs/${await ask("make soup file")}`);
    expect(body).toMatchObject({
      context: { patterns: ["“make {words} file” has been asked 3 times; offer to make it a function"] },
    });
  });

  it("offer a pattern once with an answer, as a request that makes a recipe of its stored runs", async () => {
    const asked = async (goal: string) => (await owner.post("/api/operator", { goal })).body;
    for (const name of ["rose", "fern", "palm"]) await asked(`create a task to water the ${name}`);
    await work("pattern-miner");
    // Nobody sees the answer of a scheduled run, so it leaves the offer for a later one.
    const what = { kind: "request", goal: "create a task to water the orchid" };
    const made = await owner.post("/api/schedules", { what, when: "every day at 5:00" });
    const { schedule } = z.object({ schedule: z.looseObject({ id: z.string() }) }).parse(made.body);
    expect((await owner.post(`/api/schedules/${schedule.id}/run`)).status).toBe(202);
    const outcomes = async () =>
      OccurrencePage.parse((await owner.get(`/api/schedules/${schedule.id}/occurrences`)).body).items;
    await expect.poll(async () => (await outcomes())[0]?.endedAt, { timeout: 20_000 }).toBeDefined();
    const { suggestions = [] } = z
      .object({ suggestions: z.array(z.string()).optional() })
      .parse(await asked("create a task to water the lily"));
    expect(suggestions).toEqual([
      "You asked “create a task to water the {words}” 3 times: make it a function",
    ]);
    expect(await asked("create a task to water the moss")).not.toHaveProperty("suggestions");
    const learned = await asked(suggestions[0] ?? "");
    expect(learned).toMatchObject({ result: expect.stringContaining("draft recipe") as unknown });
    const { body } = await owner.get("/api/functions");
    expect(body).toMatchObject({
      items: [
        {
          kind: "recipe",
          trust: "draft",
          skillsUsed: ["task_create"],
          tags: expect.arrayContaining([expect.stringMatching(/^pattern:/u)]) as unknown,
          examples: ["rose", "fern", "palm"].map((name) => ({
            prompt: `create a task to water the ${name}`,
          })),
        },
      ],
    });
    expect(await asked(suggestions[0] ?? "")).toMatchObject({
      result: expect.stringContaining("was already created from this pattern") as unknown,
    });
  });

  it("offer no pattern of requests from which a draft was learned already", async () => {
    const asked = async (goal: string) => (await owner.post("/api/operator", { goal })).body;
    const request = (name: string): string =>
      `write "${name} ok" to rounds/${name}.md and add a task to visit ${name}`;
    const { runId } = z.object({ runId: z.string() }).parse(await asked(request("mill")));
    const learned = async () =>
      z
        .looseObject({ learnedFunction: z.looseObject({ id: z.string() }).optional() })
        .parse((await owner.get(`/api/runs/${runId}`)).body).learnedFunction;
    await expect.poll(learned, { timeout: 20_000 }).toBeDefined();
    for (const name of ["dock", "pier"]) await asked(request(name));
    expect((await work("pattern-miner")).summary).not.toContain(" 0 new patterns");
    expect(await asked(request("yard"))).not.toHaveProperty("suggestions");
  });

  it("count no runs of functions, no searches for them and no direct calls as habits", async () => {
    const patterns = async () => {
      await work("pattern-miner");
      const { body } = await owner.get("/api/memories?types=pattern&limit=50");
      return z
        .object({ items: z.array(z.looseObject({ id: z.string(), metadata: z.unknown() })) })
        .parse(body)
        .items.map(({ id, metadata }) => ({ id, metadata }));
    };
    const before = await patterns();
    const { items } = z
      .object({
        items: z.array(
          z.looseObject({ id: z.string(), parameters: z.array(z.object({ name: z.string() })) }),
        ),
      })
      .parse((await owner.get("/api/functions")).body);
    const [recipe] = items;
    for (const plant of ["holly", "birch", "maple"]) {
      const parameters = Object.fromEntries((recipe?.parameters ?? []).map(({ name }) => [name, plant]));
      const run = await owner.post(`/api/functions/${recipe?.id ?? ""}/run`, { parameters });
      expect(run).toMatchObject({ status: 200 });
      await owner.post("/api/operator", { goal: `search my functions for ${plant}` });
    }
    expect(await patterns()).toEqual(before);
  });

  it("find patterns that become a function with one click, once", async () => {
    const { patterns } = z
      .looseObject({ patterns: z.array(z.looseObject({ id: z.string(), content: z.string() })) })
      .parse((await owner.get("/api/memories_all")).body);
    const pattern = patterns.find(({ content }) => content.includes("make {words} file"));
    const path = `/api/memories/${pattern?.id ?? ""}/function`;
    expect(await owner.post(path, {})).toMatchObject({
      status: 201,
      body: {
        function: {
          title: "Make … file",
          kind: "recipe",
          trust: "draft",
          skillsUsed: ["fs_write"],
          recipe: { promptTemplates: ["make {name} file"] },
        },
      },
    });
    expect(await owner.post(path, {})).toMatchObject({ status: 409 });
    const { body } = await owner.post("/api/memories", { type: "curated", content: "No pattern at all" });
    const { memory } = z.object({ memory: z.looseObject({ id: z.string() }) }).parse(body);
    expect((await owner.post(`/api/memories/${memory.id}/function`, {})).status).toBe(409);
  });

  it("follow changes of etc/agents.json from the next check on", async () => {
    const changed = { ...AGENTS, librarian: { enabled: false } };
    await writeFile(join(server.home, "etc/agents.json"), JSON.stringify(changed));
    await expect
      .poll(async () => (await owner.get("/api/agents")).body, { timeout: 20_000 })
      .toMatchObject({
        items: expect.arrayContaining([
          expect.objectContaining({ name: "librarian", nextRun: null }),
        ]) as unknown,
      });
  });

  it("leave a file that they imported where every request and link finds it", async () => {
    const asked = async (goal: string, conversationId?: string) => {
      const { body } = await owner.post("/api/operator", { goal, ...(conversationId && { conversationId }) });
      return OperatorAnswer.parse(body);
    };
    await writeFile(inProfile("inbox/moorings.csv"), "member,paid\nOskari,120\nKerttu,80\nOskari,15\n");
    const { result, conversationId } = await asked("sum of paid in inbox/moorings.csv");
    expect(result).toContain("215");
    await work("ingestor");
    expect((await asked("sum of paid in inbox/moorings.csv")).result).toContain("215");
    expect((await asked("and for Oskari?", conversationId)).result).toContain("135");
    const linked = await owner.get("/api/files/content?path=inbox%2Fmoorings.csv");
    expect(linked).toMatchObject({
      status: 200,
      body: { path: expect.stringMatching(/^inbox\/processed\/[^/]+\/moorings\.csv$/u) as unknown },
    });

    await writeFile(inProfile("inbox/moorings.csv"), "member,paid\nOskari,1\n");
    await work("ingestor");
    expect((await asked("sum of paid in inbox/moorings.csv")).result).toContain(" is 1");
  });
});
