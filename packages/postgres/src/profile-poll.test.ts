import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestFor, running } from "@metahuman/core/runs/store-fixtures";
import { unavailableError } from "./postgres-error.ts";
import { openPostgres, type Postgres } from "./open-postgres.ts";
import type { Driver } from "./pg-driver.ts";
import type { PolledProfile } from "./profile-poll.ts";
import { openProfileDocuments } from "./profiles/open-profile-documents.ts";
import { openPostgresAgentStore } from "./agents/open-agent-store.ts";
import { openPostgresNotices } from "./notices/open-notices.ts";
import { openPostgresRunStore } from "./runs/open-run-store.ts";
import { openPGlite } from "./testing/pglite.ts";

const NOTHING: PolledProfile = {
  documents: 0,
  records: 0,
  epoch: null,
  hasRuns: false,
  hasWaitingRuns: false,
  isDue: false,
  agentsAreDue: false,
  nextAt: null,
  commits: 0,
  latest: "0 0",
};

describe("the poll of all open profiles", () => {
  let driver: Driver;
  let statements: string[] = [];
  let failure: Error | undefined;
  const failures: unknown[] = [];
  /** Two processes; the first one polls. */
  let here: Postgres;
  let elsewhere: Postgres;
  beforeAll(async () => {
    driver = await openPGlite();
    const watched: Driver = {
      withConnection: (work, options) =>
        driver.withConnection((connection) => {
          if (failure) throw failure;
          return work({
            query(text, values) {
              statements.push(text);
              return connection.query(text, values);
            },
          });
        }, options),
      close: async () => undefined,
    };
    here = await openPostgres(watched, {
      poll: { pollMs: 5, onFailure: (error) => failures.push(error) },
    });
    elsewhere = await openPostgres(driver);
  });
  afterAll(async () => {
    await here.close();
    await driver.close();
  });

  /** Follows a profile for one poll. */
  function nextPoll(profile: string): Promise<PolledProfile> {
    return new Promise((resolve) => {
      const followed = here.poll.follow(profile, (found) => {
        followed.close();
        resolve(found);
      });
    });
  }

  it("asks with one statement, however many there are", async () => {
    const names = Array.from({ length: 300 }, (_, n) => `person's "name" ${n}`);
    statements = [];
    const found = await Promise.all(names.map(nextPoll));
    expect(found).toEqual(names.map(() => NOTHING));
    expect(statements.filter((text) => text.includes("unnest"))).toHaveLength(1);
  });

  it("tells of changes of other processes, and of their work, of this profile only", async () => {
    expect(await nextPoll("ada")).toEqual(NOTHING);
    const { store, close } = await openProfileDocuments(elsewhere, "ada", { username: "ada", folder: "/" });
    await store.changeSettings({ trustLevel: "observe" });
    close();
    const changed = await nextPoll("ada");
    expect(changed).toEqual({ ...NOTHING, documents: expect.any(Number) });
    expect(changed.documents).toBeGreaterThan(0);
    await openPostgresRunStore(elsewhere, "ada").create(requestFor("one"));
    expect(await nextPoll("ada")).toEqual({
      ...changed,
      hasRuns: true,
      hasWaitingRuns: true,
      commits: 1,
      latest: "1 0",
    });
    expect(await nextPoll("ben")).toEqual(NOTHING);
  });

  it("tells of a run that a process carries out, and that it waits for another one once that process has ended", async () => {
    await running(openPostgresRunStore(elsewhere, "gina"));
    expect(await nextPoll("gina")).toMatchObject({ hasRuns: true, hasWaitingRuns: false });
    await elsewhere.inSystem((session) =>
      session.run("UPDATE leases SET expires_at = 0 WHERE profile = 'gina'"),
    );
    expect(await nextPoll("gina")).toMatchObject({ hasRuns: true, hasWaitingRuns: true });
  });

  it("tells that a notice came or was read, and that an agent started, also after it ended", async () => {
    const seen = [await nextPoll("fred")];
    const notices = openPostgresNotices(elsewhere, "fred");
    const [notice] = await notices.send([{ title: "The oven is hot.", body: "", urgency: "normal" }]);
    seen.push(await nextPoll("fred"));
    await notices.markRead(notice?.id ?? "", true);
    seen.push(await nextPoll("fred"));
    const agents = openPostgresAgentStore(elsewhere, "fred");
    const { id } = await agents.begin("ingestor", "person");
    expect(await nextPoll("fred")).toMatchObject({ agentsAreDue: true, isDue: false });
    await agents.end(id, { status: "finished", problems: [] });
    seen.push(await nextPoll("fred"));
    expect(new Set(seen.map(({ latest }) => latest)).size).toBe(4);
    expect(seen.map((found) => ({ ...found, latest: "" }))).toEqual(
      seen.map(() => ({ ...NOTHING, latest: "" })),
    );
  });

  it("knows a profile that was looked at, before the next poll", async () => {
    const followed = here.poll.follow("emma");
    await openPostgresRunStore(elsewhere, "emma").create(requestFor("one"));
    expect(await followed.look()).toEqual({
      ...NOTHING,
      hasRuns: true,
      hasWaitingRuns: true,
      commits: 1,
      latest: "1 0",
    });
    expect(followed.found()).toMatchObject({ hasRuns: true });
    followed.close();
    expect(followed.found()).toBeUndefined();
  });

  it("claims to know nothing of a profile that this process has just changed", async () => {
    const polled = Promise.withResolvers<void>();
    const followed = here.poll.follow("carl", () => polled.resolve());
    expect(followed.found()).toBeUndefined();
    await polled.promise;
    expect(followed.found()).toMatchObject({ hasRuns: false });
    await openPostgresRunStore(here, "carl").create(requestFor("one"));
    // Either nothing is known, or a later poll has found the run.
    expect(followed.found()?.hasRuns).not.toBe(false);
    followed.close();
  });

  it("reports the first of several failures, and goes on when the database answers again", async () => {
    const followed = here.poll.follow("dora");
    failure = unavailableError("It does not answer.");
    await expect.poll(() => failures.length).toBe(1);
    failure = undefined;
    await nextPoll("dora");
    expect(failures).toHaveLength(1);
    followed.close();
  });
});
