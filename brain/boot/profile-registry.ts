import { setTimeout as delay } from "node:timers/promises";
import type { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { Logger } from "@metahuman/core/log/logger";
import type { OpenedProfile } from "./profile-options.ts";

/** The maximum time between two checks for idle profiles, in milliseconds. */
const MAX_SWEEP_MS = 60_000;
/** How long work that starts while an idle profile closes may take, in milliseconds. */
const IDLE_GRACE_MS = 10_000;

/**
 * How many profiles are opened at a time; others wait. After the start of a server, all clients ask at once: if few are
 * opened at a time, the first ones are usable much earlier.
 */
const MAX_OPENING = 4;

/** How many profiles are closed at a time. If they closed more slowly than others open, their number would grow. */
const MAX_CLOSING = MAX_OPENING;

/** The minimum idle time of a profile that is closed because too many are open, in milliseconds. */
const MIN_IDLE_MS = 10_000;

/** The part of a profile that the registry needs to keep it open and to close it. */
type Openable = Omit<OpenedProfile, "profile">;

/** A profile that stays open until it is released. */
export interface ProfileReference<Opened extends Openable = OpenedProfile> {
  opened: Opened;
  /** Call it once the work with the profile has ended; further calls have no effect. */
  release(): void;
}

/** The open profiles of this process. */
export interface ProfileRegistry<Opened extends Openable = OpenedProfile> {
  has(username: string): boolean;
  usernames(): string[];
  /** Opens the profile on first use, and again when its state database is damaged or was replaced. */
  openCurrent(username: string): Promise<Opened>;
  /** As `openCurrent`; `closeIdle` leaves the profile open until it is released. */
  hold(username: string): Promise<ProfileReference<Opened>>;
  /** Waits until nobody holds the profile, at most this time, in milliseconds. */
  released(username: string, waitMs: number): Promise<void>;
  /** Closes a profile if it is open. */
  close(username: string, graceMs: number): Promise<void>;
  /** Closes the profiles that nobody has used for this time, in milliseconds, and that have nothing to do. */
  closeIdle(idleMs: number): Promise<void>;
  /** Closes every profile and logs failures. */
  closeAll(graceMs: number): Promise<void>;
}

export function createProfileRegistry<Opened extends Openable = OpenedProfile>(
  open: (username: string, stateDamage?: StorageCorruptError) => Promise<Opened>,
  {
    logger,
    maxOpen,
  }: {
    logger: Logger;
    /** How many profiles may be open before idle ones are closed early. Read after each opening. */
    maxOpen: () => number;
  },
): ProfileRegistry<Opened> {
  const profiles = new Map<string, Promise<Opened>>();
  const uses = createUses();
  const closings = createClosings();

  const openInTurn = inTurns(MAX_OPENING, open);

  async function openAfterClosing(username: string): Promise<Opened> {
    await closings.of(username);
    return openInTurn(username);
  }

  function register(username: string, opening: Promise<Opened>): Promise<Opened> {
    profiles.set(username, opening);
    opening.then(closeSurplus, () => {
      if (profiles.get(username) === opening) profiles.delete(username);
    });
    return opening;
  }

  const closeSurplus = createSurplusCloser({ profiles, usedAt: uses.usedAt, maxOpen, close: closeOrWarn });

  async function reopen(username: string, outdated: Opened): Promise<Opened> {
    const damage = outdated.stateDamage();
    try {
      await outdated.close(0);
    } catch (error) {
      logger.warn({ err: error, profile: username }, "a profile could not be closed in order");
    }
    return open(username, damage);
  }

  function close(username: string, graceMs: number): Promise<void> {
    const known = profiles.get(username);
    profiles.delete(username);
    if (!known) return closings.of(username);
    return closings.add(username, async () => (await known).close(graceMs));
  }

  async function openCurrent(username: string): Promise<Opened> {
    uses.record(username);
    const known = profiles.get(username) ?? register(username, openAfterClosing(username));
    const profile = await known;
    profile.expectChanges();
    if (!profile.isOutdated()) return profile;
    // Another caller may have begun to open it again.
    const reopening = profiles.get(username);
    if (reopening !== undefined && reopening !== known) return reopening;
    return register(username, reopen(username, profile));
  }

  async function closeIfIdle(username: string, idleMs: number): Promise<void> {
    const known = profiles.get(username);
    if (!known || !uses.isUnused(username, idleMs)) return;
    if (await (await known).isBusy()) return;
    // Since then, somebody may have begun to use it.
    if (!uses.isUnused(username, idleMs) || profiles.get(username) !== known) return;
    uses.forget(username);
    await close(username, IDLE_GRACE_MS);
    logger.debug({ profile: username }, "an idle profile was closed");
  }

  async function closeOrWarn(username: string, idleMs: number): Promise<void> {
    try {
      await closeIfIdle(username, idleMs);
    } catch (error) {
      logger.warn({ err: error, profile: username }, "an idle profile could not be closed in order");
    }
  }

  return {
    has: (username) => profiles.has(username),
    usernames: () => [...profiles.keys()],
    openCurrent,
    async hold(username) {
      const release = uses.start(username);
      try {
        return { opened: await openCurrent(username), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    released: (username, waitMs) => uses.ended(username, waitMs),
    close,
    async closeIdle(idleMs) {
      await inParallel(MAX_CLOSING, profiles.keys(), (username) => closeOrWarn(username, idleMs));
      closeSurplus();
    },
    async closeAll(graceMs) {
      const closing = [...profiles.keys()].map((username) => close(username, graceMs));
      const failures = (await Promise.allSettled([...closing, ...closings.all()])).filter(
        (result) => result.status === "rejected",
      );
      for (const { reason } of failures)
        logger.error({ err: reason }, "a profile could not be closed in order");
    },
  };
}

/** The profiles that are being closed: they are opened again only afterwards. */
function createClosings() {
  const closings = new Map<string, Promise<void>>();
  return {
    /** Resolves when the profile is closed, or could not be; at once if nobody closes it. */
    of: (username: string): Promise<void> => closings.get(username) ?? Promise.resolve(),
    /** Closes a profile after an earlier closing of it. */
    add(username: string, close: () => Promise<void>): Promise<void> {
      const closed = (closings.get(username) ?? Promise.resolve()).then(close);
      const ended = closed
        // The caller of `add` sees the failure.
        .catch(() => undefined)
        .finally(() => {
          if (closings.get(username) === ended) closings.delete(username);
        });
      closings.set(username, ended);
      return closed;
    },
    all: (): Promise<void>[] => [...closings.values()],
  };
}

interface Use {
  /** The number of current users of the profile. */
  holders: number;
  /** Called when nobody holds it any more. */
  onEnd: (() => void)[];
  /** When it was last used, by the monotonic clock in milliseconds. */
  usedAt: number;
}

/** Records by whom and when profiles are used. */
interface Uses {
  record(username: string): void;
  /** Records a use that lasts until the returned function is called. */
  start(username: string): () => void;
  /** Waits until no use lasts, at most this time, in milliseconds. */
  ended(username: string, waitMs: number): Promise<void>;
  /** When a profile was last used, by the monotonic clock in milliseconds; 0 without a use. */
  usedAt(username: string): number;
  /** True if nobody uses a profile, and nobody has used it for this time, in milliseconds. */
  isUnused(username: string, idleMs: number): boolean;
  forget(username: string): void;
}

function createUses(): Uses {
  const uses = new Map<string, Use>();
  function record(username: string): Use {
    const use = uses.get(username) ?? { holders: 0, onEnd: [], usedAt: 0 };
    use.usedAt = performance.now();
    uses.set(username, use);
    return use;
  }
  return {
    record: (username) => void record(username),
    start(username) {
      const use = record(username);
      use.holders += 1;
      let isInUse = true;
      return () => {
        if (!isInUse) return;
        isInUse = false;
        use.holders -= 1;
        use.usedAt = performance.now();
        if (use.holders === 0) for (const end of use.onEnd.splice(0)) end();
      };
    },
    async ended(username, waitMs) {
      const use = uses.get(username);
      if (!use || use.holders === 0) return;
      const end = new Promise<void>((resolve) => use.onEnd.push(resolve));
      await Promise.race([end, delay(waitMs, undefined, { ref: false })]);
    },
    usedAt: (username) => uses.get(username)?.usedAt ?? 0,
    isUnused(username, idleMs) {
      const use = uses.get(username);
      return !use || (use.holders === 0 && performance.now() - use.usedAt >= idleMs);
    },
    forget: (username) => void uses.delete(username),
  };
}

/** Calls `work` for each item, for at most `concurrency` items at a time. */
async function inParallel<Item>(
  concurrency: number,
  items: IterableIterator<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of items) await work(item);
    }),
  );
}

/** Returns a function that closes the least recently used profiles while too many are open. */
function createSurplusCloser({
  profiles,
  usedAt,
  maxOpen,
  close,
}: {
  profiles: ReadonlyMap<string, unknown>;
  usedAt: (username: string) => number;
  maxOpen: () => number;
  /** Closes a profile if nobody has used it for this time, in milliseconds, and it has nothing to do. */
  close: (username: string, idleMs: number) => Promise<void>;
}): () => void {
  let closing: Promise<void> | undefined;
  async function closeSurplus(): Promise<void> {
    const longestUnused = [...profiles.keys()].toSorted((one, other) => usedAt(one) - usedAt(other)).values();
    const surplus = profiles.size - maxOpen();
    await inParallel(Math.min(MAX_CLOSING, surplus), longestUnused, async (username) => {
      if (profiles.size > maxOpen()) await close(username, MIN_IDLE_MS);
    });
  }
  return () => {
    if (profiles.size > maxOpen()) closing ??= closeSurplus().finally(() => (closing = undefined));
  };
}

/** Returns a function that calls `work` at most `concurrency` times at once; further calls wait in order. */
function inTurns<Args extends unknown[], Result>(
  concurrency: number,
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (...args) => {
    if (running === concurrency) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work(...args);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Closes idle profiles regularly. The time after which a profile counts as idle is read at each check. */
export function startIdleChecks(
  profiles: Pick<ProfileRegistry, "closeIdle">,
  idleMs: () => number,
): { stop(): void } {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const check = (): void => {
    void profiles.closeIdle(idleMs()).finally(wait);
  };
  function wait(): void {
    if (!isStopped) timer = setTimeout(check, Math.min(idleMs() / 4, MAX_SWEEP_MS)).unref();
  }
  wait();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
