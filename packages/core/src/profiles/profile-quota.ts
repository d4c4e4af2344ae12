import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { StorageConfig } from "../contract/config.ts";
import type { StorageUsage } from "../contract/http.ts";
import { systemCode } from "../errors/node-error.ts";
import { QuotaExceededError } from "../errors/storage-errors.ts";
import { replaceFile } from "../files/durable-file.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import { parseJson } from "../contract/parse-json.ts";

export interface StoredAmount {
  bytes: number;
  files: number;
}

/** Enforces the maximum bytes and files of a profile. */
export interface ProfileQuota {
  /** Returns the usage, counted at most `FRESH_MS` ago. */
  usage(): Promise<StorageUsage>;
  /**
   * Runs `write` if the added amount fits; otherwise throws `QuotaExceededError` without writing. `subject` is the name
   * shown to people.
   */
  write<Result>(added: StoredAmount, subject: string, write: () => Promise<Result>): Promise<Result>;
  /** Counts again. Call it after writes without the quota. */
  recount(): Promise<StorageUsage>;
}

export interface ProfileQuotaOptions {
  paths: Pick<ProfilePaths, "out" | "inbox" | "memory">;
  /** Counts what the profile stores. Default: the files in its folders. */
  amount?: (() => Promise<StoredAmount>) | undefined;
  limits: () => StorageConfig["profile"];
  /** Receives errors of storing the count. */
  onProblem: (message: string, error: unknown) => void;
  clock: () => Date;
}

/** Below this part of its limits, a profile is not counted again before a write. */
const RECOUNT_THRESHOLD = 0.8;
/** How long an exact count is valid for `usage`, in milliseconds. */
const FRESH_MS = 5_000;
/** How long a stored count is valid, in milliseconds. To count 10 000 files takes 118 ms of processor time (2026-11-27). */
const STORED_MS = 24 * 3_600_000;
/** The number of concurrent `lstat` calls. */
const MAX_CONCURRENT = 64;

const StoredCount = z.strictObject({
  bytes: z.int().nonnegative(),
  files: z.int().nonnegative(),
  at: z.int(),
});
type Count = z.infer<typeof StoredCount>;

/**
 * The count is stored next to the index, so that a command that writes one memory does not scan all files. It is an
 * upper estimate between counts: only the next count sees deletions, and a count precedes every rejection.
 */
export function createProfileQuota({
  paths,
  amount,
  limits,
  onProblem,
  clock,
}: ProfileQuotaOptions): ProfileQuota {
  const index = dirname(paths.memory.index);
  const countPath = join(index, "usage.json");
  let known: Count | undefined;
  /** True if nothing was written since the last count. */
  let isExact = false;
  /** The admitted amount that is not yet written. */
  let pending: StoredAmount = { bytes: 0, files: 0 };
  let counting: Promise<Count> | undefined;

  async function amountInFolders(): Promise<StoredAmount> {
    const total = { bytes: 0, files: 0 };
    for (const folder of [paths.out, paths.inbox, paths.memory.root]) await addFolder(folder, total, index);
    return total;
  }

  async function countAll(): Promise<Count> {
    const count = { ...(await (amount ?? amountInFolders)()), at: clock().getTime() };
    known = count;
    isExact = true;
    await replaceFile(countPath, JSON.stringify(count), "the count of the profile's files").catch(
      (error: unknown) => onProblem("the count of the profile's files could not be kept", error),
    );
    return count;
  }

  /** Shares one count among concurrent callers. */
  function count(): Promise<Count> {
    counting ??= countAll().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function readStored(): Promise<Count | undefined> {
    const text = await readFile(countPath, "utf8").catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return "null";
      throw error;
    });
    const parsed = StoredCount.safeParse(parseJson(text));
    const age = clock().getTime() - (parsed.data?.at ?? 0);
    return parsed.success && age >= 0 && age < STORED_MS ? parsed.data : undefined;
  }

  async function admit(added: StoredAmount, subject: string): Promise<void> {
    if (!known) {
      const first = (await readStored()) ?? (await count());
      known ??= first;
    }
    if (!isWithinLimits(plus(plus(known, pending), added), limits(), RECOUNT_THRESHOLD)) {
      const stored = plus(await count(), pending);
      if (!isWithinLimits(plus(stored, added), limits(), 1))
        throw quotaError(stored, added, limits(), subject);
    }
    pending = plus(pending, added);
  }

  const withLimits = ({ bytes, files }: StoredAmount): StorageUsage => ({ bytes, files, ...limits() });
  const plus = (one: StoredAmount, other: StoredAmount): StoredAmount => ({
    bytes: one.bytes + other.bytes,
    files: one.files + other.files,
  });

  return {
    async usage() {
      const isFresh = known && isExact && Math.abs(clock().getTime() - known.at) < FRESH_MS;
      return withLimits(isFresh && known ? known : await count());
    },

    async write(added, subject, write) {
      await admit(added, subject);
      try {
        const result = await write();
        known = known && { ...known, ...plus(known, added) };
        isExact = false;
        return result;
      } finally {
        pending = { bytes: pending.bytes - added.bytes, files: pending.files - added.files };
      }
    },

    recount: async () => withLimits(await count()),
  };
}

function isWithinLimits(
  { bytes, files }: StoredAmount,
  limits: StorageConfig["profile"],
  part: number,
): boolean {
  return bytes <= limits.maxBytes * part && files <= limits.maxFiles * part;
}

/** Creates the error of a write that does not fit, with advice. */
export function quotaError(
  stored: StoredAmount,
  added: StoredAmount,
  { maxBytes, maxFiles }: StorageConfig["profile"],
  subject: string,
): QuotaExceededError {
  const isBytes = stored.bytes + added.bytes > maxBytes;
  const amount = isBytes
    ? `${stored.bytes} of ${maxBytes} bytes are used, and ${added.bytes} more are needed`
    : `${stored.files} of ${maxFiles} files are used, and ${added.files} more are needed`;
  return new QuotaExceededError(`${subject} does not fit into this profile: ${amount}.`, {
    suggestions: [
      "Remove files that are no longer needed. Deleted files stay in memory/archive/ until they are removed there.",
      `The owner can raise profile.${isBytes ? "maxBytes" : "maxFiles"} in etc/storage.json.`,
    ],
    context: { used: { ...stored }, needed: { ...added }, maxBytes, maxFiles },
  });
}

/** Adds the contents of a folder without following links, excluding the folder `without`. */
async function addFolder(folder: string, total: StoredAmount, without: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  const files = (entries ?? []).filter((entry) => !entry.isDirectory());
  total.files += files.length;
  for (let next = 0; next < files.length; next += MAX_CONCURRENT) {
    const sizes = files.slice(next, next + MAX_CONCURRENT).map(async ({ name }) => {
      const stats = await lstat(join(folder, name)).catch(ignoreMissing);
      return stats?.size ?? 0;
    });
    for (const size of await Promise.all(sizes)) total.bytes += size;
  }
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && path !== without) await addFolder(path, total, without);
  }
}

/** Skips files that are moved during the count or are not readable. */
function ignoreMissing(error: unknown): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) throw error;
  return undefined;
}
