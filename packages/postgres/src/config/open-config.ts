import { join } from "node:path";
import { z } from "zod";
import { type ConfigSource, createConfigCache, POLL_INTERVAL_MS } from "@metahuman/core/config/config-source";
import { parseConfigText, readConfigFile } from "@metahuman/core/config/config-file";
import { mergeConfig } from "@metahuman/core/config/load-config";
import type { Config } from "@metahuman/core/contract/config";
import type { Postgres } from "../open-postgres.ts";

const SectionRow = z.object({ section: z.string(), text: z.string(), version: z.string() });
type SectionRow = z.output<typeof SectionRow>;

export interface PostgresConfig extends ConfigSource {
  /** Stores the text of a section without checking it; undefined removes it. Other processes see it within two seconds. */
  saveSection(section: keyof Config, text: string | undefined): Promise<void>;
}

/**
 * The configuration in the database over the shipped defaults in `shippedEtc`, read anew every two seconds. While the
 * database cannot be reached, the last configuration stays in place. Throws `ConfigInvalidError` if it is invalid.
 */
export async function openPostgresConfig(
  database: Postgres,
  { shippedEtc }: { shippedEtc: string },
): Promise<PostgresConfig> {
  const read = () =>
    database.inSystem((session) =>
      session.all(SectionRow, "SELECT section, text, version::text FROM config_sections ORDER BY section"),
    );
  const load = (rows: readonly SectionRow[]): Config =>
    mergeConfig((section) => {
      const row = rows.find((stored) => stored.section === section);
      return [
        readConfigFile(join(shippedEtc, `${section}.json`)),
        row && parseConfigText(`${section}.json`, row.text),
      ];
    });
  const stampOf = (rows: readonly SectionRow[]) =>
    rows.map(({ section, version }) => `${section} ${version}`).join("\n");

  const initial = await read();
  const cache = createConfigCache(load(initial));
  let seen = stampOf(initial);

  async function refresh(): Promise<Config> {
    const rows = await read();
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
    async saveSection(section, text) {
      await database.inSystem((session) =>
        text === undefined
          ? session.run("DELETE FROM config_sections WHERE section = :section", { section })
          : session.run(
              `INSERT INTO config_sections (section, text) VALUES (:section, :text)
               ON CONFLICT (section) DO UPDATE SET text = excluded.text, version = DEFAULT`,
              { section, text },
            ),
      );
    },
    close() {
      clearInterval(timer);
      cache.close();
    },
  };
}
