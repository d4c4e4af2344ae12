import { isDeepStrictEqual } from "node:util";
import { truncate } from "../text/format.ts";
import type { ImportCourse, ImportTarget } from "./import-target.ts";
import type { LateImporter } from "./parts.ts";

/**
 * Imports settings and persona, and describes each change, so that no trust level changes unnoticed. They are only
 * applied to a new profile, or if differing items are to be replaced.
 */
export function settingsImporter(
  { store }: ImportTarget,
  { apply, takeOver, mayOpenFolders, note }: ImportCourse,
): LateImporter<"settings" | "persona"> {
  const later: (() => Promise<unknown>)[] = [];

  /** Applied settings are reported at the end. */
  function compare(
    item: { path: string; kind: "settings" | "persona" },
    [there, found]: readonly [object, object],
    change: () => Promise<unknown>,
  ): void {
    const reason = differences(there, found);
    if (reason === "") return note({ ...item, outcome: "unchanged" });
    if (!takeOver) return note({ ...item, outcome: "conflicting", reason });
    later.push(async () => {
      if (apply) await change();
      note({ ...item, outcome: "changed", reason });
    });
  }

  return {
    async take(part) {
      const { path } = part;
      if (part.of === "persona") {
        const { value } = part;
        return compare({ path, kind: "persona" }, [await store.persona(), value], () =>
          store.changePersona(value),
        );
      }
      const there = await store.settings();
      const { workspaceRoots, ...settings } = part.value;
      const found = { ...settings, workspaceRoots: mayOpenFolders ? workspaceRoots : there.workspaceRoots };
      compare({ path, kind: "settings" }, [there, found], () => store.changeSettings(found));
    },
    // Applied last, because a mode without writes would stop the import.
    async finish() {
      for (const change of later) await change();
    },
  };
}

const LONGEST_VALUE = 80;

/** Describes each differing field: `trustLevel: "suggest" becomes "bounded_auto"`. */
function differences(there: object, found: object): string {
  const before = new Map<string, unknown>(Object.entries(there));
  return Object.entries(found)
    .filter(([field, value]) => !isDeepStrictEqual(before.get(field), value))
    .map(([field, value]) => `${field}: ${shown(before.get(field))} becomes ${shown(value)}`)
    .join("; ");
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return truncate(text, LONGEST_VALUE);
}
