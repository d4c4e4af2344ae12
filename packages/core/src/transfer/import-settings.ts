import { isDeepStrictEqual } from "node:util";
import { truncate } from "../text/format.ts";
import type { ImportContext, ImportTarget } from "./import-target.ts";
import type { BatchImporter } from "./parts.ts";

/**
 * Imports settings and persona, and describes each change, so that no trust level changes unnoticed. They are only
 * applied to a new profile, or if differing items are to be replaced.
 */
export function settingsImporter(
  { store }: ImportTarget,
  { apply, importsSettings, mayOpenFolders, report }: ImportContext,
): BatchImporter<"settings" | "persona"> {
  const later: (() => Promise<unknown>)[] = [];

  /** Applied settings are reported at the end. */
  function compare(
    item: { path: string; kind: "settings" | "persona" },
    [current, found]: readonly [object, object],
    change: () => Promise<unknown>,
  ): void {
    const reason = differences(current, found);
    if (reason === "") return report({ ...item, outcome: "unchanged" });
    if (!importsSettings) return report({ ...item, outcome: "conflicting", reason });
    later.push(async () => {
      if (apply) await change();
      report({ ...item, outcome: "changed", reason });
    });
  }

  return {
    async add(part) {
      const { path } = part;
      if (part.of === "persona") {
        const { value } = part;
        return compare({ path, kind: "persona" }, [await store.persona(), value], () =>
          store.changePersona(value),
        );
      }
      const current = await store.settings();
      const { workspaceRoots, ...settings } = part.value;
      const found = { ...settings, workspaceRoots: mayOpenFolders ? workspaceRoots : current.workspaceRoots };
      compare({ path, kind: "settings" }, [current, found], () => store.changeSettings(found));
    },
    // Applied last, because a mode without writes would stop the import.
    async finish() {
      for (const change of later) await change();
    },
  };
}

const MAX_VALUE_LENGTH = 80;

/** Describes each differing field: `trustLevel: "suggest" becomes "bounded_auto"`. */
function differences(current: object, found: object): string {
  const before = new Map<string, unknown>(Object.entries(current));
  return Object.entries(found)
    .filter(([field, value]) => !isDeepStrictEqual(before.get(field), value))
    .map(([field, value]) => `${field}: ${formatValue(before.get(field))} becomes ${formatValue(value)}`)
    .join("; ");
}

function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return truncate(text, MAX_VALUE_LENGTH);
}
