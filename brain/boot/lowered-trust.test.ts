import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import type { Brain } from "./brain.ts";
import { createBrain } from "./create-brain.ts";

const ADA = { username: "ada", password: "correct horse battery" };
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

describe("a run at one of two servers on one database", () => {
  let home: string;
  let database: Driver;
  let here: Brain;
  let elsewhere: Brain;
  /** The action of the other server before this one authorizes the call of a step. */
  let before: { step: number; work: () => Promise<unknown> } | undefined;

  const open = (name: string, driver: Driver): Promise<Brain> =>
    createBrain({
      home: join(home, name),
      logger: createLogger({ level: "silent" }),
      env: {
        OLLAMA_HOST: "http://127.0.0.1:9",
        METAHUMAN_DATABASE_URL: "postgres://ada@db.example/mh",
        METAHUMAN_WORKSPACE: pathToFileURL(join(home, "shared")).href,
        METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      },
      connect: () => driver,
    });

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "lowered-trust-"));
    database = await openPGlite();
    // The last query of a run before it authorizes the call is whether the step was started before.
    const interrupted: Driver = {
      async withConnection(work, options) {
        const statements: { text: string; values: readonly unknown[] }[] = [];
        const result = await database.withConnection(
          (connection) =>
            work({
              query(text, values) {
                statements.push({ text, values: values ?? [] });
                return connection.query(text, values);
              },
            }),
          options,
        );
        const isLast = statements.some(
          ({ text, values }) => text.includes("= 'action-started'") && values.includes(before?.step),
        );
        if (!isLast) return result;
        const change = before?.work;
        before = undefined;
        await change?.();
        return result;
      },
      close: async () => undefined,
    };
    here = await open("here", interrupted);
    elsewhere = await open("elsewhere", { ...database, close: async () => undefined });
    await here.accounts.setup(ADA, { address: "test", fromLoopback: true });
  }, 60_000);
  afterAll(async () => {
    await here.close({ graceMs: 0 });
    await elsewhere.close({ graceMs: 0 });
    await database.close();
    await rm(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    const { store } = await here.profile("ada");
    await store.changeSettings((settings) => ({
      ...settings,
      trustLevel: "supervised_auto",
      skillOverrides: {},
    }));
    // On a busy machine, too, the result of a transaction stays known.
    vi.useFakeTimers({ toFake: ["performance"] });
    return () => vi.useRealTimers();
  });

  /** Executes a request here; the other server makes a change before the second call is authorized. */
  async function run(goal: string, change: () => Promise<unknown>) {
    const profile = await here.profile("ada");
    let isChanged = false;
    before = {
      step: 2,
      work: async () => {
        await change();
        isChanged = true;
      },
    };
    const { id } = await profile.operator.start({ goal }, { identity, surface: "page" });
    const ended = await profile.operator.settled(id);
    expect(isChanged).toBe(true);
    return ended;
  }
  const exists = async (name: string): Promise<boolean> =>
    readFile(join((await here.profile("ada")).store.folder, "out", name)).then(
      () => true,
      () => false,
    );

  it("makes no further change after the trust level was lowered at the other", async () => {
    const { store } = await elsewhere.profile("ada");
    await run('append "one" to a.md and append "two" to b.md', () =>
      store.changeSettings((settings) => ({ ...settings, trustLevel: "observe" })),
    );
    expect([await exists("a.md"), await exists("b.md")]).toEqual([true, false]);
  });

  it("does not call a skill after it was forbidden at the other", async () => {
    const { store } = await elsewhere.profile("ada");
    await run('append "one" to c.md and append "two" to d.md', () =>
      store.changeSettings((settings) => ({ ...settings, skillOverrides: { fs_append: "never" } })),
    );
    expect([await exists("c.md"), await exists("d.md")]).toEqual([true, false]);
  });

  it("asks again after a permission was revoked at the other", async () => {
    const mine = await here.profile("ada");
    const theirs = await elsewhere.profile("ada");
    const ask = async (goal: string) => {
      const { id } = await mine.operator.start({ goal }, { identity, surface: "page" });
      return mine.operator.settled(id);
    };
    await ask('append "one" to e.md');
    const asked = await ask("delete e.md");
    if (asked.pending?.kind !== "approval") throw new Error("was not asked");
    await mine.operator.decide(asked.pending.approvalId, "always");
    await mine.operator.settled(asked.id);
    const ended = await run('append "two" to e.md and delete e.md', async () => {
      const grants = await theirs.approvals.grants();
      expect(grants).toMatchObject([{ skill: "fs_delete" }]);
      for (const { id } of grants) await theirs.approvals.revokeGrant(id);
    });
    expect(ended.pending?.kind).toBe("approval");
    expect(await exists("e.md")).toBe(true);
  });
});
