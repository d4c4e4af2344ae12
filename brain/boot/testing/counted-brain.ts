import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentName } from "@metahuman/core/contract/agents";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain } from "../brain.ts";
import { createBrain } from "../create-brain.ts";

/** A transaction that a brain has sent to its database. */
export interface SentTransaction {
  /** The first one names the profile. */
  statements: string[];
  /** How often a statement was sent while none before it was on its way. */
  roundTrips: number;
}

export interface CountedBrain {
  brain: Brain;
  /** The transactions since the last `reset`. */
  sent(): readonly SentTransaction[];
  /** Those of one profile, without those that serve all. */
  sentOfProfiles(): SentTransaction[];
  reset(): void;
  /** Adds accounts; the first one is the owner. */
  addPeople(usernames: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a brain on an empty database in memory and counts what it sends. Without `runsAgents`, no agent starts by itself. */
export async function openCountedBrain({ runsAgents = true } = {}): Promise<CountedBrain> {
  const home = await mkdtemp(join(tmpdir(), "counted-brain-"));
  if (!runsAgents) {
    const settings = AgentName.options.map((agent) => [agent, { enabled: false }]);
    await mkdir(join(home, "etc"));
    await writeFile(join(home, "etc/agents.json"), JSON.stringify(Object.fromEntries(settings)));
  }
  const database = await openPGlite();
  let sent: SentTransaction[] = [];
  const counting: Driver = {
    withConnection(work, options) {
      const transaction: SentTransaction = { statements: [], roundTrips: 0 };
      sent.push(transaction);
      return database.withConnection((connection) => {
        let pending = 0;
        return work({
          async query(text, values) {
            transaction.statements.push(text);
            if (pending === 0) transaction.roundTrips += 1;
            pending += 1;
            try {
              return await connection.query(text, values);
            } finally {
              pending -= 1;
            }
          },
        });
      }, options);
    },
    close: () => database.close(),
  };
  const brain = await createBrain({
    home,
    logger: createLogger({ level: "silent" }),
    env: {
      OLLAMA_HOST: "http://127.0.0.1:9",
      METAHUMAN_DATABASE_URL: "postgres://ada@db.example/mh",
      METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    },
    connect: () => counting,
  });
  return {
    brain,
    sent: () => sent,
    sentOfProfiles: () => sent.filter(({ statements: [begin] }) => begin?.includes("metahuman.profile")),
    reset: () => void (sent = []),
    async addPeople([owner = "", ...members]) {
      const origin = { address: "test", fromLoopback: true };
      await brain.accounts.setup({ username: owner, password: passwordOf(owner) }, origin);
      for (const username of members)
        await brain.accounts.add({ username, password: passwordOf(username), role: "member" });
    },
    async close() {
      await brain.close({ graceMs: 0 });
      await rm(home, { recursive: true, force: true });
    },
  };
}

const passwordOf = (username: string) => `a good password of ${username}`;
