import { z } from "zod";
import { ProfileChannels } from "@metahuman/core/contract/channels";
import { Persona, ProfileSettings } from "@metahuman/core/contract/profile";
import type { ProfileChannelStore } from "@metahuman/core/notices/open-profile-channels";
import type { ProfileStore, ProfileWarning } from "@metahuman/core/profiles/profile-store";
import { editedValue, newPersona, parserOf, validFieldsOver } from "@metahuman/core/profiles/profile-values";
import type { Postgres } from "../open-postgres.ts";
import type { ProfileSession } from "../session.ts";
import { deepFreeze } from "@metahuman/core/config/deep-freeze";

const DocumentRow = z.object({ name: z.string(), body: z.unknown(), version: z.string() });
const BodyRow = z.object({ body: z.unknown() });

export interface ProfileDocumentsOptions {
  username: string;
  /** The profile's folder, absolute. */
  folder: string;
  /** The display name of a new profile. Default: the username. */
  displayName?: string | undefined;
}

export interface ProfileDocuments {
  store: ProfileStore;
  channels: ProfileChannelStore;
  /** Call it when no call is pending. */
  close(): void;
}

/**
 * Opens the settings, the persona and the channels of a profile in the database and creates missing ones. Every read of
 * the settings and the persona asks the database; channels are those of the last two seconds.
 */
export async function openProfileDocuments(
  database: Postgres,
  profile: string,
  { username, folder, displayName = username }: ProfileDocumentsOptions,
): Promise<ProfileDocuments> {
  const listeners = new Set<(part: "settings" | "persona") => void>();
  const settings = documentOf({
    name: "settings",
    schema: ProfileSettings,
    initial: ProfileSettings.parse({ displayName }),
    // The unreadable settings may have been stricter than the defaults, so the operator asks until a person checks them.
    fallback: ProfileSettings.parse({ displayName, trustLevel: "suggest" }),
    onChange: () => listeners.forEach((listener) => listener("settings")),
  });
  const persona = documentOf({
    name: "persona",
    schema: Persona,
    initial: newPersona(),
    fallback: newPersona(),
    onChange: () => listeners.forEach((listener) => listener("persona")),
  });
  const channels = documentOf({
    name: "channels",
    schema: ProfileChannels,
    initial: {},
    fallback: {},
    onChange: () => undefined,
  });
  const documents = [settings, persona, channels];

  // Versions only grow, so an equal sum means that no document changed.
  const sumOfVersions = () => documents.reduce((sum, document) => sum + Number(document.version()), 0);

  const read = shareReads(async () => {
    const rows = await database.readProfile(profile, (session) => changedRows(session, documents));
    for (const row of rows) documents.find(({ name }) => name === row.name)?.load(row);
  });
  async function refresh(): Promise<void> {
    if (database.heads(profile)?.documents !== sumOfVersions()) await read();
  }
  await read();
  const missing = documents.filter((document) => document.version() === "");
  if (missing.length > 0) {
    await database.inProfile(profile, (session) => createMissing(session, missing));
    await read();
  }

  async function change<Value extends object>(
    document: ProfileDocument<Value>,
    edit: (current: Value) => Value,
  ): Promise<Value> {
    const row = await database.inProfile(profile, (session) => rewrite(session, document, edit));
    document.load(row);
    return document.value();
  }

  let refreshing: Promise<unknown> | undefined;
  const followed = database.poll.follow(profile, ({ documents: present }) => {
    if (present === sumOfVersions()) return;
    // The next poll makes up for a failed one.
    refreshing ??= refresh()
      .catch(() => undefined)
      .finally(() => (refreshing = undefined));
  });

  return {
    store: {
      username,
      folder,
      async settings() {
        await refresh();
        return settings.value();
      },
      changeSettings: (edit) => change(settings, (current) => editedValue(ProfileSettings, current, edit)),
      async persona() {
        await refresh();
        return persona.value();
      },
      changePersona: (edit) => change(persona, (current) => editedValue(Persona, current, edit)),
      warnings: () => documents.flatMap((document) => document.warning() ?? []),
      onChange(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      close: () => listeners.clear(),
    },
    channels: {
      current: () => channels.value(),
      problem: () => channels.warning()?.reason,
      async set(channel, entry) {
        await change(channels, ({ [channel]: _before, ...others }) =>
          ProfileChannels.parse({ ...others, ...(entry !== undefined && { [channel]: entry }) }),
        );
      },
      close: () => undefined,
    },
    close() {
      followed.close();
      listeners.clear();
    },
  };
}

/**
 * Returns a function that shares one read between all calls before it begins. A call during a read waits for the next one, because what
 * was changed before the call may have been changed after the read.
 */
function shareReads(read: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    next ??= last.then(() => {
      next = undefined;
      const reading = read();
      last = reading.catch(() => undefined);
      return reading;
    });
    return next;
  };
}

interface ProfileDocument<Value> {
  readonly name: string;
  readonly initial: Value;
  /** The number of the last change that was read. */
  version(): string;
  value(): Value;
  /** Why a part of the stored document is not used. */
  warning(): ProfileWarning | undefined;
  /** The usable part of a stored body. */
  parse(body: unknown): Value;
  /** Loads a row that was read, unless it is the current one. */
  load(row: { body: unknown; version: string }): void;
}

/** One document, as it was last read. */
function documentOf<Value extends object>({
  name,
  schema,
  initial,
  fallback,
  onChange,
}: {
  name: string;
  schema: z.ZodType<Value>;
  initial: Value;
  fallback: Value;
  onChange: () => void;
}): ProfileDocument<Value> {
  let known: { version: string; value: Value; warning?: ProfileWarning } = { version: "", value: fallback };
  const check = parserOf(schema);
  function usable(body: unknown): { value: Value; warning?: ProfileWarning } {
    try {
      return { value: check(body) };
    } catch (error) {
      // A later version may have stored fields that this one does not know.
      const reason = error instanceof Error ? error.message : String(error);
      return { value: validFieldsOver(schema, body, fallback), warning: { file: name, reason } };
    }
  }
  return {
    name,
    initial,
    version: () => known.version,
    value: () => known.value,
    warning: () => known.warning,
    parse: (body) => usable(body).value,
    load({ body, version }) {
      if (version === known.version) return;
      const isFirst = known.version === "";
      const { value, warning } = usable(body);
      const isSame = JSON.stringify(value) === JSON.stringify(known.value);
      known = { version, value: isSame ? known.value : deepFreeze(value), ...(warning && { warning }) };
      if (!isFirst && !isSame) onChange();
    },
  };
}

async function createMissing(
  session: ProfileSession,
  documents: readonly Pick<ProfileDocument<object>, "name" | "initial">[],
): Promise<void> {
  for (const { name, initial } of documents)
    await session.run(
      `INSERT INTO profile_documents (profile, name, body) VALUES (:profile, :name, :body::jsonb)
       ON CONFLICT (profile, name) DO NOTHING`,
      { name, body: JSON.stringify(initial) },
    );
}

/** The rows that were changed since they were read. */
async function changedRows(
  session: ProfileSession,
  documents: readonly Pick<ProfileDocument<object>, "name" | "version">[],
): Promise<z.output<typeof DocumentRow>[]> {
  return session.all(
    DocumentRow,
    `SELECT name, body, version::text FROM profile_documents
     WHERE profile = :profile AND NOT version::text = ANY(:known::text[])`,
    { known: documents.map(({ version }) => version()) },
  );
}

/** Changes a document under the lock of its row. */
async function rewrite<Value extends object>(
  session: ProfileSession,
  document: ProfileDocument<Value>,
  edit: (current: Value) => Value,
): Promise<z.output<typeof DocumentRow>> {
  const { name } = document;
  const row = await session.get(
    BodyRow,
    "SELECT body FROM profile_documents WHERE profile = :profile AND name = :name FOR UPDATE",
    { name },
  );
  const body = edit(document.parse(row?.body));
  const written = await session.get(
    DocumentRow,
    `INSERT INTO profile_documents (profile, name, body) VALUES (:profile, :name, :body::jsonb)
     ON CONFLICT (profile, name) DO UPDATE SET body = excluded.body, version = DEFAULT
     RETURNING name, body, version::text`,
    { name, body: JSON.stringify(body) },
  );
  if (!written) throw new RangeError(`The document "${name}" was not stored.`);
  return written;
}
