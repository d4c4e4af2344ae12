import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { running } from "@metahuman/core/runs/store-fixtures";
import { createPasswords } from "@metahuman/core/profiles/password";
import { fastPasswordWork } from "@metahuman/core/profiles/testing/test-accounts";
import { openPostgresAccounts } from "./accounts/open-accounts.ts";
import { openProfileDocuments } from "./profiles/open-profile-documents.ts";
import { openRecordRows } from "./records/record-rows.ts";
import { openPostgresRunStore } from "./runs/open-run-store.ts";
import type { Driver } from "./pg-driver.ts";
import { openPostgres, type Postgres } from "./open-postgres.ts";
import { createKnownHeads, FRESH_MS } from "./profile-heads.ts";
import { openPGlite } from "./testing/pglite.ts";

describe("the cached state of a profile", () => {
  let driver: Driver;
  let transactions = 0;
  /** Two processes. */
  let here: Postgres;
  let elsewhere: Postgres;
  let profile: string;
  let profiles = 0;
  beforeAll(async () => {
    driver = await openPGlite();
    const counting: Driver = {
      withConnection(work, options) {
        transactions += 1;
        return driver.withConnection(work, options);
      },
      close: () => driver.close(),
    };
    here = await openPostgres(counting);
    elsewhere = await openPostgres(driver);
  });
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    profile = `profile-${(profiles += 1)}`;
    return () => vi.useRealTimers();
  });
  afterAll(() => driver.close());

  async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
    const before = transactions;
    await work();
    return transactions - before;
  }

  it("saves reading settings again for a moment while nobody has changed them", async () => {
    const { store } = await openProfileDocuments(here, profile, { username: "ada", folder: "/ada" });
    await store.settings();
    expect(await transactionsOf(() => store.settings())).toBe(0);
    vi.advanceTimersByTime(FRESH_MS + 1);
    expect(await transactionsOf(() => store.settings())).toBe(1);
  });

  it("does not hide a change of another process from the next request", async () => {
    const options = { username: "ada", folder: "/ada" };
    const [mine, theirs] = [
      await openProfileDocuments(here, profile, options),
      await openProfileDocuments(elsewhere, profile, options),
    ];
    await mine.store.settings();
    await theirs.store.changeSettings({ trustLevel: "observe" });
    here.forgetHeads(profile);
    expect(await mine.store.settings()).toMatchObject({ trustLevel: "observe" });
    // Every reader of the database sees it, too.
    await theirs.store.changeSettings({ trustLevel: "suggest" });
    await here.inProfile(profile, async () => undefined);
    expect(await mine.store.settings()).toMatchObject({ trustLevel: "suggest" });
  });

  it("contains the changes of its own process at once", async () => {
    const [one, other] = [1, 2].map(() => openRecordRows(here, profile, { kind: "task" }));
    expect(await one?.changesAfter(0, 9)).toEqual({ rows: [], head: 0 });
    await other?.create([{ id: "task-1", path: "task-1.json", body: "{}" }]);
    expect((await one?.changesAfter(0, 9))?.rows).toMatchObject([{ id: "task-1" }]);
    expect(await transactionsOf(async () => one?.changesAfter(1, 9))).toBe(0);
  });

  it("returns a run from the cache until another process commits", async () => {
    const [mine, theirs] = [openPostgresRunStore(here, profile), openPostgresRunStore(elsewhere, profile)];
    const run = await running(mine, "what's in out?");
    expect(await transactionsOf(() => mine.run(run.id))).toBe(0);
    await theirs.removeConversation(run.conversationId).catch(() => undefined);
    await theirs.requestCancel(run.id);
    here.forgetHeads(profile);
    expect(await transactionsOf(() => mine.run(run.id))).toBe(1);
    await mine.append(run.claim, [{ type: "run-interrupted", reason: "It ended." }]);
    await mine.removeConversation(run.conversationId);
    await expect(mine.run(run.id)).rejects.toThrow("There is no such run.");
    await mine.close();
    await theirs.close();
  });

  it("is not updated by a transaction that was sent before a change was acknowledged", async () => {
    const known = createKnownHeads();
    const answer = (records: number, wrote: boolean) => ({
      rows: [{ documents: 0, records, commits: {}, wrote }],
    });
    const answered = Promise.withResolvers<ReturnType<typeof answer>>();
    const slow = known.update("ada", () => answered.promise);
    vi.advanceTimersByTime(1);
    await known.update("ada", async () => answer(2, true));
    vi.advanceTimersByTime(1);
    answered.resolve(answer(1, false));
    await slow;
    expect(known.of("ada")?.records).toBe(2);
  });

  it.each(["before", "after"])(
    "keeps what a request has noted when an earlier write is answered %s that",
    async (order) => {
      const known = createKnownHeads();
      vi.advanceTimersByTime(1);
      const answered = Promise.withResolvers<{ rows: unknown[] }>();
      const write = known.update("ada", () => answered.promise);
      // Meanwhile another process has changed record 7, and the request of a person asks for the state.
      vi.advanceTimersByTime(1);
      const at = performance.now();
      const note = () => known.noteRequest("ada", { documents: 0, records: 7, commits: {} }, at);
      if (order === "after") note();
      vi.advanceTimersByTime(1);
      answered.resolve({ rows: [{ documents: 1, records: 6, commits: { here: 1 }, wrote: true }] });
      await write;
      if (order === "before") note();
      known.forget("ada", { sinceRequest: true });
      expect(known.of("ada")).toEqual({ documents: 1, records: 7, commits: { here: 1 } });
    },
  );

  it("is the present state for a moment after its answer, however long that took", async () => {
    const known = createKnownHeads();
    const answered = Promise.withResolvers<{ rows: unknown[] }>();
    const slow = known.update("ada", () => answered.promise);
    vi.advanceTimersByTime(10 * FRESH_MS);
    answered.resolve({ rows: [{ documents: 0, records: 1, commits: {}, wrote: false }] });
    await slow;
    expect(known.of("ada")?.records).toBe(1);
    vi.advanceTimersByTime(FRESH_MS + 1);
    expect(known.of("ada")).toBeUndefined();
  });

  it("reads settings once for all that ask at the same moment, and again for whoever asks later", async () => {
    const options = { username: "ada", folder: "/ada" };
    const [mine, theirs] = [
      await openProfileDocuments(here, profile, options),
      await openProfileDocuments(elsewhere, profile, options),
    ];
    here.forgetHeads(profile);
    const asked = () => Promise.all([mine.store.settings(), mine.store.persona(), mine.store.settings()]);
    expect(await transactionsOf(asked)).toBe(1);
    here.forgetHeads(profile);
    const early = mine.store.settings();
    // The first read has been sent and answers before the change: a reader that comes after it may not share it.
    await Promise.resolve();
    await Promise.resolve();
    const changed = theirs.store.changeSettings({ trustLevel: "observe" });
    await changed;
    here.forgetHeads(profile);
    expect(await mine.store.settings()).toMatchObject({ trustLevel: "observe" });
    await early;
  });

  it("finds a run and reads it with one transaction", async () => {
    const [mine, theirs] = [openPostgresRunStore(here, profile), openPostgresRunStore(elsewhere, profile)];
    const run = await running(theirs, "what's in out?");
    const found = async () => [await mine.hasRun(run.id), (await mine.run(run.id)).lastSeq];
    expect(await transactionsOf(async () => expect(await found()).toEqual([true, 1]))).toBe(1);
    await theirs.append(run.claim, [{ type: "run-interrupted", reason: "It ended." }]);
    here.forgetHeads(profile);
    expect(await found()).toEqual([true, 2]);
    expect(await mine.hasRun("run-01jd0000000000000000000000")).toBe(false);
    await theirs.removeConversation(run.conversationId);
    here.forgetHeads(profile);
    expect(await mine.hasRun(run.id)).toBe(false);
    await mine.close();
    await theirs.close();
  });

  it("comes with the session of a request, once for each request", async () => {
    const options = { username: profile, folder: "/ada" };
    const theirs = await openProfileDocuments(elsewhere, profile, options);
    const mine = await openProfileDocuments(here, profile, options);
    const accounts = await openPostgresAccounts(here, {
      settings: () => ({
        session: { idleTimeoutMs: 1_000_000, absoluteTimeoutMs: 5_000_000 },
        login: { attempts: 3, windowMs: 60_000 },
      }),
      passwords: createPasswords(fastPasswordWork),
      profiles: {
        requireNone: async () => undefined,
        create: async () => undefined,
        remove: async () => undefined,
      },
    });
    await here.inSystem((session) =>
      session.run(
        "INSERT INTO accounts (username, role, password, created_at) VALUES (:username, 'member', '-', :at)",
        {
          username: profile,
          at: "2026-11-20T09:30:00.000Z",
        },
      ),
    );
    await accounts.setPublic(profile, true);
    const { token } = await accounts.signInAsGuest(profile);
    const request = async () => {
      const signedIn = await accounts.session(token);
      here.forgetHeads(signedIn.account.username, { sinceRequest: true });
      return (await mine.store.settings()).trustLevel;
    };
    await request();
    await theirs.store.changeSettings({ trustLevel: "observe" });
    expect(await request()).toBe("observe");
    expect(await transactionsOf(request)).toBe(1);
    // Without a session, whoever asks sees what was changed until now.
    await theirs.store.changeSettings({ trustLevel: "suggest" });
    here.forgetHeads(profile, { sinceRequest: true });
    expect(await mine.store.settings()).toMatchObject({ trustLevel: "suggest" });
    accounts.close();
  });
});
