import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { StorageConfig } from "../contract/config.ts";
import type { StorageUsage } from "../contract/http.ts";
import { systemCode } from "../errors/node-error.ts";
import { QuotaExceededError } from "../errors/storage-errors.ts";
import { replaceFile } from "../memory/store/durable-file.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";

export interface StoredAmount {
  bytes: number;
  files: number;
}

/** Holds a profile to the bytes and files it may have. */
export interface ProfileQuota {
  /** Counted anew, unless that was done within the last seconds. */
  usage(): Promise<StorageUsage>;
  /**
   * Does `write` when what it adds fits, and throws `QuotaExceededError` before it when it does not; `subject` is what
   * people know it by.
   */
  write<Result>(added: StoredAmount, subject: string, write: () => Promise<Result>): Promise<Result>;
  /** To be called when much was written past the quota. */
  recount(): Promise<StorageUsage>;
}

export interface ProfileQuotaOptions {
  paths: Pick<ProfilePaths, "out" | "inbox" | "memory">;
  limits: () => StorageConfig["profile"];
  /** Told of a count that could not be kept for the next start. */
  onProblem: (message: string, error: unknown) => void;
  clock: () => Date;
}

/** Below this part of what it may hold, a profile is not counted anew before a write. */
const NEARLY_FULL = 0.8;
/** An exact count is good for this long when a person asks, in milliseconds. */
const FRESH_MS = 5_000;
/** A count that an earlier process kept is good for this long. */
const KEPT_MS = 24 * 3_600_000;
/** Files looked at side by side. */
const AT_ONCE = 64;

const KeptCount = z.strictObject({
  bytes: z.int().nonnegative(),
  files: z.int().nonnegative(),
  at: z.int(),
});
type Count = z.infer<typeof KeptCount>;

/**
 * The count is kept beside the index, so that a command that writes one memory does not look at all files first. It is
 * estimated upwards between counts: what is deleted or replaced is only seen by the next one, which comes before any
 * refusal.
 */
export function createProfileQuota({ paths, limits, onProblem, clock }: ProfileQuotaOptions): ProfileQuota {
  const index = dirname(paths.memory.index);
  const keptIn = join(index, "usage.json");
  let known: Count | undefined;
  /** Nothing was written since the last count. */
  let isExact = false;
  /** What was admitted and is not written yet. */
  let underWay: StoredAmount = { bytes: 0, files: 0 };
  let counting: Promise<Count> | undefined;

  async function countAll(): Promise<Count> {
    const total = { bytes: 0, files: 0 };
    for (const folder of [paths.out, paths.inbox, paths.memory.root]) await addFolder(folder, total, index);
    const count = { ...total, at: clock().getTime() };
    known = count;
    isExact = true;
    await replaceFile(keptIn, JSON.stringify(count), "the count of the profile's files").catch(
      (error: unknown) => onProblem("the count of the profile's files could not be kept", error),
    );
    return count;
  }

  /** One count at a time, for everybody who waits for it. */
  function count(): Promise<Count> {
    counting ??= countAll().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  async function kept(): Promise<Count | undefined> {
    const text = await readFile(keptIn, "utf8").catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return "null";
      throw error;
    });
    const parsed = KeptCount.safeParse(readJson(text));
    const age = clock().getTime() - (parsed.data?.at ?? 0);
    return parsed.success && age >= 0 && age < KEPT_MS ? parsed.data : undefined;
  }

  async function admit(added: StoredAmount, subject: string): Promise<void> {
    if (!known) {
      const first = (await kept()) ?? (await count());
      known ??= first;
    }
    if (!fits(plus(plus(known, underWay), added), limits(), NEARLY_FULL)) {
      const held = plus(await count(), underWay);
      if (!fits(plus(held, added), limits(), 1)) throw exceeded(held, added, limits(), subject);
    }
    underWay = plus(underWay, added);
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
        underWay = { bytes: underWay.bytes - added.bytes, files: underWay.files - added.files };
      }
    },

    recount: async () => withLimits(await count()),
  };
}

function fits({ bytes, files }: StoredAmount, limits: StorageConfig["profile"], part: number): boolean {
  return bytes <= limits.maxBytes * part && files <= limits.maxFiles * part;
}

/** The error for what does not fit: by how much, and what can be done. */
export function exceeded(
  held: StoredAmount,
  added: StoredAmount,
  { maxBytes, maxFiles }: StorageConfig["profile"],
  subject: string,
): QuotaExceededError {
  const isBytes = held.bytes + added.bytes > maxBytes;
  const room = isBytes
    ? `${held.bytes} of ${maxBytes} bytes are used, and ${added.bytes} more are needed`
    : `${held.files} of ${maxFiles} files are used, and ${added.files} more are needed`;
  return new QuotaExceededError(`There is no room in this profile for ${subject}: ${room}.`, {
    suggestions: [
      "Remove files that are no longer needed; what was deleted stays in memory/archive/ until it is removed there.",
      `The owner can raise profile.${isBytes ? "maxBytes" : "maxFiles"} in etc/storage.json.`,
    ],
    context: { used: { ...held }, needed: { ...added }, maxBytes, maxFiles },
  });
}

/** Adds what a folder holds, links not followed, without the folder `without`. */
async function addFolder(folder: string, total: StoredAmount, without: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(goneMeanwhile);
  const files = (entries ?? []).filter((entry) => !entry.isDirectory());
  total.files += files.length;
  for (let next = 0; next < files.length; next += AT_ONCE) {
    const sizes = files.slice(next, next + AT_ONCE).map(async ({ name }) => {
      const stats = await lstat(join(folder, name)).catch(goneMeanwhile);
      return stats?.size ?? 0;
    });
    for (const size of await Promise.all(sizes)) total.bytes += size;
  }
  for (const entry of entries ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && path !== without) await addFolder(path, total, without);
  }
}

/** What is moved while it is counted, and what nobody may read, is left out. */
function goneMeanwhile(error: unknown): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) throw error;
  return undefined;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
