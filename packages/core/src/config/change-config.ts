import { applyEdits, findNodeAtLocation, modify, parseTree } from "jsonc-parser";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Config } from "../contract/config.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { replaceFile } from "../files/durable-file.ts";
import { homePaths, displayPath } from "../paths/data-root.ts";
import { readConfigFile, type ConfigFile } from "./config-file.ts";
import { loadSection } from "./load-config.ts";

export interface ConfigChange {
  /** The file `etc/<section>.json` of the data root. */
  section: keyof Config;
  keyPath: readonly string[];
  /** JSON. `undefined` removes the key, which restores the shipped value or the default. */
  value: unknown;
}

const FORMAT = { insertSpaces: true, tabSize: 2 };

/**
 * Sets one key of the user's configuration and preserves the rest of the file. The result is validated
 * first: after a `ConfigInvalidError`, nothing is written. Changes are atomic, durable, and serialized
 * across processes.
 */
export async function changeConfig(
  { home, shippedEtc }: { home: string; shippedEtc: string },
  { section, keyPath, value }: ConfigChange,
): Promise<void> {
  const { etc, profiles } = homePaths(home);
  const lock = openFileLock(join(profiles, ".configuration.lock"), "the configuration");
  try {
    await lock.hold(async () => {
      const path = join(etc, `${section}.json`);
      const own = readConfigFile(path);
      const shipped =
        resolve(shippedEtc) === etc ? undefined : readConfigFile(join(shippedEtc, `${section}.json`));
      const text = own ? await readText(path) : undefined;
      const changed = changedSection({ section, keyPath, value }, { path, text, own, below: [shipped] });
      if (changed !== undefined) await replaceFile(path, changed, displayPath(path));
    });
  } finally {
    lock.close();
  }
}

/**
 * The text of a section after a change; undefined if nothing changes. `own` is the current section in the file or row
 * that `path` names, and `below` is the section that it overrides. Throws `ConfigInvalidError` if the result is
 * invalid.
 */
export function changedSection(
  { section, keyPath, value }: ConfigChange,
  {
    path,
    text = "{}\n",
    own,
    below,
  }: {
    path: string;
    text: string | undefined;
    own: ConfigFile | undefined;
    below: readonly (ConfigFile | undefined)[];
  },
): string | undefined {
  // Removing a missing key is a no-op. The JSON editor would report an error.
  if (value === undefined && !hasKey(text, keyPath)) return undefined;
  const changed = applyEdits(text, modify(text, [...keyPath], value, { formattingOptions: FORMAT }));
  const known = below.filter((file) => file !== undefined);
  loadSection(Config.shape[section], [...known, parseChanged(path, changed, own)]);
  return changed;
}

function hasKey(text: string, keyPath: readonly string[]): boolean {
  const tree = parseTree(text);
  return tree !== undefined && findNodeAtLocation(tree, [...keyPath]) !== undefined;
}

function parseChanged(path: string, text: string, before: ConfigFile | undefined): ConfigFile {
  const value: unknown = JSON.parse(text);
  return { path, value, placeOf: (keyPath) => before?.placeOf(keyPath) };
}

async function readText(path: string): Promise<string> {
  try {
    // A byte-order mark is not part of the JSON.
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return "{}\n";
    throw fromNodeError(error, displayPath(path));
  }
}
