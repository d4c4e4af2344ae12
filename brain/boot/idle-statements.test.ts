import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const PEOPLE = ["ada", "ben", "carl", "dora"];
const passwordOf = (username: string) => `a good password of ${username}`;
/** How often it takes turns with what a timer began. */
const TURNS = 20;

/** The statements of each transaction since the last reset. The first one names the profile. */
let transactions: string[][] = [];
let home: string;
let brain: Brain;

beforeAll(async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    shouldAdvanceTime: true,
  });
  home = await mkdtemp(join(tmpdir(), "idle-statements-"));
  const database = await openPGlite();
  const counting: Driver = {
    withConnection: (work, options) =>
      database.withConnection((connection) => {
        const statements: string[] = [];
        transactions.push(statements);
        return work({
          query(text, values) {
            statements.push(text);
            return connection.query(text, values);
          },
        });
      }, options),
    close: () => database.close(),
  };
  brain = await createBrain({
    home,
    logger: createLogger({ level: "silent" }),
    env: {
      OLLAMA_HOST: "http://127.0.0.1:9",
      METAHUMAN_DATABASE_URL: "postgres://ada@db.example/mh",
      METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    },
    connect: () => counting,
  });
  const [owner = "", ...members] = PEOPLE;
  await brain.accounts.setup(
    { username: owner, password: passwordOf(owner) },
    { address: "test", fromLoopback: true },
  );
  for (const username of members)
    await brain.accounts.add({ username, password: passwordOf(username), role: "member" });
}, 60_000);
afterAll(async () => {
  vi.useRealTimers();
  await brain.close({ graceMs: 0 });
  await rm(home, { recursive: true, force: true });
});

/** Lets time pass in steps, and waits in each for the statements that it brings. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    for (let turn = 0; turn < TURNS; turn += 1) {
      await brain.requireReady();
      await nextTurn();
    }
  }
}

it("sends no statement for an open profile that nobody uses, and one for all of them each second", async () => {
  for (const username of PEOPLE) await brain.profile(username);
  // What follows an opening, such as the agents that are due, takes its time.
  let ofProfiles: string[][];
  do {
    transactions = [];
    await pass(60);
    ofProfiles = transactions.filter(([begin]) => begin?.includes("metahuman.profile"));
  } while (ofProfiles.length > 0);
  // The database was asked all the time, for all of them together.
  expect(transactions.length).toBeGreaterThan(60);
  const polls = transactions.filter((statements) => statements.some((text) => text.includes("unnest")));
  expect(polls.length).toBeLessThan(2 * 60);
}, 120_000);
