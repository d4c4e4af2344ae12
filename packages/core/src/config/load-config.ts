import { join } from "node:path";
import type { z } from "zod";
import { Config } from "../contract/config.ts";
import type { ConfigInvalidError } from "../errors/request-errors.ts";
import { isRecord } from "../text/is-record.ts";
import { invalidConfigError, readConfigFile, type ConfigFile } from "./config-file.ts";
import { describeIssues } from "./describe-issues.ts";
import { deepFreeze } from "./deep-freeze.ts";

/** The sections of the configuration. Each is a file `etc/<section>.json`. */
const sections = Object.keys(Config.shape);

/** Returns the configuration files of an `etc/` folder. */
export function configFiles(etc: string): string[] {
  return sections.map((section) => join(etc, `${section}.json`));
}

/**
 * Reads and validates the configuration. The files of each folder override those of earlier folders;
 * missing values get defaults. Throws `ConfigInvalidError` that names file, position and reason.
 */
export function loadConfig(folders: readonly string[]): Config {
  return mergeConfig((section) => folders.map((folder) => readConfigFile(join(folder, `${section}.json`))));
}

/** Like `loadConfig`, with the files that `filesOf` returns for each section; later ones override earlier ones. */
export function mergeConfig(filesOf: (section: string) => readonly (ConfigFile | undefined)[]): Config {
  const loaded = Object.entries(Config.shape).map(([section, schema]) => {
    const files = filesOf(section).filter((file) => file !== undefined);
    return [section, loadSection(schema, files)];
  });
  return deepFreeze(Config.parse(Object.fromEntries(loaded)));
}

/** Loads a section from its files; later files override earlier ones. Throws `ConfigInvalidError`. */
export function loadSection(schema: z.ZodType, files: readonly ConfigFile[]): unknown {
  const merged = files.reduce<unknown>((base, file) => merge(base, file.value), {});
  const parsed = schema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw describe(describeIssues(schema, parsed.error.issues, merged), files);
}

function describe(
  problems: ReturnType<typeof describeIssues>,
  files: readonly ConfigFile[],
): ConfigInvalidError {
  const reasons = problems.map((problem) => problem.reason);
  const [first] = problems;
  const [reason = "it is not valid"] = reasons;
  const { file, place } = findSource(first?.keyPath ?? [], files);
  return invalidConfigError(file, place, reason, reasons);
}

/** Finds the last file that sets the key; for a missing key, the file that sets its closest parent. */
function findSource(
  keyPath: readonly (string | number)[],
  files: readonly ConfigFile[],
): { file: string; place: ReturnType<ConfigFile["placeOf"]> } {
  for (let depth = keyPath.length; depth >= 0; depth -= 1) {
    for (const file of files.toReversed()) {
      const place = file.placeOf(keyPath.slice(0, depth));
      if (place) return { file: file.path, place };
    }
  }
  return { file: "the built-in defaults", place: undefined };
}

/**
 * Merges `over` into a copy of `base` by key. Arrays and plain values replace. If their `kind` differs, they describe
 * different things, and `over` replaces `base`.
 */
function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over;
  if ("kind" in base && "kind" in over && base["kind"] !== over["kind"]) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? merge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}
