import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { StorageNewerError } from "@metahuman/core/errors/storage-errors";
import { assertSupported, migrate } from "./migrate.ts";
import { openPostgres, type Postgres } from "./open-postgres.ts";
import type { Driver } from "./pg-driver.ts";
import { jsonText, type ProfileSession } from "./session.ts";
import { openPGlite } from "./testing/pglite.ts";

const TitleRow = z.object({ title: z.string() });

let driver: Driver;
let database: Postgres;
beforeAll(async () => {
  driver = await openPGlite();
  database = await openPostgres(driver);
});
afterAll(() => database.close());

const addConversation = (profile: string, title: string) =>
  database.inProfile(profile, (session) =>
    session.run(
      `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
       VALUES (:profile, :title, :title, '', '', '')`,
      { title },
    ),
  );

it("takes no name of a parameter from a quoted text", async () => {
  const titles = await database.inSystem((session) =>
    session.all(
      TitleRow,
      "SELECT title FROM unnest(ARRAY['nomic:latest', 'it''s :title', :title::text]) AS title WHERE title <> :other",
      { title: "plans", other: "" },
    ),
  );
  expect(titles.map(({ title }) => title)).toEqual(["nomic:latest", "it's :title", "plans"]);
});

describe("a transaction of a profile", () => {
  it("neither sees nor changes rows of others, even with a statement that names no profile", async () => {
    await addConversation("ada", "plans");
    await addConversation("ben", "notes");
    const titles = await database.inProfile("ada", (session) =>
      session.all(TitleRow, "SELECT title FROM conversations"),
    );
    expect(titles).toEqual([{ title: "plans" }]);
    expect(await database.inProfile("ben", (session) => session.run("DELETE FROM conversations"))).toBe(1);
    await database
      .inProfile("ada", async (session) => {
        expect(await session.all(TitleRow, "SELECT title FROM conversations")).toHaveLength(1);
        await expect(
          session.run(
            `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
           VALUES ('ben', 'x', 'x', '', '', '')`,
          ),
        ).rejects.toThrow(/row-level security/);
      })
      .catch((error: unknown) => {
        // The failed statement ends the transaction.
        expect(error).toMatchObject({ code: "25P02" });
      });
  });

  it("is that of this profile only, whatever its name", async () => {
    const names = [
      "o'hara",
      'say "hi"',
      "x', true); SET ROLE postgres; --",
      "\\'; DROP TABLE conversations; --",
      "%",
      "p".repeat(200),
      "p".repeat(201),
      "ärger 🙂",
    ];
    for (const name of names) await addConversation(name, `of ${name}`);
    for (const name of names)
      expect(
        await database.inProfile(name, (session) => session.all(TitleRow, "SELECT title FROM conversations")),
      ).toEqual([{ title: `of ${name}` }]);
  });

  it("is separated in every table that has rows of profiles", async () => {
    const open = await database.inSystem((session) =>
      session.all(
        z.object({ name: z.string() }),
        `SELECT c.relname::text AS name FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'profile' AND NOT a.attisdropped
         WHERE c.relnamespace = 'metahuman'::regnamespace AND c.relkind IN ('r', 'p')
           AND NOT (c.relrowsecurity AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid))`,
      ),
    );
    expect(open).toEqual([]);
  });

  it("cannot read what belongs to no profile", async () => {
    await expect(
      database.inProfile("ada", (session) => session.all(z.unknown(), "SELECT * FROM migrations")),
    ).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  it("changes nothing when its work fails", async () => {
    await expect(
      database.inProfile("carl", async (session) => {
        await session.run(
          `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
           VALUES (:profile, 'a', 'a', '', '', '')`,
        );
        throw new RangeError("no");
      }),
    ).rejects.toThrow(RangeError);
    expect(
      await database.inProfile("carl", (session) => session.all(TitleRow, "SELECT title FROM conversations")),
    ).toEqual([]);
  });

  it("refuses a text with U+0000", async () => {
    await expect(addConversation("ada", "a\u0000b")).rejects.toThrow(InvalidArgsError);
  });

  it("stores JSON with U+0000 and lone surrogates replaced, and everything else as it is", async () => {
    const value = { nul: "a\u0000b", lone: "\ud800!", pair: "😀", path: "C:\\u0000\\ud800", tab: "\t\u001f" };
    const Row = z.object({ value: z.record(z.string(), z.string()) });
    const row = await database.inProfile("ada", (session) =>
      session.get(Row, "SELECT :json::jsonb AS value", { json: jsonText(value) }),
    );
    expect(row?.value).toEqual({ ...value, nul: "a\ufffdb", lone: "\ufffd!" });
  });
});

describe("a read with one statement", () => {
  const titles = (session: Pick<ProfileSession, "all">) =>
    session.all(TitleRow, "SELECT title FROM conversations ORDER BY title");

  it("sees its profile only, and ends its transaction", async () => {
    await addConversation("dora", "garden");
    expect(await database.readProfile("dora", titles)).toEqual([{ title: "garden" }]);
    expect(await database.readProfile("emil", titles)).toEqual([]);
    const Left = z.object({ profile: z.string().nullable(), role: z.string() });
    const left = await database.readSystem((session) =>
      session.get(
        Left,
        "SELECT nullif(current_setting('metahuman.profile', true), '') AS profile, current_user AS role",
      ),
    );
    expect(left).toEqual({ profile: null, role: "postgres" });
  });

  it("knows what the end of its transaction found, and the time after its statement", async () => {
    // A result is valid for a short time only, which a busy machine exceeds.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    database.forgetHeads("ella");
    const time = await database.readProfile("ella", async (session) => {
      expect(() => session.now).toThrow(RangeError);
      await titles(session);
      return session.now;
    });
    expect(Math.abs(time.getTime() - Date.now())).toBeLessThan(3_600_000);
    expect(database.heads("ella")).toMatchObject({ records: 0 });
  });

  it("refuses a second statement, and leaves a usable connection after a statement that fails", async () => {
    await expect(
      database.readProfile("dora", async (session) => {
        await titles(session);
        return await titles(session);
      }),
    ).rejects.toThrow(RangeError);
    await expect(
      database.readProfile("dora", (session) => session.all(TitleRow, "SELECT 1 / 0 AS title")),
    ).rejects.toMatchObject({ code: "22012" });
    expect(await database.readProfile("dora", titles)).toEqual([{ title: "garden" }]);
  });

  it("sends all parts before the first answer", async () => {
    const sent: string[] = [];
    let most = 0;
    let underWay = 0;
    const watched = await openPostgres({
      ...driver,
      withConnection: (work, options) =>
        driver.withConnection(
          (connection) =>
            work({
              async query(text, values) {
                sent.push(text);
                most = Math.max(most, (underWay += 1));
                try {
                  return await connection.query(text, values);
                } finally {
                  underWay -= 1;
                }
              },
            }),
          options,
        ),
    });
    await watched.readProfile("dora", titles);
    expect(most).toBe(3);
    expect(sent.at(-1)).toMatch(/COMMIT$/);
  });
});

it("sends no statement of failed work after the end of its transaction", async () => {
  const failed = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  await expect(
    database.inProfile("gina", async (session) => {
      late = failed.promise.then(() => session.all(TitleRow, "SELECT title FROM conversations"));
      throw new RangeError("no");
    }),
  ).rejects.toThrow("no");
  failed.resolve();
  await expect(late).rejects.toThrow("The transaction has ended.");
});

it("makes no change of a transaction whose last statement fails", async () => {
  await expect(
    database.inProfile("fred", async (session) => {
      await session.run(
        `INSERT INTO conversations (profile, id, title, title_folded, created_at, updated_at)
         VALUES (:profile, 'a', 'a', '', '', '')`,
      );
      session.sendLast("SELECT 1 / 0");
    }),
  ).rejects.toMatchObject({ code: "22012" });
  expect(
    await database.inProfile("fred", (session) => session.all(TitleRow, "SELECT title FROM conversations")),
  ).toEqual([]);
});

it("works for a user who only may create roles and schemas", async () => {
  const other = await openPGlite();
  await other.withConnection((connection) =>
    connection.query(
      `CREATE ROLE app LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO app; SET SESSION AUTHORIZATION app`,
    ),
  );
  const own = await openPostgres(other);
  expect(
    await own.inProfile("ada", (session) => session.all(TitleRow, "SELECT title FROM conversations")),
  ).toEqual([]);
  await own.close();
});

describe("a server", () => {
  it("must be PostgreSQL 14 or later", () => {
    assertSupported(140_000);
    expect(() => assertSupported(130_012)).toThrow(
      "The database server is PostgreSQL 13; version 14 or later is needed.",
    );
  });
});

describe("migrations", () => {
  const step = (version: number, up: string) => ({ version, name: "a step", up });
  const steps = [1, 2, 3].map((version) => step(version, `CREATE TABLE step_${version} (id integer)`));
  let empty: Driver;
  beforeAll(async () => {
    empty = await openPGlite();
  });
  afterAll(() => empty.close());

  it("refuse a schema of this name that another program made", async () => {
    const used = await openPGlite();
    await used.withConnection((connection) =>
      connection.query("CREATE SCHEMA metahuman; CREATE TABLE metahuman.step_2 (id integer)"),
    );
    await expect(migrate(used, steps)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "The database has a schema metahuman that was not created by MetaHuman OS.",
    });
    await used.close();
  });

  it("leave nothing of a step that fails", async () => {
    const broken = step(1, "CREATE TABLE step_1 (id integer); SELECT 1 / 0");
    await expect(migrate(empty, [broken])).rejects.toMatchObject({ code: "22012" });
    await migrate(empty, steps.slice(0, 1));
  });

  it("change nothing when they are all applied, and accept a schema that is one step ahead", async () => {
    await migrate(empty, steps.slice(0, 2));
    await migrate(empty, steps.slice(0, 2));
    await migrate(empty, steps.slice(0, 1));
  });

  it("refuse a schema that is two steps ahead", async () => {
    await migrate(empty, steps);
    await expect(migrate(empty, steps.slice(0, 1))).rejects.toThrow(StorageNewerError);
  });
});
