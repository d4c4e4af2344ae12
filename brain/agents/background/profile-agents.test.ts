import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { AgentsConfig } from "@metahuman/core/contract/agents";
import { openDatabase, type Database } from "@metahuman/core/database/open-database";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createProfileAgents, type ProfileAgents, type ProfileAgentsOptions } from "./profile-agents.ts";
import type { AgentWork, BackgroundAgent } from "./background-agent.ts";

let home: string;
let audit: AuditLog;
const opened: { agents: ProfileAgents; database: Database }[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "agents-"));
  audit = openAuditLog(join(home, "audit"), () => new Date());
});
afterEach(async () => {
  for (const { agents, database } of opened.splice(0)) {
    await agents.close();
    database.close();
  }
  await audit.close();
  rmSync(home, { recursive: true, force: true });
});

const agent = (work: BackgroundAgent["work"]): BackgroundAgent => ({
  name: "librarian",
  title: "Librarian",
  about: "Keeps things in order.",
  needsModel: false,
  work,
});
const busy = agent(async ({ signal }) => {
  await once(signal, "abort");
  throw signal.reason;
});
const quick = agent(async () => ({ summary: "Done.", changed: true }));

function openAgents(only: BackgroundAgent, options: Partial<ProfileAgentsOptions> = {}) {
  const database = openDatabase(join(home, "state.db"), stateMigrations, { title: "the state" });
  const store = openAgentStore(database, options.clock ? { clock: options.clock } : {});
  const agents = createProfileAgents({
    username: "ada",
    agents: [only],
    store,
    settings: async (name) => ({ ...AgentsConfig.parse({})[name], paused: false }),
    setPaused: async () => undefined,
    nextRun: async () => null,
    audit,
    clock: () => new Date(),
    onProblem: () => undefined,
    ...options,
  });
  opened.push({ agents, database });
  return { agents, store, database };
}

const byHand = { trigger: "person", surface: "cli" } as const;

describe("an agent that is started on request", () => {
  it("runs, writes its log, and reports its last run", async () => {
    const { agents } = openAgents(
      agent(async ({ log }) => {
        await log("Looked at 3 records, one with password=hunter2secret.");
        return {
          summary: "All in order.",
          changed: false,
          problems: [{ subject: "a.json", reason: "not JSON" }],
        };
      }),
    );
    const run = await agents.run("librarian", byHand);
    expect(run).toMatchObject({ status: "running", trigger: "person" });
    const ended = await agents.settled(run.id);
    expect(ended).toMatchObject({
      status: "finished",
      summary: "All in order.",
      problems: [{ subject: "a.json", reason: "not JSON" }],
    });
    const log = await agents.log("librarian", { limit: 10 });
    expect(log).toMatchObject({ total: 1, items: [{ level: "info", runId: run.id }] });
    expect(log.items[0]?.message).not.toContain("hunter2secret");
    expect(await agents.list()).toMatchObject([
      { name: "librarian", running: false, lastRun: { id: run.id } },
    ]);
    await expect.poll(async () => (await audit.search({ event: "agent_ended" })).total).toBe(1);
    expect((await audit.search({ event: "agent_started" })).items[0]).toMatchObject({
      actor: "ada",
      surface: "cli",
      details: { agent: "librarian", agentRunId: run.id },
    });
  });

  it("runs once at a time across all processes", async () => {
    const one = openAgents(busy);
    const other = openAgents(busy);
    const run = await one.agents.run("librarian", byHand);
    await expect(one.agents.run("librarian", byHand)).rejects.toThrow(ConflictError);
    await expect(other.agents.run("librarian", byHand)).rejects.toThrow(ConflictError);
    expect(await other.agents.list()).toMatchObject([{ running: true, currentRun: { id: run.id } }]);
  });

  it("is stopped from another process, and can be run again", async () => {
    const one = openAgents(busy);
    const other = openAgents(busy);
    const run = await one.agents.run("librarian", byHand);
    expect(await other.agents.stop("librarian")).toMatchObject({ id: run.id });
    expect(await other.agents.settled(run.id)).toMatchObject({ status: "stopped" });
    expect(await other.agents.stop("librarian")).toBeNull();
    await other.agents.run("librarian", byHand);
  });

  it("counts as stopped if it does not react, and is not started again until it ends", async () => {
    const ignoresSignal = Promise.withResolvers<{ summary: string; changed: boolean }>();
    const { agents } = openAgents(agent(() => ignoresSignal.promise));
    const run = await agents.run("librarian", byHand);
    await agents.stop("librarian");
    expect(await agents.settled(run.id)).toMatchObject({ status: "stopped" });
    await expect(agents.run("librarian", byHand)).rejects.toThrow("still stopping");
    ignoresSignal.resolve({ summary: "at last", changed: true });
    await expect.poll(() => agents.run("librarian", byHand)).toMatchObject({ status: "running" });
  });

  it("fails with a reason without secrets", async () => {
    const { agents } = openAgents(
      agent(async () => {
        throw new Error("secret /home/ada/path");
      }),
    );
    const run = await agents.run("librarian", byHand);
    expect(await agents.settled(run.id)).toMatchObject({
      status: "failed",
      summary: "Something unexpected went wrong.",
    });
    expect((await agents.log("librarian", { limit: 5 })).items).toMatchObject([{ level: "error" }]);
  });

  it("keeps its memo for the next run", async () => {
    const seen: unknown[] = [];
    const { agents } = openAgents(
      agent(async ({ memo }: AgentWork) => {
        seen.push(await memo.read());
        await memo.save({ runs: seen.length });
        return { summary: "Counted.", changed: false };
      }),
    );
    for (let turn = 0; turn < 2; turn += 1) await agents.settled((await agents.run("librarian", byHand)).id);
    expect(seen).toEqual([undefined, { runs: 1 }]);
  });
});

describe("the end of a process", () => {
  it("stops running agents and starts no more", async () => {
    const { agents, store } = openAgents(busy);
    const run = await agents.run("librarian", byHand);
    await agents.close();
    expect(await store.run(run.id)).toMatchObject({
      status: "stopped",
      summary: "MetaHuman OS was shut down.",
    });
    await expect(agents.run("librarian", byHand)).rejects.toThrow(ConflictError);
  });

  it("leaves an interrupted run if the process is killed, and the agent can start again", async () => {
    const { agents, store, database } = openAgents(quick);
    const run = await store.begin("librarian", "person");
    // A lease of a process that has ended.
    database.command("UPDATE agent_runs SET owner = 'ended' WHERE id = ?").run(run.id);
    expect(await agents.list()).toMatchObject([{ running: false, lastRun: { status: "interrupted" } }]);
    expect(await agents.settled((await agents.run("librarian", byHand)).id)).toMatchObject({
      status: "finished",
    });
  });
});
