import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { createLogger } from "@metahuman/core/log/logger";
import { newRecords } from "@metahuman/core/memory/testing/test-record";
import type { Connection } from "@metahuman/postgres/session";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain, Profile } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const byAda = { source: { kind: "user" }, trust: "trusted" } as const;
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;
const MEMORIES = 2_000;

/** Called before each statement; may throw. */
let onStatement: (text: string) => void = () => undefined;

/** A database in memory that outlives the brains that use it. */
async function openSharedDatabase() {
  const memory = await openPGlite();
  const connect = (): Driver => ({
    withConnection: (work) =>
      memory.withConnection((connection: Connection) =>
        work({
          query(text, values) {
            onStatement(text);
            return connection.query(text, values);
          },
        }),
      ),
    close: async () => undefined,
  });
  return { connect, close: () => memory.close() };
}

let root: string;
let database: Awaited<ReturnType<typeof openSharedDatabase>>;
const logger = createLogger({ level: "silent" });

const places = {
  files: (home: string) => createBrain({ home, env: { OLLAMA_HOST: "http://127.0.0.1:9" }, logger }),
  "a database": (home: string) =>
    createBrain({
      home,
      env: {
        OLLAMA_HOST: "http://127.0.0.1:9",
        METAHUMAN_DATABASE_URL: "postgres://ada@db.example/mh",
        METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
        METAHUMAN_NODE: "one",
        METAHUMAN_WORKSPACE: pathToFileURL(join(root, "shared")).href,
      },
      connect: database.connect,
      logger,
    }),
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "idle-"));
  database = await openSharedDatabase();
}, 60_000);
afterAll(async () => {
  await database.close();
  await rm(root, { recursive: true, force: true });
});

describe.each(Object.entries(places))("profiles in %s", (place, open) => {
  let brain: Brain;
  beforeAll(async () => {
    brain = await open(join(root, place));
    await brain.accounts.setup(ADA, { address: "test", fromLoopback: true });
  }, 60_000);
  afterAll(() => brain.close({ graceMs: 0 }));

  const remember = async (content: string): Promise<string> => {
    const { profile, release } = await brain.holdProfile("ada");
    try {
      const memory = { type: "observation" as const, content };
      return (await profile.memory.add(memory, { source: { kind: "user" }, trust: "trusted" })).id;
    } finally {
      release();
    }
  };

  /** Closes ada's profile, once it has nothing more to do, and opens it again. */
  const reopened = async (before: Profile): Promise<Profile> => {
    let profile = before;
    const reopen = async () => {
      await brain.closeIdleProfiles(0);
      return (profile = await brain.profile("ada"));
    };
    await expect.poll(reopen).not.toBe(before);
    return profile;
  };

  it("are closed when nobody uses them, and the next use opens them again with what was stored", async () => {
    const id = await remember("The greenhouse key hangs behind the blue door.");
    const first = await brain.profile("ada");
    await brain.closeIdleProfiles(3_600_000);
    expect(await brain.profile("ada")).toBe(first);
    const second = await reopened(first);
    const recalled = await second.memory.recall({ query: "where is the greenhouse key" });
    expect(recalled.map(({ memory }) => memory.id)).toEqual([id]);
  });

  it("stay open while they are in use", async () => {
    const { profile, release } = await brain.holdProfile("ada");
    await brain.closeIdleProfiles(0);
    expect(await brain.profile("ada")).toBe(profile);
    release();
    release();
    await reopened(profile);
    await expect(brain.holdProfile("carl")).rejects.toThrow(NotFoundError);
  });

  it("lose no request and no write if they are closed repeatedly in between", async () => {
    const before = (await (await brain.profile("ada")).memory.list({ limit: 1 })).total;
    const opened = new Set<Profile>();
    const stop = new AbortController();
    const closing = (async () => {
      while (!stop.signal.aborted) {
        await brain.closeIdleProfiles(0);
        await nextTurn();
      }
    })();
    for (let round = 0; round < 12; round += 1) {
      await Promise.all([remember(`note ${round} a`), remember(`note ${round} b`)]);
      const { profile, release } = await brain.holdProfile("ada");
      opened.add(profile);
      expect((await profile.memory.list({ limit: 1 })).total).toBe(before + 2 * (round + 1));
      release();
      // Yields until a close has begun, so that the next use arrives during it.
      for (let turn = 0; turn < round; turn += 1) await nextTurn();
    }
    stop.abort();
    await closing;
    expect(opened.size).toBeGreaterThan(2);
  }, 60_000);

  it("stay open while a reminder is due soon, and while a conversation in emulation is in memory", async () => {
    await brain.closeIdleProfiles(0);
    const profile = await brain.profile("ada");
    const { schedule } = await profile.schedules.create(
      {
        what: { kind: "reminder", text: "Stretch" },
        when: { kind: "at", at: new Date(Date.now() + 40_000).toISOString() },
      },
      { actor: "ada" },
    );
    await brain.closeIdleProfiles(0);
    expect(await brain.profile("ada")).toBe(profile);
    await profile.schedules.remove(schedule.id);
    const as = { identity: { ...identity, mode: "emulation" }, surface: "page" } as const;
    const run = await profile.operator.start({ goal: "hello" }, as);
    await profile.operator.settled(run.id);
    await brain.closeIdleProfiles(0);
    expect(await brain.profile("ada")).toBe(profile);
  });
});

it("tells of what another server changed, also before anybody has used the memories here", async () => {
  const writing = await places["a database"](join(root, "writing"));
  const reading = await places["a database"](join(root, "reading"));
  try {
    const { changes } = await reading.profile("ada");
    const before = changes().memories;
    const { memory } = await writing.profile("ada");
    await memory.add({ type: "observation", content: "The kettle is new." }, byAda);
    await expect.poll(() => changes().memories, { timeout: 10_000 }).toBeGreaterThan(before);
  } finally {
    for (const brain of [writing, reading]) await brain.close({ graceMs: 0 });
  }
}, 60_000);

it("copies no more records once a part of the profile could not be opened", async () => {
  const home = join(root, "a database");
  const filling = await places["a database"](home);
  const profile = await filling.profile("ada");
  await profile.memory.importMany(Array.from({ length: MEMORIES }, newRecords.memory));
  await filling.close({ graceMs: 0 });
  await rm(join(home, "profiles", ".cache"), { recursive: true });

  const brain = await places["a database"](home);
  let copied = 0;
  onStatement = (text) => {
    if (text.includes("FROM record_heads") || text.includes("FROM records")) copied += 1;
    if (text.includes("FROM runs") || text.includes("FROM approvals")) throw new RangeError("out of order");
  };
  try {
    await expect(brain.profile("ada")).rejects.toThrow("out of order");
    copied = 0;
    for (let turn = 0; turn < 20; turn += 1) await brain.requireReady();
    expect(copied).toBe(0);
  } finally {
    onStatement = () => undefined;
    await brain.close({ graceMs: 0 });
  }
}, 60_000);
