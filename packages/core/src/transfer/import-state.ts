import type { Grant } from "../contract/approval.ts";
import { grantReach } from "../contract/grant-reach.ts";
import type { ImportItem } from "../contract/transfer.ts";
import type { CopyComparison } from "../runs/run-copy.ts";
import type { ImportContext, ImportTarget } from "./import-target.ts";
import type { Importer } from "./parts.ts";
import type { MemoryUse } from "../memory/evolution/memory-uses.ts";

/** Imports conversations with their messages. Their runs follow. */
export function conversationImporter(
  { runs }: ImportTarget,
  { apply, replace, report }: ImportContext,
): Importer<"conversation"> & { isHere(id: string): Promise<boolean> } {
  const seen = new Set<string>();
  return {
    /** Also true if a preview would add it. */
    isHere: async (id) => seen.has(id) || runs.hasConversation(id),
    async add({ path, value }) {
      seen.add(value.id);
      const comparison = await runs.compareConversation(value);
      const retitle = comparison.kind === "conflict" && replace;
      // Missing messages are added even if the title differs.
      if (apply && comparison.kind !== "same") await runs.restoreConversation(value, { retitle });
      report({ path, kind: "conversation", ...(retitle ? { outcome: "changed" } : outcomeOf(comparison)) });
    },
  };
}

/** Imports runs into their conversations. Existing runs are never replaced, because they record what happened. */
export function runImporter(
  { runs }: ImportTarget,
  { apply, report }: ImportContext,
  isHere: (conversationId: string) => Promise<boolean>,
): Importer<"run"> {
  return {
    async add({ path, value }) {
      const comparison = await runs.compareRun(value);
      if (comparison.kind === "new" && !(await isHere(value.conversationId)))
        return report({ path, kind: "run", outcome: "refused", reason: "its conversation is not here" });
      if (apply && comparison.kind === "new") await runs.restoreRun(value);
      report({ path, kind: "run", ...outcomeOf(comparison) });
    },
  };
}

/** Imports standing permissions. Reports each one, so that nothing is allowed without notice. */
export function grantImporter(
  { runs }: ImportTarget,
  { apply, importsSettings, report }: ImportContext,
): Importer<"grant"> {
  return {
    async add({ path, value }) {
      if (await runs.hasGrant(value.id)) return report({ path, kind: "grant", outcome: "unchanged" });
      if (apply && importsSettings) await runs.restoreGrant(value);
      report({
        path,
        kind: "grant",
        outcome: importsSettings ? "changed" : "conflicting",
        reason: inWords(value),
      });
    },
  };
}

/** Imports the runs and logs of agents. */
export function agentImporter({ agents }: ImportTarget, { apply, report }: ImportContext): Importer<"agent"> {
  return {
    async add({ path, value }) {
      const isNew = await agents.isNew(value);
      if (apply && isNew) await agents.restore(value);
      report({ path, kind: "agent", outcome: isNew ? "added" : "unchanged" });
    },
  };
}

function outcomeOf(comparison: CopyComparison): Pick<ImportItem, "outcome" | "reason"> {
  switch (comparison.kind) {
    case "new":
      return { outcome: "added" };
    case "same":
      return { outcome: "unchanged" };
    case "has-more-messages":
      return { outcome: "changed", reason: comparison.reason };
    case "conflict":
      return { outcome: "conflicting", reason: comparison.reason };
    case "invalid":
      return { outcome: "refused", reason: comparison.reason };
    default:
      return comparison satisfies never;
  }
}

function inWords(grant: Grant): string {
  const until = grant.expires === undefined ? "" : ` until ${grant.expires}`;
  return `${grant.skill} may run without asking for ${grantReach(grant.skill, grant)}${until}`;
}

const AT_ONCE = 1_000;

/** Imports the uses of memories. Repeated imports count each use once. */
export function countersImporter(
  { uses }: ImportTarget,
  { apply, report }: ImportContext,
): Importer<"counters"> {
  return {
    async add({ path, value }) {
      const known = new Set<string>();
      if (value.length > 0)
        for await (const batch of uses.batches()) for (const use of batch) known.add(keyOf(use));
      const fresh = value.filter((use) => !known.has(keyOf(use)));
      for (let next = 0; apply && next < fresh.length; next += AT_ONCE)
        await uses.restore(fresh.slice(next, next + AT_ONCE));
      report({ path, kind: "counters", outcome: fresh.length > 0 ? "added" : "unchanged" });
    },
  };
}

/** Imports usage statistics of functions. Existing statistics are kept, because sums cannot be separated. */
export function evidenceImporter(
  { evidence }: ImportTarget,
  { apply, report }: ImportContext,
): Importer<"evidence"> {
  return {
    async add({ path, value }) {
      const isNew = (await evidence.row(value.id)) === undefined;
      if (isNew && apply) await evidence.restore(value);
      report({ path, kind: "counters", outcome: isNew ? "added" : "unchanged" });
    },
  };
}

function keyOf({ memoryId, kind, at }: MemoryUse): string {
  return `${memoryId} ${kind} ${at}`;
}
