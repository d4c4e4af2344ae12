import { watch, type FSWatcher } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../contract/config.ts";
import { fileStamp } from "../database/file-stamp.ts";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { configFiles, loadConfig } from "./load-config.ts";

/**
 * The checked configuration. `current()` and `problem()` answer from a cache, so that code on a hot path can ask at any
 * time; `refresh()` and the source's own watch bring it up to date, wherever the configuration is kept.
 */
export interface ConfigSource {
  /**
   * The last configuration that was valid, as of the last look; the same object until something changes. Read it when it
   * is needed, keep no copy.
   */
  current(): Config;
  /**
   * Looks now instead of waiting for the watch; what is started after a person saved a change calls this first. Never
   * rejects for a configuration that turned invalid: that leaves `current()` as it was and shows in `problem()`.
   */
  refresh(): Promise<Config>;
  /** Why the configuration is not in use as it stands, as of the last look; undefined while it is. */
  problem(): ConfigInvalidError | undefined;
  /** Called after each change of `current()` or `problem()`. Returns the way to stop it. */
  onChange(listener: (config: Config, problem: ConfigInvalidError | undefined) => void): () => void;
  close(): void;
}

/** How often files are looked at where the system reports no changes (network disks, a folder made later). */
const LOOK_EVERY_MS = 2_000;
/** An editor that empties a file before it fills it is given this long. */
const SETTLE_MS = 50;

/**
 * Reads `<home>/etc/*.json` over the shipped defaults and keeps watching them. Throws `ConfigInvalidError` when they
 * cannot be used as they stand: nothing runs on a configuration that its owner did not mean.
 */
export function openConfig(places: { home: string; shippedEtc: string }): ConfigSource {
  const folders = [...new Set([resolve(places.shippedEtc), resolve(places.home, "etc")])];
  const files = folders.flatMap(configFiles);
  const listeners = new Set<Parameters<ConfigSource["onChange"]>[0]>();
  const stamps = (): string => files.map(fileStamp).join("\n");

  let seen = stamps();
  let current = loadConfig(folders);
  let problem: ConfigInvalidError | undefined;

  function look(): void {
    const found = stamps();
    if (found === seen) return;
    seen = found;
    const before = { current, problem };
    try {
      const loaded = loadConfig(folders);
      if (!isDeepStrictEqual(loaded, current)) current = loaded;
      problem = undefined;
    } catch (error) {
      if (!(error instanceof ConfigInvalidError)) throw error;
      problem = error;
    }
    if (before.current === current && before.problem?.message === problem?.message) return;
    for (const listener of listeners) listener(current, problem);
  }

  let settling: NodeJS.Timeout | undefined;
  const lookSoon = (): void => {
    settling ??= setTimeout(() => {
      settling = undefined;
      look();
    }, SETTLE_MS).unref();
  };
  const watchers = folders
    .map((folder) => watchFolder(folder, lookSoon))
    .filter((watcher) => watcher !== undefined);
  const timer = setInterval(look, LOOK_EVERY_MS).unref();

  return {
    current: () => current,
    problem: () => problem,
    async refresh() {
      look();
      return current;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      clearInterval(timer);
      clearTimeout(settling);
      for (const watcher of watchers) watcher.close();
      listeners.clear();
    },
  };
}

/** Undefined where the system cannot watch, or the folder does not exist: the timer looks there. */
function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
