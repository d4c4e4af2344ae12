import { join } from "node:path";
import { z } from "zod";
import { changedSection } from "@metahuman/core/config/change-config";
import {
  createConfigCache,
  type EditableConfig,
  POLL_INTERVAL_MS,
} from "@metahuman/core/config/config-source";
import { parseConfigText, readConfigFile } from "@metahuman/core/config/config-file";
import { mergeConfig, configFiles } from "@metahuman/core/config/load-config";
import type { Config } from "@metahuman/core/contract/config";
import { fileStamp } from "@metahuman/core/files/file-content";
import { readModelKeys, type SealedKeys } from "../installation/model-keys.ts";
import type { Postgres } from "../open-postgres.ts";
import { FRESH_MS } from "../profile-heads.ts";
import type { Session } from "../session.ts";

const SectionRow = z.object({ section: z.string(), text: z.string(), version: z.string() });
type SectionRow = z.output<typeof SectionRow>;

export interface PostgresConfig extends EditableConfig {
  /** The encrypted keys of model servers, as they were when the configuration was read. */
  modelKeys(): SealedKeys;
  /** The text of a section in the database. */
  section(section: keyof Config): Promise<string | undefined>;
  /** Stores the text of a section without checking it; undefined removes it. Other processes see it within two seconds. */
  saveSection(section: keyof Config, text: string | undefined): Promise<void>;
}

/**
 * The configuration in the database over the files in `etc`, over the shipped defaults in `shippedEtc`, read again
 * every two seconds. While the database is unavailable, the last configuration stays in place. Throws
 * `ConfigInvalidError` if it is invalid.
 */
export async function openPostgresConfig(
  database: Postgres,
  { shippedEtc, etc = shippedEtc }: { shippedEtc: string; etc?: string },
): Promise<PostgresConfig> {
  const folders = [...new Set([shippedEtc, etc])];
  const filesOf = (section: string) =>
    folders.map((folder) => readConfigFile(join(folder, `${section}.json`)));
  let modelKeys: SealedKeys = new Map();
  const read = () =>
    database.inSystem(async (session) => {
      // Sections are read before keys, so every key that a section names is found.
      const [rows, keys] = await Promise.all([
        session.all(SectionRow, "SELECT section, text, version::text FROM config_sections ORDER BY section"),
        readModelKeys(session),
      ]);
      return { rows, keys };
    });
  const load = (rows: readonly SectionRow[]): Config =>
    mergeConfig((section) => {
      const row = rows.find((stored) => stored.section === section);
      return [...filesOf(section), row && parseConfigText(`${section}.json`, row.text)];
    });
  const stampOf = (rows: readonly SectionRow[]) =>
    [
      ...rows.map(({ section, version }) => `${section} ${version}`),
      ...folders.flatMap(configFiles).map(fileStamp),
    ].join("\n");

  const initial = await read();
  modelKeys = initial.keys;
  const cache = createConfigCache(load(initial.rows));
  let seen = stampOf(initial.rows);

  /** A read that began within the last `FRESH_MS`, which calls at nearly the same moment share. */
  let recent: { at: number; read: ReturnType<typeof read> } | undefined;
  function readNow(): ReturnType<typeof read> {
    if (recent === undefined || performance.now() - recent.at > FRESH_MS)
      recent = { at: performance.now(), read: read() };
    return recent.read;
  }

  async function refresh(): Promise<Config> {
    const { rows, keys } = await readNow();
    modelKeys = keys;
    if (stampOf(rows) !== seen) {
      seen = stampOf(rows);
      cache.update(() => load(rows));
    }
    return cache.current();
  }

  let polling: Promise<unknown> | undefined;
  const poll = (): void => {
    // The next poll makes up for a failed one.
    polling ??= refresh()
      .catch(() => undefined)
      .finally(() => (polling = undefined));
  };
  const timer = setInterval(poll, POLL_INTERVAL_MS).unref();

  return {
    current: cache.current,
    problem: cache.problem,
    onChange: cache.onChange,
    refresh,
    section: async (section) => (await read()).rows.find((row) => row.section === section)?.text,
    async saveSection(section, text) {
      await database.inSystem((session) => writeSection(session, section, text));
      recent = undefined;
    },
    async change(change) {
      await database.inSystem(async (session) => {
        const { section } = change;
        await session.run("LOCK TABLE config_sections IN EXCLUSIVE MODE");
        const row = await session.get(
          SectionRow,
          "SELECT section, text, version::text FROM config_sections WHERE section = :section",
          { section },
        );
        const path = `${section}.json`;
        const own = row && parseConfigText(path, row.text);
        const changed = changedSection(change, { path, text: row?.text, own, below: filesOf(section) });
        if (changed !== undefined) await writeSection(session, section, changed);
      });
      recent = undefined;
    },
    modelKeys: () => modelKeys,
    close() {
      clearInterval(timer);
      cache.close();
    },
  };
}

async function writeSection(session: Session, section: string, text: string | undefined): Promise<void> {
  if (text === undefined)
    await session.run("DELETE FROM config_sections WHERE section = :section", { section });
  else
    await session.run(
      `INSERT INTO config_sections (section, text) VALUES (:section, :text)
       ON CONFLICT (section) DO UPDATE SET text = excluded.text, version = DEFAULT`,
      { section, text },
    );
}
