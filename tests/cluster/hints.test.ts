import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRunFeed } from "@metahuman/core/runs/run-feed";
import { answered, ended, requestFor, running } from "@metahuman/core/runs/store-fixtures";
import { type ChangeHints, openChangeHints } from "@metahuman/postgres/change-hints";
import { openPostgres, type Postgres } from "@metahuman/postgres/open-postgres";
import { openPool } from "@metahuman/postgres/pg-driver";
import { openPostgresRunStore } from "@metahuman/postgres/runs/open-run-store";
import { findPrograms, startServer, type TestServer } from "./server.ts";

const programs = await findPrograms();

describe.runIf(programs)("hints between processes", () => {
  let server: TestServer;
  let database: Postgres;
  let here: ChangeHints;
  let there: ChangeHints;
  beforeAll(async () => {
    server = await startServer(programs ?? "");
    database = await openPostgres(openPool(server.url()));
    here = openChangeHints(server.url(), { applicationName: "here" });
    there = openChangeHints(server.url(), { applicationName: "there" });
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await server.remove();
    await database.close();
  });

  /** Counts the hints for a profile at this process. */
  function counted(profile: string): () => number {
    let count = 0;
    here.listen(profile, () => (count += 1));
    return () => count;
  }

  it("arrive after a commit of another process, for its profile only, and not after an own one", async () => {
    const [ada, ben] = [counted("ada"), counted("ben")];
    await expect.poll(here.isListening).toBe(true);
    const [adaBefore, benBefore] = [ada(), ben()];
    await openPostgresRunStore(database, "ada", { hints: here }).create(requestFor("mine"));
    await openPostgresRunStore(database, "ada", { hints: there }).create(requestFor("theirs"));
    await expect.poll(ada).toBeGreaterThan(adaBefore);
    expect(ada()).toBe(adaBefore + 1);
    expect(ben()).toBe(benBefore);
  });

  it("are sent together when many profiles change, and all arrive", async () => {
    const names = Array.from({ length: 400 }, (_, n) => `person-with-a-name-of-some-length-${n}`);
    const counts = names.map(counted);
    await expect.poll(here.isListening).toBe(true);
    const before = counts.map((count) => count());
    for (const name of names) there.announce(name);
    await expect.poll(() => counts.every((count, n) => count() > (before[n] ?? 0))).toBe(true);
  });

  it("are sent for others, too, when the name of a profile is too long for one", async () => {
    const ella = counted("ella");
    await expect.poll(here.isListening).toBe(true);
    const before = ella();
    there.announce("x".repeat(8_000));
    there.announce("ella");
    await expect.poll(ella).toBe(before + 1);
  });

  it("are not needed: events arrive while the connection is lost, and hints come back by themselves", async () => {
    const writer = openPostgresRunStore(database, "carl", { hints: there });
    const reader = openPostgresRunStore(database, "carl", { hints: here });
    const feed = createRunFeed(reader);
    const run = await running(writer);
    const watching = Array.fromAsync(feed.events(run.id, { from: 0, signal: new AbortController().signal }));
    await expect.poll(here.isListening).toBe(true);
    await server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '% hints'",
    );
    await expect.poll(here.isListening).toBe(false);
    await writer.append(run.claim, [answered("Done."), ended]);
    const events = await watching;
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await expect.poll(here.isListening, { timeout: 10_000 }).toBe(true);
    feed.close();
  });

  it("let a watched run ask nothing while nothing changes, and a change without a hint is found with all others", async () => {
    const writer = openPostgresRunStore(database, "finn");
    const run = await running(writer);
    let looks = 0;
    const followed = database.poll.follow("finn", () => (looks += 1));
    const reader = openPostgresRunStore(database, "finn", { hints: here, followed });
    let asked = 0;
    const counting = {
      ...reader,
      async externalVersion() {
        asked += 1;
        return reader.externalVersion();
      },
    };
    const feed = createRunFeed(counting);
    const watching = Array.fromAsync(feed.events(run.id, { from: 0, signal: new AbortController().signal }));
    await expect.poll(here.isListening).toBe(true);
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(2);
    const before = asked;
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(5);
    expect(asked).toBe(before);
    await writer.append(run.claim, [answered("Done."), ended]);
    expect((await watching).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    feed.close();
    followed.close();
  }, 30_000);

  it("ignore what strangers send on the channel", async () => {
    const dora = counted("dora");
    await expect.poll(here.isListening).toBe(true);
    const before = dora();
    await server.sql(`NOTIFY metahuman, 'no JSON'; NOTIFY metahuman, '{"from":1}'; NOTIFY metahuman`);
    there.announce("dora");
    await expect.poll(dora).toBe(before + 1);
  });
});
