import { isDeepStrictEqual } from "node:util";
import { Persona, ProfileSettings } from "../contract/profile.ts";
import type { ImportItem } from "../contract/transfer.ts";
import { checkedJson } from "./check-json.ts";
import type { Importer, ImportOptions, ImportTarget } from "./import-profile.ts";

/**
 * Settings and persona: each change is told in words, so that nobody is given another trust level unseen. They are taken
 * over by a profile that is new, or when whatever differs is to be replaced.
 */
export function settingsImporter(
  { store }: ImportTarget,
  { apply, takeOver, mayOpenFolders }: ImportOptions & { takeOver: boolean },
  note: (item: ImportItem) => void,
): Importer {
  const later: (() => Promise<unknown>)[] = [];

  function compare(path: string, kind: "settings" | "persona", there: object, found: object): boolean {
    const reason = differences(there, found);
    if (reason === "") note({ path, kind, outcome: "unchanged" });
    else note({ path, kind, outcome: takeOver ? "changed" : "conflicting", reason });
    return reason !== "" && takeOver && apply;
  }

  return {
    async take(entry) {
      const { path } = entry;
      if (path === "profile.json") {
        const checked = checkedJson(ProfileSettings, await entry.read());
        if ("reason" in checked)
          return note({ path, kind: "settings", outcome: "refused", reason: checked.reason });
        const there = await store.settings();
        const { workspaceRoots, ...settings } = checked.value;
        const found = { ...settings, workspaceRoots: mayOpenFolders ? workspaceRoots : there.workspaceRoots };
        if (compare(path, "settings", there, found)) later.push(() => store.changeSettings(found));
        return;
      }
      const checked = checkedJson(Persona, await entry.read());
      if ("reason" in checked)
        return note({ path, kind: "persona", outcome: "refused", reason: checked.reason });
      const { value } = checked;
      if (compare(path, "persona", await store.persona(), value))
        later.push(() => store.changePersona(value));
    },
    // Last: a mode in which nothing is written must not come in the middle.
    async finish() {
      for (const change of later) await change();
    },
  };
}

const LONGEST_VALUE = 80;

/** `trustLevel: "suggest" becomes "bounded_auto"`, for each field that differs. */
function differences(there: object, found: object): string {
  const before = new Map<string, unknown>(Object.entries(there));
  return Object.entries(found)
    .filter(([field, value]) => !isDeepStrictEqual(before.get(field), value))
    .map(([field, value]) => `${field}: ${shown(before.get(field))} becomes ${shown(value)}`)
    .join("; ");
}

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE).toWellFormed()}…` : text;
}
