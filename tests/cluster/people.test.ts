import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openAuditKey } from "@metahuman/core/audit/signed-chain";
import { RunEvent } from "@metahuman/core/contract/event";
import { OperatorPending } from "@metahuman/core/contract/http";
import { openPostgresAuditLog } from "@metahuman/postgres/audit/open-audit-log";
import { openPostgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { quantile } from "../bench/statistics.ts";
import { mh } from "../support/cli.ts";
import { type Answer, Client } from "../support/client.ts";
import { processorTime } from "../support/processor-time.ts";
import { OWNER, type ServerProcess } from "../support/server.ts";
import { type Cluster, openCluster } from "./nodes.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { findPrograms, freePort } from "./server.ts";

const programs = await findPrograms();
const size = (name: string, usual: number): number => Number(process.env[`CLUSTER_${name}`] ?? usual);
const PEOPLE = size("PEOPLE", 20);
const RUNS = size("RUNS", 200);
/** How many event streams are open at a time while everybody waits for a run. */
const STREAMS = size("STREAMS", 20);
/** The time over which the requests of a person are spread, in seconds. */
const SECONDS = size("SECONDS", 60);
/** Whether the database flushes every commit to its disk, as an installation does. */
const isDurable = size("DURABLE", 0) === 1;
/** How many streams follow each run of a person, so that all people together have `STREAMS`. */
const streamsOf = (place: number): number =>
  Math.max(1, Math.floor(((place + 1) * STREAMS) / PEOPLE) - Math.floor((place * STREAMS) / PEOPLE));
/** How many people set up or check something at a time. */
const AT_A_TIME = 8;
/** How often a server is killed, in milliseconds. */
const KILL_EVERY_MS = 10_000;
/**
 * How long nothing may be acknowledged and no event arrive before the scenario counts as stuck, in milliseconds. A person may wait
 * longer: on a busy machine, everybody waits.
 */
const STUCK_AFTER_MS = 180_000;
/** Only a scenario that neither ends nor gets stuck takes so long, in milliseconds. */
const LIMIT_MS = 3_600_000;
/** The file with the findings. */
const REPORT = join(import.meta.dirname, "../../artifacts/results/people.json");

const Listed = z.object({ items: z.array(z.object({ id: z.string() })) });

/** A run that the server has acknowledged, with its events as each stream received them. */
interface Followed {
  runId: string;
  word: string;
  streams: RunEvent[][];
}

/** What the people have seen so far. */
class Progress {
  #movedAt = performance.now();
  /** How long each request took, in milliseconds, with the failed ones. */
  readonly requests: number[] = [];
  /** How long a person waited from a request to the end of its run, in milliseconds. */
  readonly waits: number[] = [];
  /** What each waiting person waits for. */
  readonly waiting = new Map<string, string>();
  failed = 0;
  #streams = 0;
  /** The maximum number of event streams that were open at a time. */
  streamsAtOnce = 0;

  opened(): void {
    this.#streams += 1;
    this.streamsAtOnce = Math.max(this.streamsAtOnce, this.#streams);
  }

  closed(): void {
    this.#streams -= 1;
  }

  moved(): void {
    this.#movedAt = performance.now();
  }

  /** Rejects when nothing has moved for too long. */
  async untilStuck(signal: AbortSignal, describeState: () => Promise<string>): Promise<void> {
    while (!signal.aborted) {
      await delay(1_000, undefined, { signal }).catch(() => undefined);
      if (performance.now() - this.#movedAt < STUCK_AFTER_MS) continue;
      const waiting = [...this.waiting].slice(0, 20).map((each) => each.join(": "));
      throw new Error(`Nothing moves any more:\n${waiting.join("\n")}\n${await describeState()}`);
    }
  }

  /** Sends a request and keeps how it went. */
  async sent(who: string, what: string, request: () => Promise<Answer>): Promise<Answer> {
    const started = performance.now();
    try {
      const answer = await request();
      this.waiting.set(
        who,
        `${what}: ${answer.status} ${answer.status < 300 ? "" : JSON.stringify(answer.body)}`,
      );
      if (answer.status < 300) this.moved();
      else this.failed += 1;
      return answer;
    } catch (error) {
      this.failed += 1;
      this.waiting.set(who, `${what}: ${String(error)}`);
      throw error;
    } finally {
      this.requests.push(performance.now() - started);
    }
  }
}

/** Repeats what another server may answer: a server that was killed, is starting, or has no database. */
async function untilAnswered<Result>(work: () => Promise<Result | undefined>): Promise<Result> {
  for (;;) {
    const result = await work().catch(() => undefined);
    if (result !== undefined) return result;
    await delay(200);
  }
}

/** Asks until a server has stored the request. A request whose answer was lost is found by its word. */
async function ask(person: Client, word: string, progress: Progress): Promise<string> {
  return untilAnswered(async () => {
    const known = await progress.sent(word, "look", () => person.get(`/api/runs?query=${word}`));
    if (known.status !== 200) return undefined;
    const [run] = Listed.parse(known.body).items;
    if (run) return run.id;
    const goal = `append "${word}" to log.md`;
    const stored = await progress.sent(word, "ask", () =>
      person.post("/api/operator", { goal, background: true }),
    );
    return stored.status === 202 ? OperatorPending.parse(stored.body).runId : undefined;
  });
}

/** The activity of every connection to the database, and what it waits for. */
const CONNECTIONS = `SELECT concat_ws(' ', application_name, state, wait_event_type, wait_event,
    round(extract(epoch FROM clock_timestamp() - state_change)::numeric, 1), left(query, 200))
  FROM pg_stat_activity WHERE backend_type = 'client backend' ORDER BY application_name, state`;

/** Follows a run over all servers until its end. One of its streams resumes it when its server was killed. */
async function follow(
  person: Client,
  runId: string,
  { resumes, onEvent }: { resumes: boolean; onEvent: (event: RunEvent) => void },
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  await untilAnswered(async () => {
    const last = events.at(-1);
    if (last?.type === "run-ended") return true;
    if (resumes && last?.type === "run-interrupted") await person.post(`/api/runs/${runId}/resume`);
    const from = String(last?.seq ?? 0);
    const headers = { "last-event-id": from };
    for await (const { data } of person.events(`/api/runs/${runId}/events`, { headers })) {
      const event = RunEvent.parse(data);
      if (event.type === "answer-delta") continue;
      events.push(event);
      onEvent(event);
      if (resumes && event.type === "run-interrupted") break;
    }
    return undefined;
  });
  return events;
}

/** The problems with the runs of one person; all but the first two are 0 without problems. */
interface Findings {
  runs: number;
  /** Runs whose server was killed while it executed them. */
  interrupted: number;
  /** Acknowledged requests whose line is missing, although nothing interrupted them. */
  lostWrites: number;
  doneTwice: number;
  endedTwice: number;
  /** Streams with an event that is missing, double or other than what is stored. */
  streamsWithOtherEvents: number;
}

async function inspect(client: Client, runs: readonly Followed[]): Promise<Findings> {
  const found = { runs: runs.length, interrupted: 0, lostWrites: 0, doneTwice: 0, endedTwice: 0 };
  let streamsWithOtherEvents = 0;
  const text = JSON.stringify((await client.get("/api/files/content?path=out/log.md")).body);
  for (const { runId, word, streams } of runs) {
    const stored: RunEvent[] = [];
    for await (const { data } of client.events(`/api/runs/${runId}/events`))
      stored.push(RunEvent.parse(data));
    const isNumbered = stored.every(({ seq }, n) => seq === n + 1);
    for (const events of streams)
      if (!isNumbered || !isDeepStrictEqual(events, stored)) streamsWithOtherEvents += 1;
    const wasInterrupted = stored.some(({ type }) => type === "run-interrupted");
    const times = text.split(word).length - 1;
    if (wasInterrupted) found.interrupted += 1;
    // The outcome of a step during which its server was killed is unknown.
    if (times === 0 && !wasInterrupted) found.lostWrites += 1;
    if (times > 1) found.doneTwice += 1;
    if (stored.filter(({ type }) => type === "run-ended").length !== 1) found.endedTwice += 1;
  }
  return { ...found, streamsWithOtherEvents };
}

/** Does something for all items, a few at a time. */
async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let next = 0; next < items.length; next += AT_A_TIME)
    results.push(...(await Promise.all(items.slice(next, next + AT_A_TIME).map(work))));
  return results;
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
      cluster = await openCluster(programs ?? "", { isDurable });
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
      const names = Array.from({ length: PEOPLE }, (_, n) => `person-${n}`);
      people = await inGroups(names, async (name) => {
        const credentials = { username: name, password: `a good password of ${name}` };
        expect((await owner.post("/api/profiles", credentials)).status).toBe(201);
        const client = new Client(proxy.url);
        expect((await client.signIn(credentials)).status).toBe(200);
        return { name, client };
      });
    }, LIMIT_MS);
    afterAll(async () => {
      await proxy.close();
      await cluster.remove();
      for (const home of homes) await rm(home, { recursive: true, force: true });
    });

    it(
      "lose nothing that was acknowledged, and every run ends once, with every event once",
      async () => {
        const begun = performance.now();
        const stop = new AbortController();
        const progress = new Progress();
        const before = { transactions: await transactions(), database: await databaseTime() };
        let kills = 0;
        let serversMs = -(await processorTime(nodes.map(({ server }) => server.pid)));
        const killing = (async () => {
          for (;;) {
            await delay(KILL_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
            const node = nodes[kills % nodes.length];
            if (stop.signal.aborted || !node) return;
            kills += 1;
            serversMs += await processorTime([node.server.pid]);
            await node.server.end("SIGKILL");
            node.server = await startNode(node.name, node.port, node.home);
          }
        })();

        const perPerson = Math.ceil(RUNS / PEOPLE);
        const pause = (SECONDS * 1_000) / perPerson;
        const work = people.map(async ({ name, client }, index) => {
          const done: Followed[] = [];
          for (let n = 0; n < perPerson; n += 1) {
            const started = performance.now();
            const word = `${name}x${n}x`;
            const runId = await ask(client, word, progress);
            const streams = await Promise.all(
              Array.from({ length: streamsOf(index) }, async (_, stream) => {
                progress.opened();
                const events = await follow(client, runId, {
                  resumes: stream === 0,
                  onEvent(event) {
                    progress.moved();
                    progress.waiting.set(word, `${runId}, stream ${stream}: ${event.seq} ${event.type}`);
                  },
                });
                progress.closed();
                return events;
              }),
            );
            done.push({ runId, word, streams });
            progress.waiting.delete(word);
            progress.waits.push(performance.now() - started);
            await delay(Math.max(0, pause - (performance.now() - started) + index));
          }
          return done;
        });
        const all = Promise.all(work);
        await Promise.race([all, progress.untilStuck(stop.signal, () => cluster.database.sql(CONNECTIONS))]);
        const followed = await all;
        stop.abort();
        await killing;
        expect(kills).toBeGreaterThan(0);
        const seconds = Math.round((performance.now() - begun) / 1_000);
        serversMs += await processorTime(nodes.map(({ server }) => server.pid));
        const databaseMs = (await databaseTime()) - before.database;
        const sent = (await transactions()) - before.transactions;

        const found = await inGroups([...followed.entries()], async ([place, runs]) => {
          const person = people[place];
          if (!person) throw new Error("no such person");
          return inspect(person.client, runs);
        });
        const total = (name: keyof Findings) => found.reduce((sum, one) => sum + one[name], 0);
        const quantiles = (durations: readonly number[]) =>
          [0.5, 0.95, 1].map((share) => Math.round(quantile(durations, share)));
        const perRun = (amount: number) => Math.round(amount / total("runs"));
        const report = {
          ...{ isDurable, people: PEOPLE, kills, seconds, runs: total("runs") },
          streams: { asked: STREAMS, mostAtOnce: progress.streamsAtOnce },
          interrupted: total("interrupted"),
          lostWrites: total("lostWrites"),
          doneTwice: total("doneTwice"),
          endedTwice: total("endedTwice"),
          streamsWithOtherEvents: total("streamsWithOtherEvents"),
          unverifiedLogs: await countUnverifiedLogs(),
          requests: { sent: progress.requests.length, failed: progress.failed },
          "ms of a request: p50, p95, most": quantiles(progress.requests),
          "ms until a run had ended: p50, p95, most": quantiles(progress.waits),
          transactionsPerRun: perRun(sent),
          processorMsPerRun: { servers: perRun(serversMs), database: perRun(databaseMs) },
        };
        await mkdir(dirname(REPORT), { recursive: true });
        await writeFile(REPORT, `${JSON.stringify(report, null, 2)}\n`);
        expect(report).toMatchObject({
          runs: perPerson * PEOPLE,
          lostWrites: 0,
          doneTwice: 0,
          endedTwice: 0,
          streamsWithOtherEvents: 0,
          unverifiedLogs: 0,
        });
      },
      LIMIT_MS,
    );

    const databaseTime = async () => await processorTime(await cluster.database.processes());
    const transactions = async () =>
      Number(await cluster.database.sql("SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database"));

    /** The audit logs that a command finds broken: of the first person through the command, of all others in this process. */
    async function countUnverifiedLogs(): Promise<number> {
      const [first, ...others] = people.map(({ name }) => name);
      const { code } = await mh(cluster.shared, ["-u", first ?? "", "audit", "verify"], cluster.environment);
      const database = await openPostgres(openPool(cluster.database.url()));
      const key = openAuditKey(cluster.shared, cluster.environment);
      const verified = await inGroups(others, async (name) => {
        const audit = openPostgresAuditLog(database, name, { key });
        try {
          return await audit.verify();
        } finally {
          await audit.close();
        }
      });
      await database.close();
      return (code === 0 ? 0 : 1) + verified.filter(({ ok }) => !ok).length;
    }
  },
);
