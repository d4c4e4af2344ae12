import { join } from "node:path";
import type { z } from "zod";
import { Config } from "../contract/config.ts";
import type { ConfigInvalidError } from "../errors/request-errors.ts";
import { invalid, readConfigFile, type ConfigFile } from "./config-file.ts";
import { explain } from "./explain.ts";

/** The sections of the configuration, each a file `etc/<section>.json`. */
const sections = Object.keys(Config.shape);

/** Every file that is looked at in one `etc/` folder. */
export function configFiles(etc: string): string[] {
  return sections.map((section) => join(etc, `${section}.json`));
}

/**
 * Reads and checks the whole configuration: the files of each folder laid over those of the folders before it, then
 * defaults for what none of them says. Throws `ConfigInvalidError` naming file, place and reason.
 */
export function loadConfig(folders: readonly string[]): Config {
  const loaded = Object.entries(Config.shape).map(([section, schema]) => {
    const files = folders
      .map((folder) => readConfigFile(join(folder, `${section}.json`)))
      .filter((file) => file !== undefined);
    return [section, loadSection(schema, files)];
  });
  return freeze(Config.parse(Object.fromEntries(loaded)));
}

/** One section from its files, each laid over those before it. Throws `ConfigInvalidError`. */
export function loadSection(schema: z.ZodType, files: readonly ConfigFile[]): unknown {
  const merged = files.reduce<unknown>((base, file) => merge(base, file.value), {});
  const parsed = schema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw describe(explain(schema, parsed.error.issues, merged), files);
}

function describe(problems: ReturnType<typeof explain>, files: readonly ConfigFile[]): ConfigInvalidError {
  const reasons = problems.map((problem) => problem.reason);
  const [first] = problems;
  const [reason = "it is not valid"] = reasons;
  const { file, place } = whoSays(first?.keyPath ?? [], files);
  return invalid(file, place, reason, reasons);
}

/** The last file that sets the key; for a key that is missing, the one that sets what should contain it. */
function whoSays(
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

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

type Tree = Record<string, unknown>;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * `over` laid on `base`, key by key; arrays and plain values replace. Where both say another `kind`, they describe
 * different things and nothing of the base stays. Changes neither.
 */
function merge(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  if ("kind" in base && "kind" in over && base["kind"] !== over["kind"]) return over;
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? merge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}
