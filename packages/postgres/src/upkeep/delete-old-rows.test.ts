import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { openPostgresNotices } from "../notices/open-notices.ts";
import { type DatabaseHarness, pgliteHarness } from "../testing/harness.ts";
import { deleteOldRowsOfAll } from "./open-upkeep.ts";

const CountRow = z.object({ count: z.number() });
const DAY_MS = 86_400_000;

let harness: DatabaseHarness;
beforeAll(async () => {
  harness = await pgliteHarness();
});

const notices = (rows: string) =>
  openPostgresNotices(harness.database, rows, { channels: () => [], onChange: () => undefined });
const titles = async (rows: string) =>
  (await notices(rows).list({ limit: 9 })).items.map(({ title }) => title);

it("deletes the old rows of every account, also of one whose name was reused, and nothing else", async () => {
  const { database } = harness;
  await database.inSystem(async (session) => {
    await session.run(
      `INSERT INTO accounts (username, role, password, created_at)
       VALUES ('upkeep-a', 'member', '', ''), ('upkeep-b', 'member', '', '')`,
    );
    await session.run("INSERT INTO removed_profiles (username, count) VALUES ('upkeep-b', 2)");
    await session.run(
      "INSERT INTO login_limits (key, points, expire) VALUES ('old', 1, :old), ('new', 1, :new)",
      {
        old: harness.now().getTime(),
        new: harness.now().getTime() + 500 * DAY_MS,
      },
    );
  });
  const send = async (title: string) => {
    for (const rows of ["upkeep-a", "upkeep-b#2"])
      await notices(rows).send([{ title, body: "", urgency: "normal" }]);
  };
  await send("first");
  harness.passTime(399 * DAY_MS);
  await send("second");
  await deleteOldRowsOfAll(database, new AbortController().signal);
  expect(await titles("upkeep-a")).toEqual(["second", "first"]);
  harness.passTime(2 * DAY_MS);
  await deleteOldRowsOfAll(database, new AbortController().signal);
  for (const rows of ["upkeep-a", "upkeep-b#2"]) expect(await titles(rows)).toEqual(["second"]);
  const left = await database.inSystem((session) =>
    session.get(CountRow, "SELECT count(*)::float8 AS count FROM login_limits WHERE key IN ('old', 'new')"),
  );
  expect(left).toEqual({ count: 1 });
  await expect(deleteOldRowsOfAll(database, AbortSignal.abort(new RangeError("stopped")))).rejects.toThrow(
    "stopped",
  );
});
