import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ArchivedAnswer } from "@metahuman/core/contract/answers";
import { ChannelsAnswer } from "@metahuman/core/contract/channels";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openFileLock } from "@metahuman/core/database/file-lock";
import type { Client } from "../support/client.ts";
import { readEvents, type SentEvent } from "../support/event-reader.ts";
import { mh } from "../support/cli.ts";
import type { ServerProcess } from "../support/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { SECRET_KEY } from "./secret-key.ts";
import { startOlderServer } from "./older-server.ts";
import { findPrograms, freePort, PASSWORD } from "./server.ts";

const Notices = z.object({ total: z.number() });

const programs = await findPrograms();

async function all(events: AsyncIterable<SentEvent>): Promise<SentEvent[]> {
  const list: SentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** The id of a run, as soon as it has begun an action. */
async function runThatActs(response: Response): Promise<string> {
  for await (const { event, data } of readEvents(response))
    if (event === "action-started") return RunEvent.parse(data).runId;
  throw new Error("nothing was started");
}

describe.runIf(programs)("three servers on one database", () => {
  let cluster: Cluster;
  let nodes: ServerProcess[];
  /** The same person at each of the servers. */
  let ada: Client[];
  beforeAll(async () => {
    cluster = await openCluster(programs ?? "");
    // All create the schema at the same moment.
    nodes = await Promise.all(["one", "two", "three"].map((name) => cluster.start(name)));
    const owner = await nodes[0]?.owner();
    ada = nodes.flatMap(({ url }) => owner?.at(url) ?? []);
  }, 120_000);
  afterAll(() => cluster.remove());

  const at = (index: number): Client => {
    const client = ada[index];
    if (!client) throw new Error("no such server");
    return client;
  };

  it("name themselves, and serve a person who signed in elsewhere", async () => {
    for (const [index, name] of ["one", "two", "three"].entries()) {
      expect(await at(index).get("/api/health")).toMatchObject({ status: 200, body: { node: name } });
      expect(await at(index).get("/api/ready")).toMatchObject({
        status: 200,
        body: { status: "ready", node: name },
      });
      expect(await at(index).get("/api/auth/me")).toMatchObject({ body: { username: "ada", role: "owner" } });
    }
  });

  it("show a run with its events, its conversation and its file everywhere", async () => {
    const created = await at(0).post("/api/operator", {
      goal: 'create a file called seen.md with the text "all see"',
    });
    const { runId, conversationId } = OperatorAnswer.parse(created.body);
    for (const place of [1, 2]) {
      expect(await at(place).get(`/api/runs/${runId}`)).toMatchObject({ body: { status: "ended" } });
      const events = await all(at(place).events(`/api/runs/${runId}/events`));
      expect(events.map(({ id }) => id)).toEqual(events.map((_, n) => String(n + 1)));
      expect(await at(place).get(`/api/conversations/${conversationId}`)).toMatchObject({
        body: { messages: [{ role: "person" }, { role: "operator" }] },
      });
      expect(await at(place).get("/api/files/content?path=out/seen.md")).toMatchObject({
        body: { content: "all see" },
      });
    }
  });

  it("let a person approve at another server than the one that asked", async () => {
    await at(0).post("/api/operator", { goal: 'create a file called gone.md with the text "here"' });
    const asked = await at(0).post("/api/operator", { goal: "delete gone.md" });
    const { runId, pending } = OperatorPending.parse(asked.body);
    const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
    const watching = all(at(2).events(`/api/runs/${runId}/events`));
    expect((await at(1).post(`/api/approvals/${approvalId}`, { decision: "once" })).status).toBe(200);
    expect((await watching).at(-1)).toMatchObject({ event: "run-ended", data: { outcome: "answered" } });
  });

  it("stop a run that another server executes", async () => {
    const folder = profilePaths(cluster.shared, "ada").memory.archive.files;
    await at(0).post("/api/operator", { goal: 'append "one" to held.md' });
    const lock = openFileLock(join(folder, "write.lock"), "the workspace");
    const runId = await lock.hold(async () => {
      const response = await at(0).raw(
        "POST",
        "/api/operator",
        { goal: 'append "two" to held.md and append "three" to held.md' },
        { accept: "text/event-stream" },
      );
      const id = await runThatActs(response);
      expect((await at(1).post(`/api/runs/${id}/cancel`)).status).toBeLessThan(300);
      return id;
    });
    lock.close();
    const status = async () => Run.parse((await at(2).get(`/api/runs/${runId}`)).body).outcome;
    await expect.poll(status, { timeout: 15_000 }).toBe("cancelled");
  });

  it("apply settings that were changed elsewhere at once, and the configuration within seconds", async () => {
    expect((await at(0).post("/api/trust", { trustLevel: "observe" })).status).toBe(200);
    expect(await at(1).get("/api/auth/me")).toMatchObject({ body: { trustLevel: "observe" } });
    expect((await at(1).post("/api/trust", { trustLevel: "supervised_auto" })).status).toBe(200);
    const edit = { webhook: { enabled: true } };
    expect((await at(2).send("PUT", "/api/channels/servers", edit)).status).toBeLessThan(300);
    const channels = async () => ChannelsAnswer.parse((await at(0).get("/api/channels")).body).channels;
    await expect
      .poll(channels, { timeout: 8_000 })
      .toContainEqual(expect.objectContaining({ channel: "webhook", available: true }));
  });

  it("read memories and tasks that were stored elsewhere at once, and recall them", async () => {
    const memory = { type: "observation", content: "The greenhouse key hangs behind the blue door." };
    expect((await at(0).post("/api/memories", memory)).status).toBe(201);
    expect((await at(1).post("/api/tasks", { title: "Water the tomatoes" })).status).toBe(201);
    for (const place of [0, 1, 2]) {
      const { body } = await at(place).get("/api/memories?query=greenhouse");
      expect(JSON.stringify(body)).toContain("behind the blue door");
      expect(JSON.stringify((await at(place).get("/api/tasks")).body)).toContain("Water the tomatoes");
    }
    // The rows are authoritative: the shared folder contains no records.
    const { episodic, tasks } = profilePaths(cluster.shared, "ada").memory;
    expect(existsSync(episodic) ? await readdir(episodic) : []).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/^\d{4}$/)]),
    );
    expect(await readdir(tasks.active)).toEqual([]);
  });

  it("show at one what was deleted at another, and bring it back everywhere", async () => {
    const kinds = [
      ["memory", "/api/memories", { type: "observation", content: "The bicycle has a flat tire." }],
      ["task", "/api/tasks", { title: "Mend the bicycle" }],
      [
        "function",
        "/api/functions",
        { title: "Mend a tire", summary: "", steps: ["Find the hole."], skillsUsed: [] },
      ],
      [
        "schedule",
        "/api/schedules",
        {
          what: { kind: "reminder", text: "Oil the chain" },
          when: { kind: "cron", expression: "0 9 * * *" },
        },
      ],
    ] as const;
    for (const [kind, path, body] of kinds) {
      const created = z.record(z.string(), z.unknown()).parse((await at(0).post(path, body)).body);
      const { id } = z.object({ id: z.string() }).parse(created[kind]);
      const removed = await at(1).send("DELETE", `${path}/${id}`);
      const { archived } = ArchivedAnswer.parse(removed.body);
      for (const place of [2, 0]) {
        const shown = await at(place).get(`/api/archive/${encodeURIComponent(archived.id)}`);
        expect(shown).toMatchObject({ status: 200, body: { entry: archived, item: { kind } } });
        expect((await at(place).get(`${path}/${id}`)).status).toBe(404);
      }
      expect((await at(2).post(`/api/archive/${encodeURIComponent(archived.id)}/restore`)).status).toBe(200);
      for (const place of [0, 1])
        expect(await at(place).get(`${path}/${id}`)).toMatchObject({ status: 200, body: { [kind]: { id } } });
      expect((await at(1).get(`/api/archive/${encodeURIComponent(archived.id)}`)).status).toBe(404);
    }
  });

  it("export a person's records, settings and persona, and import them at another server", async () => {
    const dora = { username: "dora", password: "one more good password" };
    expect((await at(0).post("/api/profiles", dora)).status).toBe(201);
    expect((await at(0).send("PATCH", "/api/persona", { role: "gardener" })).status).toBe(200);
    const zip = await (await at(1).raw("GET", "/api/export")).blob();
    const there = nodes[2]?.client();
    if (!there) throw new Error("no server");
    await there.signIn(dora);
    expect((await there.upload("/api/import", zip)).status).toBe(200);
    const { body } = await there.at(nodes[1]?.url ?? "").get("/api/memories?query=greenhouse");
    expect(JSON.stringify(body)).toContain("behind the blue door");
    expect(JSON.stringify((await there.get("/api/tasks")).body)).toContain("Water the tomatoes");
    expect(await there.at(nodes[0]?.url ?? "").get("/api/persona")).toMatchObject({
      body: { persona: { role: "gardener" } },
    });
  });

  it("refuse the session of a person who signed out elsewhere", async () => {
    const ben = { username: "ben", password: "another good password" };
    expect((await at(0).post("/api/profiles", ben)).status).toBe(201);
    const here = nodes[0]?.client();
    const there = nodes[1];
    if (!here || !there) throw new Error("no server");
    expect((await here.signIn(ben)).status).toBe(200);
    const elsewhere = here.at(there.url);
    expect((await elsewhere.get("/api/auth/me")).status).toBe(200);
    await here.post("/api/auth/logout");
    expect((await elsewhere.get("/api/auth/me")).status).toBe(401);
  });

  it("show a new person of the same name nothing of the one who was removed", async () => {
    const carl = { username: "carl", password: "yet another password" };
    expect((await at(0).post("/api/profiles", carl)).status).toBe(201);
    const [one, two] = nodes;
    if (!one || !two) throw new Error("no server");
    const first = one.client();
    await first.signIn(carl);
    await first.post("/api/operator", { goal: 'create a file called mine.md with the text "private"' });
    expect(await first.at(two.url).get("/api/runs")).toMatchObject({ body: { total: 1 } });
    expect((await at(2).send("DELETE", "/api/profiles/carl")).status).toBeLessThan(300);
    expect((await at(2).post("/api/profiles", carl)).status).toBe(201);
    for (const node of nodes) {
      const second = node.client();
      await second.signIn(carl);
      expect(await second.get("/api/runs")).toMatchObject({ body: { total: 0 } });
      expect(await second.get("/api/memories")).toMatchObject({ body: { total: 0 } });
      expect((await second.get("/api/files/content?path=out/mine.md")).status).toBe(404);
    }
  });

  it("deliver a reminder once, although each of them has the profile open", async () => {
    const goal = "remind me in 1 minute to prune the roses";
    const asked = await at(0).post("/api/operator", { goal });
    expect(asked).toMatchObject({ status: 200, body: { outcome: "answered" } });
    const noticeCount = async () => Notices.parse((await at(1).get("/api/notices?query=roses")).body).total;
    await expect.poll(noticeCount, { timeout: 200_000, interval: 1_000 }).toBe(1);
    // The interval at which a server checks for what is due.
    await delay(5_000);
    expect(await noticeCount()).toBe(1);
    // Meanwhile all of them have joined the upkeep, which is planned once.
    const planned = () => cluster.database.sql("SELECT name || ' ' || cron FROM metahuman_jobs.schedule");
    await expect.poll(planned).toBe("delete-old-rows 17 3 * * *");
  }, 300_000);

  it("share one audit log, which a command and the doctor verify", async () => {
    const { environment, shared } = cluster;
    expect(await mh(shared, ["audit", "verify"], environment)).toMatchObject({ code: 0 });
    const doctor = await mh(shared, ["doctor"], environment);
    expect(doctor.out).toContain("Conversations: in the PostgreSQL database");
    expect(doctor.out).toContain("without pgvector 0.8, recalls find the newest memories only");
    expect(doctor.code).toBe(0);
  });

  it("take over the runs of one that was killed, and nothing is done twice", async () => {
    const folder = profilePaths(cluster.shared, "ada").memory.archive.files;
    const node = await cluster.start("four");
    const there = at(0).at(node.url);
    await there.post("/api/operator", { goal: 'append "one" to log.md' });
    const lock = openFileLock(join(folder, "write.lock"), "the workspace");
    const runId = await lock.hold(async () => {
      const response = await there.raw(
        "POST",
        "/api/operator",
        { goal: 'append "two" to log.md and append "three" to log.md' },
        { accept: "text/event-stream" },
      );
      const id = await runThatActs(response);
      await node.end("SIGKILL");
      return id;
    });
    lock.close();
    const status = async () => Run.parse((await at(1).get(`/api/runs/${runId}`)).body).status;
    await expect.poll(status, { timeout: 40_000, interval: 500 }).toBe("interrupted");
    expect((await at(2).post(`/api/runs/${runId}/resume`)).status).toBe(200);
    const received = await all(at(1).events(`/api/runs/${runId}/events`));
    // A part of an answer is not stored: it carries the number of the event before it.
    const events = received.filter(({ event }) => event !== "answer-delta");
    expect(events.map(({ event, id }) => `${id} ${event}`)).toEqual(
      events.map(({ event }, n) => `${String(n + 1)} ${event}`),
    );
    expect(events.at(-1)).toMatchObject({ event: "run-ended" });
    const { body } = await at(0).get("/api/files/content?path=out/log.md");
    for (const word of ["two", "three"])
      expect(JSON.stringify(body).split(word).length).toBeLessThanOrEqual(2);
  }, 90_000);

  it("refuse the writes of one that was suspended for longer than its lease, and nothing is done twice", async () => {
    const folder = profilePaths(cluster.shared, "ada").memory.archive.files;
    const node = await cluster.start("frozen");
    const there = at(0).at(node.url);
    await there.post("/api/operator", { goal: 'append "one" to ice.md' });
    const lock = openFileLock(join(folder, "write.lock"), "the workspace");
    const runId = await lock.hold(async () => {
      const response = await there.raw(
        "POST",
        "/api/operator",
        { goal: 'append "two" to ice.md and append "three" to ice.md' },
        { accept: "text/event-stream" },
      );
      const id = await runThatActs(response);
      process.kill(node.pid, "SIGSTOP");
      return id;
    });
    lock.close();
    try {
      const status = async () => Run.parse((await at(1).get(`/api/runs/${runId}`)).body).status;
      await expect.poll(status, { timeout: 40_000, interval: 500 }).toBe("interrupted");
      expect((await at(2).post(`/api/runs/${runId}/resume`)).status).toBe(200);
      expect((await all(at(1).events(`/api/runs/${runId}/events`))).at(-1)).toMatchObject({
        event: "run-ended",
      });
    } finally {
      process.kill(node.pid, "SIGCONT");
    }
    await expect.poll(async () => (await there.get("/api/ready")).status, { timeout: 10_000 }).toBe(200);
    // It ends once its actions have ended.
    await node.end("SIGTERM");
    const stored = await all(at(1).events(`/api/runs/${runId}/events`));
    const events = stored.filter(({ event }) => event !== "answer-delta");
    expect(events.map(({ id }) => id)).toEqual(events.map((_, n) => String(n + 1)));
    expect(events.filter(({ event }) => event === "run-ended")).toHaveLength(1);
    const { body } = await at(0).get("/api/files/content?path=out/ice.md");
    for (const word of ["two", "three"])
      expect(JSON.stringify(body).split(word).length).toBeLessThanOrEqual(2);
  }, 90_000);

  it("respond with 503 while every connection waits for a statement that hangs, and recover", async () => {
    const lock = await cluster.database.lock("metahuman.conversations");
    const asked = Array.from({ length: 14 }, () => at(1).get("/api/conversations"));
    try {
      const answers = await Promise.all(asked);
      for (const { status, body, headers } of answers) {
        expect({ status, body }).toMatchObject({
          status: 503,
          body: { error: { code: "STORAGE_UNAVAILABLE" } },
        });
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
      const sentences = JSON.stringify(answers.map(({ body }) => body));
      expect(sentences).toContain("The database server had no free connection in time.");
      expect(sentences).toContain("The database took too long to answer");
    } finally {
      await lock.release();
    }
    expect((await at(1).get("/api/conversations")).status).toBe(200);
  }, 60_000);

  it("respond with 503 while the database is gone, and recover without a restart", async () => {
    await cluster.database.crash();
    const ready = await at(0).get("/api/ready");
    expect(ready).toMatchObject({ status: 503, body: { error: { code: "STORAGE_UNAVAILABLE" } } });
    expect(Number(ready.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await at(0).get("/api/health")).status).toBe(503);
    expect((await nodes[0]?.client().get("/api/health"))?.status).toBe(200);
    expect((await at(1).post("/api/operator", { goal: "what can you do?" })).status).toBe(503);
    await cluster.database.start();
    await expect.poll(async () => (await at(0).get("/api/ready")).status, { timeout: 10_000 }).toBe(200);
    expect((await at(1).post("/api/operator", { goal: "what can you do?" })).status).toBe(200);
  }, 60_000);

  it("end at the start with a sentence for each problem", async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), "mh-other-"));
    const older = await startOlderServer(cluster.database);
    const nobody = `postgres://ada@127.0.0.1:${await freePort()}/mh`;
    const sentences = [
      [
        { METAHUMAN_DATABASE_URL: "mysql://db.example/mh" },
        "METAHUMAN_DATABASE_URL is not the address of a PostgreSQL database.",
      ],
      [{ METAHUMAN_DATABASE_URL: nobody }, "The database server cannot be reached."],
      [
        { METAHUMAN_DATABASE_URL: older.url },
        "The database server is PostgreSQL 13; version 14 or later is needed.",
      ],
      [
        { METAHUMAN_DATABASE_URL: cluster.database.url({ password: "wrong" }) },
        "The database server rejects the user or password in METAHUMAN_DATABASE_URL.",
      ],
      [
        { METAHUMAN_DATABASE_URL: cluster.database.url({ database: "missing" }) },
        "The database named in METAHUMAN_DATABASE_URL does not exist.",
      ],
      [{ METAHUMAN_SECRET_KEY: "" }, "METAHUMAN_SECRET_KEY is not set."],
      [
        { METAHUMAN_SECRET_KEY: Buffer.alloc(32, 8).toString("base64") },
        "METAHUMAN_SECRET_KEY is not the key with which the secrets in this database were encrypted.",
      ],
      [
        { METAHUMAN_WORKSPACE: pathToFileURL(elsewhere).href },
        "The data folder of this server is not the one that the other servers of this database use.",
      ],
    ] as const;
    for (const [env, sentence] of sentences) {
      const output = await cluster.failure(env);
      expect(output).toContain(sentence);
      expect(output).not.toContain(PASSWORD);
      expect(output).not.toContain(encodeURIComponent(PASSWORD));
      expect(output).not.toContain(SECRET_KEY);
    }
    await older.close();
    await rm(elsewhere, { recursive: true });
  }, 60_000);
});
