import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorPending } from "@metahuman/core/contract/http";
import { mh } from "../support/cli.ts";
import { Client } from "../support/client.ts";
import { OWNER, type ServerProcess } from "../support/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { findPrograms, freePort } from "./server.ts";

const programs = await findPrograms();
const size = (name: string, usual: number): number => Number(process.env[`CLUSTER_${name}`] ?? usual);
const PEOPLE = size("PEOPLE", 20);
const RUNS = size("RUNS", 200);
const SECONDS = size("SECONDS", 60);
/** How often a server is killed, in milliseconds. */
const KILL_EVERY_MS = 10_000;
/**
 * How long a person waits for a run, in milliseconds. Several servers may be killed while they carry it out, and each time its
 * lease must end first.
 */
const PATIENCE_MS = 240_000;

const Listed = z.object({ items: z.array(z.object({ id: z.string() })) });

/** A run that the server has acknowledged, with all its events in the order in which they were received. */
interface Followed {
  runId: string;
  word: string;
  events: RunEvent[];
}

/** Repeats what another server may answer: a server that was killed, is starting, or has no database. */
async function untilAnswered<Result>(
  work: () => Promise<Result | undefined>,
  state = async () => "",
): Promise<Result> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const result = await work().catch((error: unknown) => {
      if (performance.now() > deadline) throw error;
      return undefined;
    });
    if (result !== undefined) return result;
    if (performance.now() > deadline) throw new Error(`nobody answered in time: ${await state()}`);
    await delay(200);
  }
}

/** Asks until a server has stored the request. A request whose answer was lost is found by its word. */
async function ask(person: Client, word: string): Promise<string> {
  return untilAnswered(async () => {
    const known = await person.get(`/api/runs?query=${word}`);
    if (known.status !== 200) return undefined;
    const [run] = Listed.parse(known.body).items;
    if (run) return run.id;
    const goal = `append "${word}" to log.md`;
    const sent = await person.post("/api/operator", { goal, background: true });
    return sent.status === 202 ? OperatorPending.parse(sent.body).runId : undefined;
  });
}

/** Follows a run over all servers until its end, and resumes it when its server was killed. */
async function follow(person: Client, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const stateOf = async () =>
    JSON.stringify([events.map(({ type, at }) => [type, at]), (await person.get(`/api/runs/${runId}`)).body]);
  await untilAnswered(async () => {
    const last = events.at(-1);
    if (last?.type === "run-ended") return true;
    if (last?.type === "run-interrupted") await person.post(`/api/runs/${runId}/resume`);
    const from = String(last?.seq ?? 0);
    const headers = { "last-event-id": from };
    for await (const { data } of person.events(`/api/runs/${runId}/events`, { headers })) {
      const event = RunEvent.parse(data);
      if (event.type === "answer-delta") continue;
      events.push(event);
      if (event.type === "run-interrupted") break;
    }
    return undefined;
  }, stateOf);
  return events;
}

describe.runIf(programs)(
  `${PEOPLE} people at three servers, one of which is killed every ten seconds`,
  () => {
    let cluster: Cluster;
    let proxy: Proxy;
    let homes: string[];
    let nodes: { name: string; port: number; home: string; server: ServerProcess }[];
    let people: { name: string; client: Client }[];

    const startNode = (name: string, port: number, home: string) =>
      cluster.start(name, { PORT: String(port) }, home);

    beforeAll(async () => {
      cluster = await openCluster(programs ?? "");
      homes = [];
      nodes = [];
      for (const name of ["one", "two", "three"]) {
        const home = await mkdtemp(join(tmpdir(), "mh-node-"));
        homes.push(home);
        await mkdir(join(home, "etc"));
        await writeFile(join(home, "etc/server.json"), JSON.stringify({ allowedHosts: ["127.0.0.1"] }));
        const port = await freePort();
        nodes.push({ name, port, home, server: await startNode(name, port, home) });
      }
      proxy = await startProxy(nodes.map(({ port }) => port));
      const owner = new Client(proxy.url);
      expect((await owner.post("/api/auth/setup", OWNER)).status).toBeLessThan(300);
      people = [];
      for (let n = 0; n < PEOPLE; n += 1) {
        const name = `person-${n}`;
        const credentials = { username: name, password: `a good password ${n}` };
        expect((await owner.post("/api/profiles", credentials)).status).toBe(201);
        const client = new Client(proxy.url);
        expect((await client.signIn(credentials)).status).toBe(200);
        people.push({ name, client });
      }
    }, 300_000);
    afterAll(async () => {
      await proxy.close();
      await cluster.remove();
      for (const home of homes) await rm(home, { recursive: true, force: true });
    });

    it("lose nothing that was acknowledged, and every run ends once, with every event once", async () => {
      const stop = new AbortController();
      let kills = 0;
      const killing = (async () => {
        for (;;) {
          await delay(KILL_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
          const node = nodes[kills % nodes.length];
          if (stop.signal.aborted || !node) return;
          kills += 1;
          await node.server.end("SIGKILL");
          node.server = await startNode(node.name, node.port, node.home);
        }
      })();

      const perPerson = Math.ceil(RUNS / PEOPLE);
      const pause = (SECONDS * 1_000) / perPerson;
      const work = people.map(async ({ name, client }, place) => {
        const done: Followed[] = [];
        for (let n = 0; n < perPerson; n += 1) {
          const started = performance.now();
          const word = `${name}x${n}x`;
          const runId = await ask(client, word);
          done.push({ runId, word, events: await follow(client, runId) });
          await delay(Math.max(0, pause - (performance.now() - started) + place));
        }
        return done;
      });
      const followed = await Promise.all(work);
      stop.abort();
      await killing;
      expect(kills).toBeGreaterThan(0);

      for (const [place, runs] of followed.entries()) {
        const { name, client } = people[place] ?? {};
        if (!client || name === undefined) throw new Error("no such person");
        const file = await client.get("/api/files/content?path=out/log.md");
        const text = JSON.stringify(file.body);
        for (const { runId, word, events } of runs) {
          expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1));
          expect(events.filter(({ type }) => type === "run-ended")).toHaveLength(1);
          const again: RunEvent[] = [];
          for await (const { data } of client.events(`/api/runs/${runId}/events`))
            again.push(RunEvent.parse(data));
          expect(again).toEqual(events);
          const times = text.split(word).length - 1;
          expect(times).toBeLessThanOrEqual(1);
          // The outcome of a step during which its server was killed is unknown.
          const wasInterrupted = events.some(({ type }) => type === "run-interrupted");
          if (!wasInterrupted) expect(times).toBe(1);
        }
        const verified = await mh(cluster.shared, ["-u", name, "audit", "verify"], cluster.environment);
        expect(verified).toMatchObject({ code: 0 });
      }
    }, 600_000);
  },
);
