import { z } from "zod";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import { SealedSecret } from "@metahuman/core/contract/channels";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";

const KeyCheckRow = z.object({ key_check: SealedSecret.nullable() });
const FolderRow = z.object({ folder_mark: z.string().nullable() });
const CountRow = z.object({ count: z.number() });
const NameRow = z.object({ username: z.string() });
const KNOWN_TEXT = "metahuman";

/** Throws `ConfigInvalidError` unless the key is the one with which the secrets of this database were encrypted. */
export async function checkSecretKey(database: Postgres, sealer: SecretSealer): Promise<void> {
  const stored = await database.inSystem(async (session) => {
    const made = JSON.stringify(sealer.seal(KNOWN_TEXT, KNOWN_TEXT));
    await session.run("UPDATE installation SET key_check = :made::jsonb WHERE key_check IS NULL", { made });
    return session.get(KeyCheckRow, "SELECT key_check FROM installation");
  });
  if (!stored?.key_check || sealer.open(stored.key_check, KNOWN_TEXT) !== KNOWN_TEXT) throw otherKey();
}

/** As `checkSecretKey`, but changes nothing. */
export async function assertSecretKey(database: Postgres, sealer: SecretSealer): Promise<void> {
  const stored = await database.inSystem((session) =>
    session.get(KeyCheckRow, "SELECT key_check FROM installation"),
  );
  if (stored?.key_check && sealer.open(stored.key_check, KNOWN_TEXT) !== KNOWN_TEXT) throw otherKey();
}

function otherKey(): ConfigInvalidError {
  return new ConfigInvalidError(
    "METAHUMAN_SECRET_KEY is not the key with which the secrets in this database were encrypted.",
    { suggestions: ["Set the key that the other servers of this database have."] },
  );
}

/** Throws `ConfigInvalidError` unless the mark is that in the folder of the other servers. The first server sets it. */
export async function checkSharedFolder(database: Postgres, mark: string): Promise<void> {
  const stored = await database.inSystem(async (session) => {
    await session.run("UPDATE installation SET folder_mark = :mark WHERE folder_mark IS NULL", { mark });
    return session.get(FolderRow, "SELECT folder_mark FROM installation");
  });
  if (stored?.folder_mark === mark) return;
  throw new ConfigInvalidError(
    "The data folder of this server is not the one that the other servers of this database use.",
    {
      suggestions: [
        "Set METAHUMAN_WORKSPACE to what they share, such as file:///mnt/shared or s3://bucket/prefix.",
      ],
    },
  );
}

/** How long an answer of the database counts as the present one, in milliseconds. Anybody may ask. */
const READY_MS = 500;

/** Returns a check that throws `StorageUnavailableError` while the database does not respond. */
export function readyCheck(database: Postgres): () => Promise<void> {
  let last: { at: number; answer: Promise<unknown> } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.at > READY_MS)
      last = {
        at: performance.now(),
        answer: database.readSystem((session) =>
          session.get(FolderRow, "SELECT folder_mark FROM installation"),
        ),
      };
    await last.answer;
  };
}

/** The name of the rows of a profile: the username, with a number when accounts of this name were removed before. */
export async function profileRows(
  database: Postgres,
  username: string,
): Promise<{ rows: string; removals: number }> {
  const row = await database.readSystem((session) =>
    session.get(CountRow, "SELECT count FROM removed_profiles WHERE username = :username", { username }),
  );
  return row === undefined
    ? { rows: username, removals: 0 }
    : { rows: `${username}#${row.count}`, removals: row.count };
}

/** Leaves the rows of a removed account to themselves: a new account of the same name does not find them. */
export async function retireProfileRows(session: Session, username: string): Promise<void> {
  await session.run(
    `INSERT INTO removed_profiles (username, count) VALUES (:username, 1)
     ON CONFLICT (username) DO UPDATE SET count = removed_profiles.count + 1`,
    { username },
  );
}

/** The accounts with runs whose process has ended. */
export async function profilesWithLostRuns(database: Postgres): Promise<string[]> {
  const rows = await database.inSystem((session) =>
    session.all(
      NameRow,
      `SELECT DISTINCT a.username FROM accounts a
         LEFT JOIN removed_profiles x ON x.username = a.username
         JOIN runs r ON r.profile = a.username || coalesce('#' || x.count, '')
       WHERE (r.claimed OR r.status = 'queued')
         AND NOT EXISTS (SELECT FROM leases l
           WHERE l.profile = r.profile AND l.holder = r.owner AND l.expires_at > :now)`,
      { now: session.now.getTime() },
    ),
  );
  return rows.map(({ username }) => username);
}
