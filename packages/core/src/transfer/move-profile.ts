import { isDeepStrictEqual } from "node:util";
import type { ProfileChannels, SealedSecret } from "../contract/channels.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { OPERATIONAL_TABLES } from "./operational-tables.ts";
import {
  type CopyProgress,
  differingKinds,
  digestProfile,
  kindOf,
  type ProfileCopies,
  type ProfileDigest,
} from "./profile-copies.ts";

export interface MoveOptions {
  /** The purposes for which the secrets of channels are encrypted. */
  secretPurposes: { ntfy: string; webhook: string };
  signal: AbortSignal;
  onProgress: (step: "copying" | "checking", kind: string, done: number) => void;
}

export interface MovedProfile {
  digest: ProfileDigest;
  /** Notes for the person: what could not be moved, and why. */
  notes: string[];
}

/**
 * Copies all data of a profile to a place without data of it, then reads both and compares them. Throws
 * `StorageCorruptError` if the audit log does not verify or if a kind differs afterwards, and the errors of the stores.
 */
export async function moveProfile(
  from: ProfileCopies,
  to: ProfileCopies,
  options: MoveOptions,
): Promise<MovedProfile> {
  const { signal, onProgress } = options;
  const verified = await from.audit.verify();
  if (!verified.ok)
    throw new StorageCorruptError(`The audit log of the profile does not verify: ${verified.message}`, {
      suggestions: ["See what mh audit verify reports. Nothing was moved."],
    });
  const notes = await copyAll(from, to, options);
  const check: CopyProgress = (kind, done) => onProgress("checking", kind, done);
  const [source, target] = [
    await digestProfile(from, { signal, onProgress: check }),
    await digestProfile(to, { signal, onProgress: check }),
  ];
  const different = differingKinds(source, target);
  if (different.length > 0)
    throw new StorageCorruptError(`The copy differs from its source: ${different.join(", ")}.`, {
      suggestions: [
        "Make sure that nothing uses the profile meanwhile, then start the migration again: it starts over.",
      ],
      context: { source, target },
    });
  const chain = await to.audit.verify();
  if (!chain.ok)
    throw new StorageCorruptError(`The copied audit log does not verify: ${chain.message}`, {
      suggestions: ["Start the migration again: it starts over."],
    });
  return { digest: target, notes };
}

async function copyAll(
  from: ProfileCopies,
  to: ProfileCopies,
  { secretPurposes, signal, onProgress }: MoveOptions,
): Promise<string[]> {
  const notes: string[] = [];
  const counts = new Map<string, number>();
  const count = (kind: string, more = 1): void => {
    signal.throwIfAborted();
    const done = (counts.get(kind) ?? 0) + more;
    counts.set(kind, done);
    onProgress("copying", kind, done);
  };

  const { settings, persona, channels } = await from.documents();
  await to.putDocuments({
    settings,
    persona,
    channels: resealChannels(channels, { from, to, secretPurposes, notes }),
  });
  for await (const entries of from.records.each()) {
    await to.records.put(entries);
    for (const entry of entries) count(kindOf(entry));
  }
  for await (const id of from.runs.conversationIds()) {
    await to.runs.restoreConversation(await from.runs.conversation(id), { retitle: false });
    count("conversations");
  }
  for await (const id of from.runs.runIds()) {
    await to.runs.migrateRun(await from.runs.run(id));
    count("runs");
  }
  for (const grant of await from.runs.grants()) await to.runs.restoreGrant(grant);
  for (const agent of await from.agents.all()) await to.agents.restore(agent);
  for await (const evidence of from.evidence.copies()) await to.evidence.restore(evidence);
  for await (const batch of from.uses.batches()) {
    await to.uses.record(batch);
    count("uses of memories", batch.length);
  }
  for (const table of OPERATIONAL_TABLES)
    for await (const rows of from.tables.rows(table)) {
      await to.tables.put(table, rows);
      count(table.name.replaceAll("_", " "), rows.length);
    }
  for await (const lines of from.audit.lines()) {
    await to.audit.append(lines);
    count("audit lines", lines.length);
  }
  await to.audit.end(await from.audit.signedSince());
  for await (const entry of from.workspace.each()) {
    if (entry.kind === "link") {
      notes.push(`${entry.path} is a link. Links are not moved.`);
      continue;
    }
    await to.workspace.put(entry, entry.kind === "file" ? from.workspace.read(entry.path) : undefined);
    count("files");
  }
  return notes;
}

/** The channels with their secrets sealed for the target. A secret that cannot be read is copied unchanged. */
function resealChannels(
  channels: ProfileChannels,
  {
    from,
    to,
    secretPurposes,
    notes,
  }: {
    from: ProfileCopies;
    to: ProfileCopies;
    secretPurposes: MoveOptions["secretPurposes"];
    notes: string[];
  },
): ProfileChannels {
  const reseal = (sealed: SealedSecret, channel: "ntfy" | "webhook"): SealedSecret => {
    const secret = from.openSecret(sealed, secretPurposes[channel]);
    if (secret !== undefined) return to.sealSecret(secret, secretPurposes[channel]);
    notes.push(`The secret of the channel ${channel} cannot be read. Enter it again.`);
    return sealed;
  };
  const { ntfy, webhook, ...others } = channels;
  return {
    ...others,
    ...(ntfy && { ntfy: { ...ntfy, ...(ntfy.token && { token: reseal(ntfy.token, "ntfy") }) } }),
    ...(webhook && { webhook: { ...webhook, secret: reseal(webhook.secret, "webhook") } }),
  };
}

/** Throws `ConflictError` if a source that nobody may use was changed meanwhile. */
export function assertUnchanged(before: unknown, after: unknown): void {
  if (isDeepStrictEqual(before, after)) return;
  throw new ConflictError("The profile was used while it was moved.", {
    suggestions: ["End all servers and commands that use it, then start the migration again."],
  });
}
