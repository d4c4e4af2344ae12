import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

/** The statements of each transaction since the last reset. */
let transactions: string[][] = [];
/** How often statements were sent while none before them was on its way. */
let roundTrips = 0;
let home: string;
let brain: Brain;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "transactions-"));
  const database = await openPGlite();
  const counting: Driver = {
    withConnection(work, options) {
      const statements: string[] = [];
      transactions.push(statements);
      return database.withConnection((connection) => {
        let underWay = 0;
        return work({
          async query(text, values) {
            statements.push(text);
            if (underWay === 0) roundTrips += 1;
            underWay += 1;
            try {
              return await connection.query(text, values);
            } finally {
              underWay -= 1;
            }
          },
        });
      }, options);
    },
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
  await brain.accounts.setup(ADA, { address: "test", fromLoopback: true });
}, 60_000);
afterAll(async () => {
  vi.useRealTimers();
  await brain.close({ graceMs: 0 });
  await rm(home, { recursive: true, force: true });
});

async function ask(goal: string): Promise<void> {
  const profile = await brain.profile("ada");
  const run = await profile.operator.start({ goal }, { identity, surface: "page" });
  expect(await profile.operator.settled(run.id)).toMatchObject({ outcome: "answered" });
}

it("needs few transactions and round trips for a short request", async () => {
  await ask('append "one" to log.md');
  await ask('append "two" to log.md');
  // What was known just before stays known, however busy this machine is.
  vi.useFakeTimers({ toFake: ["performance"] });
  transactions = [];
  roundTrips = 0;
  await ask('append "three" to log.md');
  const ended = transactions.filter((statements) => statements.at(-1)?.endsWith("COMMIT"));
  // 28 with 85 round trips on an idle machine. Background work may come in between.
  expect(ended.length).toBeLessThanOrEqual(32);
  expect(roundTrips).toBeLessThanOrEqual(95);
  for (const statements of ended) {
    expect(statements[0]).toMatch(/^BEGIN; SELECT set_config/);
    expect(statements.filter((text) => /^BEGIN|COMMIT$/.test(text))).toHaveLength(2);
  }
});
