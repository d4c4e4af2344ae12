import { watch, type FSWatcher } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../contract/config.ts";
import { fileStamp } from "../files/file-content.ts";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { changeConfig, type ConfigChange } from "./change-config.ts";
import { configFiles, loadConfig } from "./load-config.ts";

/**
 * The validated configuration. `current()` and `problem()` read a cache, so hot paths can call them; `refresh()` and a
 * watcher update it, for every storage.
 */
export interface ConfigSource {
  /**
   * The last valid configuration; the same object until a value changes. Read it when
   * needed and do not store it.
   */
  current(): Config;
  /**
   * Checks for changes now instead of waiting for the watcher. Call it before an action that follows a saved change. Never
   * rejects for an invalid configuration, which leaves `current()` unchanged and sets `problem()`.
   */
  refresh(): Promise<Config>;
  /** The error of an invalid configuration; undefined while it is valid. */
  problem(): ConfigInvalidError | undefined;
  /** Calls `listener` after each change of `current()` or `problem()`. Returns a function that removes it. */
  onChange(listener: (config: Config, problem: ConfigInvalidError | undefined) => void): () => void;
  close(): void;
}

/** A configuration that this system may change, too. */
export interface EditableConfig extends ConfigSource {
  /**
   * Sets one key of the installation's own configuration; `refresh` then returns it. Throws `ConfigInvalidError` without
   * storing anything if the result is invalid. Changes of several processes are made one after the other.
   */
  change(change: ConfigChange): Promise<void>;
}

/** The polling interval for changes that the file watcher misses (network disks, new folders), in milliseconds. */
export const POLL_INTERVAL_MS = 2_000;
/** The debounce for editors that truncate a file before they write it, in milliseconds. */
const DEBOUNCE_MS = 50;

/**
 * Reads `<home>/etc/*.json` over the shipped defaults and watches them. Throws `ConfigInvalidError` if they
 * are invalid.
 */
export function openConfig(places: { home: string; shippedEtc: string }): EditableConfig {
  const folders = [...new Set([resolve(places.shippedEtc), resolve(places.home, "etc")])];
  const files = folders.flatMap(configFiles);
  const stamps = (): string => files.map(fileStamp).join("\n");

  let seen = stamps();
  const cache = createConfigCache(loadConfig(folders));

  function checkForChanges(): void {
    const found = stamps();
    if (found === seen) return;
    seen = found;
    cache.update(() => loadConfig(folders));
  }

  let debounce: NodeJS.Timeout | undefined;
  const scheduleCheck = (): void => {
    debounce ??= setTimeout(() => {
      debounce = undefined;
      checkForChanges();
    }, DEBOUNCE_MS).unref();
  };
  const watchers = folders
    .map((folder) => watchFolder(folder, scheduleCheck))
    .filter((watcher) => watcher !== undefined);
  const timer = setInterval(checkForChanges, POLL_INTERVAL_MS).unref();

  return {
    current: cache.current,
    problem: cache.problem,
    onChange: cache.onChange,
    async refresh() {
      checkForChanges();
      return cache.current();
    },
    change: (change) => changeConfig(places, change),
    close() {
      clearInterval(timer);
      clearTimeout(debounce);
      for (const watcher of watchers) watcher.close();
      cache.close();
    },
  };
}

/** The last valid configuration with its listeners, for every storage. */
export function createConfigCache(initial: Config) {
  const listeners = new Set<Parameters<ConfigSource["onChange"]>[0]>();
  let current = initial;
  let problem: ConfigInvalidError | undefined;
  return {
    current: () => current,
    problem: () => problem,
    onChange(listener: Parameters<ConfigSource["onChange"]>[0]) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Loads the configuration. An invalid one leaves the last one in place and becomes the problem. */
    update(load: () => Config): void {
      const before = { current, problem };
      try {
        const loaded = load();
        if (!isDeepStrictEqual(loaded, current)) current = loaded;
        problem = undefined;
      } catch (error) {
        if (!(error instanceof ConfigInvalidError)) throw error;
        problem = error;
      }
      if (before.current === current && before.problem?.message === problem?.message) return;
      for (const listener of listeners) listener(current, problem);
    },
    close: () => listeners.clear(),
  };
}

/** Reads the configuration again. Throws its `ConfigInvalidError` while it is invalid. */
export async function refreshOrThrow(config: ConfigSource): Promise<void> {
  await config.refresh();
  const problem = config.problem();
  if (problem) throw problem;
}

/** Watches a folder. Returns undefined if that is not possible; the timer polls such folders. */
function watchFolder(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
