import {
  ImportOutcome,
  type ExportManifest,
  type ImportItem,
  type ImportReport,
} from "../contract/transfer.ts";

/** Parts that are told one by one. */
const MOST_ITEMS = 500;
/** What people should see first. */
const FIRST: readonly ImportOutcome[] = ["refused", "conflicting", "changed", "added"];

/** Gathers what becomes of the parts of an import. */
export function createReport(applied: boolean) {
  let source: ExportManifest | undefined;
  const none = { added: 0, changed: 0, unchanged: 0, conflicting: 0, refused: 0 };
  const totals = { ...none };
  const kinds: ImportReport["kinds"] = {};
  const items = new Map<ImportOutcome, ImportItem[]>(ImportOutcome.options.map((outcome) => [outcome, []]));
  return {
    note(item: ImportItem): void {
      totals[item.outcome] += 1;
      if (item.kind) (kinds[item.kind] ??= { ...none })[item.outcome] += 1;
      const known = items.get(item.outcome);
      if (item.outcome !== "unchanged" && known && known.length < MOST_ITEMS)
        known.push({ ...item, path: item.path.slice(0, 1_000) });
    },
    source: (manifest: ExportManifest): void => void (source = manifest),
    done: (): ImportReport => ({
      applied,
      ...(source && { source }),
      totals,
      kinds,
      items: FIRST.flatMap((outcome) => items.get(outcome) ?? []).slice(0, MOST_ITEMS),
    }),
  };
}
