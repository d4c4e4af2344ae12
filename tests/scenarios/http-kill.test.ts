import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorPending } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { openFileLock } from "@metahuman/core/database/file-lock";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import type { Client } from "../support/client.ts";
import { readEvents, type SentEvent } from "../support/event-reader.ts";
import {
  startOwnedProcess,
  startServerHere,
  type ServerProcess,
  type TestServer,
} from "../support/server.ts";

const servers: TestServer[] = [];

afterEach(async () => {
  // The first one owns the folder that the later ones share.
  for (const server of servers.splice(0).reverse()) await server.dispose();
});

/** One that can be killed. */
async function start(): Promise<{ server: ServerProcess; owner: Client }> {
  const started = await startOwnedProcess();
  servers.push(started.server);
  return started;
}

/** The same person at another server on the same data. */
async function startAgain(home: string, owner: Client): Promise<Client> {
  const server = await startServerHere({ home });
  servers.push(server);
  return owner.at(server.url);
}

async function all(events: AsyncIterable<SentEvent>): Promise<SentEvent[]> {
  const list: SentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

const fileIn = (home: string, path: string) => readFile(join(home, "profiles/ada", path), "utf8");

/** Blocks a write that has begun, as another process would. */
async function whileNobodyMayWrite<Result>(home: string, work: () => Promise<Result>): Promise<Result> {
  const folder = profilePaths(home, "ada").memory.archive.files;
  const lock = openFileLock(join(folder, "write.lock"), "the workspace");
  try {
    return await lock.hold(work);
  } finally {
    lock.close();
  }
}

describe("a server killed while a run", () => {
  it("waits for a person again after the restart, and continues when allowed", async () => {
    const { server, owner } = await start();
    await owner.post("/api/operator", { goal: 'create a file called durable.md with the text "here"' });
    const asked = await owner.post("/api/operator", { goal: "delete durable.md" });
    const { runId, pending } = OperatorPending.parse(asked.body);
    await server.end("SIGKILL");

    const again = await startAgain(server.home, owner);
    expect(await again.get(`/api/runs/${runId}`)).toMatchObject({ body: { status: "waiting" } });
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    expect((await again.post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    const events = await all(again.events(`/api/runs/${runId}/events`));
    expect(events.at(-1)).toMatchObject({ event: "run-ended", data: { outcome: "answered" } });
    await expect(fileIn(server.home, "out/durable.md")).rejects.toThrow("ENOENT");
  });

  it("is interrupted, continues on request, does nothing twice and claims nothing unknown", async () => {
    const { server, owner } = await start();
    await owner.post("/api/operator", { goal: 'append "one" to log.md' });
    const goal = ["two", "three"].map((word) => `append "${word}" to log.md`).join(" and ");
    const runId = await whileNobodyMayWrite(server.home, async () => {
      const response = await owner.raw("POST", "/api/operator", { goal }, { accept: "text/event-stream" });
      let begun = "";
      for await (const { data } of readEvents(response)) {
        const event = RunEvent.parse(data);
        begun = event.runId;
        if (event.type === "action-started") break;
      }
      await server.end("SIGKILL");
      return begun;
    });

    const again = await startAgain(server.home, owner);
    const status = async () => Run.parse((await again.get(`/api/runs/${runId}`)).body).status;
    await expect.poll(status, { timeout: 20_000, interval: 200 }).toBe("interrupted");
    expect((await again.post(`/api/runs/${runId}/resume`)).status).toBe(200);
    await all(again.events(`/api/runs/${runId}/events`));

    const run = Run.parse((await again.get(`/api/runs/${runId}`)).body);
    expect(run.status).toBe("ended");
    expect(run.scratchpad[0]?.observation).toMatchObject({
      success: false,
      error: { code: "OUTCOME_UNKNOWN" },
    });
    expect(run.result).toMatch(/unknown/i);
    const written = await fileIn(server.home, "out/log.md");
    expect(written.split("one")).toHaveLength(2);
    for (const word of ["two", "three"]) expect(written.split(word).length).toBeLessThanOrEqual(2);
  });
});
