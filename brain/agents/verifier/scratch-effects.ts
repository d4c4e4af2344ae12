import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Recipe } from "@metahuman/core/contract/function";
import { MemoryId, TaskId } from "@metahuman/core/contract/ids";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import { systemCode } from "@metahuman/core/errors/node-error";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";

/** A change of one file, folder, task or memory by a call. */
export interface ScratchEffect {
  /** A path such as `out/notes/a.md`, or the id of a task or memory. */
  target: string;
  change: "created" | "changed" | "deleted";
}

/** A hash of each file, task and memory; folders have none. */
export type ScratchState = ReadonlyMap<string, string>;

/** Reads the roots, with paths that start with the name of the root, and the folders of records, keyed by record id. */
export async function readScratchState(folders: {
  roots: Readonly<Record<string, string>>;
  records: readonly string[];
}): Promise<ScratchState> {
  const state = new Map<string, string>();
  for (const [root, folder] of Object.entries(folders.roots))
    for (const { path, hash } of await entriesIn(folder)) state.set(`${root}/${path}`, hash);
  for (const folder of folders.records)
    for (const { path, hash } of await entriesIn(folder)) {
      const id =
        path
          .split("/")
          .at(-1)
          ?.replace(/\.json$/, "") ?? "";
      if (isRecordId(id)) state.set(id, hash);
    }
  return state;
}

export function effectsBetween(before: ScratchState, after: ScratchState): ScratchEffect[] {
  const effects: ScratchEffect[] = [];
  for (const [target, hash] of after) {
    const earlier = before.get(target);
    if (earlier !== hash) effects.push({ target, change: earlier === undefined ? "created" : "changed" });
  }
  for (const target of before.keys()) if (!after.has(target)) effects.push({ target, change: "deleted" });
  return effects;
}

/**
 * The first effect of a call on a target that neither a parameter nor the recipe names. A path or id found by a look-up
 * counts as named; text that was read does not, because its author would then decide what is changed.
 */
export function unexpectedEffect(
  { args: templates }: Pick<Recipe["actions"][number], "args">,
  args: Readonly<Record<string, unknown>>,
  effects: readonly ScratchEffect[],
  canonicalPath: (path: string) => string | undefined,
): ScratchEffect | undefined {
  const named = leavesOf(args).flatMap(({ place, value }) => {
    if (typeof value !== "string" || !isNamedBy(templateAt(templates, place))) return [];
    return isRecordId(value) ? [value] : (canonicalPath(value) ?? []);
  });
  return effects.find(({ target, change }) => {
    // The system generates the ids of new records.
    if (isRecordId(target)) return change !== "created" && !named.includes(target);
    return !named.some(
      (path) =>
        target === path ||
        target.startsWith(`${path}/`) ||
        (change === "created" && path.startsWith(`${target}/`)),
    );
  });
}

/** The template of a leaf of the arguments; one placeholder may replace a whole object or list. */
function templateAt(templates: unknown, place: string): unknown {
  let at = templates;
  for (const key of place.split(".")) {
    if (typeof at !== "object" || at === null) return at;
    at = Reflect.get(at, key);
  }
  return at;
}

function isNamedBy(template: unknown): boolean {
  return sourcesIn(template).every(
    (source) => source.kind !== "step" || /(?:^|\.)(?:path|id|from|to|names\.\d+)$/.test(source.field),
  );
}

/** True for the id of a task or memory. */
export function isRecordId(text: string): boolean {
  return TaskId.safeParse(text).success || MemoryId.safeParse(text).success;
}

async function entriesIn(folder: string): Promise<{ path: string; hash: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  return Promise.all(
    entries.map(async (entry) => {
      const absolute = join(entry.parentPath, entry.name);
      const path = absolute.slice(folder.length + 1);
      if (!entry.isFile()) return { path, hash: "" };
      return {
        path,
        hash: createHash("sha256")
          .update(await readFile(absolute))
          .digest("hex"),
      };
    }),
  );
}
