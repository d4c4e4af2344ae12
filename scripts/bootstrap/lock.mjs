import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { codeOf } from "./error-code.mjs";

const heartbeatMs = 2_000;
const silentAfter = 20_000;

/**
 * @typedef {object} Owner
 * @property {string} token tells two holds of one process apart
 * @property {string} host
 * @property {number} since when it was taken, in ms since 1970
 * @property {number[]} processes the holder, and the installers it started: those may outlive it
 */

/**
 * Whether the lock may be taken from its owner: if none of its processes lives, or, on another machine or container, whose
 * processes cannot be seen, if its heartbeat has stopped.
 *
 * @param {Owner} owner
 * @param {{ host: string, now: number, bootedAt: number, beatAt: number, isAlive: (pid: number) => boolean }} world
 */
export function isAbandoned(owner, world) {
  if (owner.host !== world.host) return world.now - world.beatAt > silentAfter;
  if (owner.since < world.bootedAt) return true;
  return !owner.processes.some(world.isAlive);
}

/**
 * Takes a lock, which is a folder; waits while a living process holds it. Another folder with the owner's file is renamed
 * to it: the rename fails if the lock is taken, and no process sees a lock without an owner.
 *
 * @param {string} folder
 * @param {() => void} onWait called once when it has to wait
 */
export async function takeLock(folder, onWait) {
  const token = randomBytes(8).toString("hex");
  const candidate = `${folder}.${token}`;
  /** @type {Owner} */
  const owner = { token, host: hostname(), since: Date.now(), processes: [process.pid] };
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(candidate);
  writeOwner(candidate, owner);

  for (let waits = 0; !renamed(candidate, folder, ["ENOTEMPTY", "EEXIST", "EPERM"]);) {
    if (!dropAbandoned(folder, token) && waits++ === 0) onWait();
    await setTimeout(100);
  }

  /** Does nothing if the lock was deleted or taken over by another process. */
  const whileHeld = (/** @type {() => void} */ act) => {
    if (readOwner(folder)?.owner.token === token) act();
  };
  const touch = () => utimesSync(join(folder, "owner"), new Date(), new Date());
  const heartbeatTimer = setInterval(() => whileHeld(touch), heartbeatMs);
  heartbeatTimer.unref();
  return {
    /** Holds the lock as long as that process lives, even if this one is killed. */
    include: (/** @type {number} */ pid) => {
      owner.processes.push(pid);
      whileHeld(() => writeOwner(folder, owner));
    },
    /** Renames the folder before it removes it. Otherwise, another process could rename its folder to the emptied one. */
    release: () => {
      clearInterval(heartbeatTimer);
      whileHeld(() => {
        renameSync(folder, `${candidate}.released`);
        rmSync(`${candidate}.released`, { recursive: true, force: true });
      });
    },
  };
}

/**
 * Removes an abandoned lock. Returns false if the lock is held. If several processes find it abandoned, one removes it.
 * @param {string} folder
 * @param {string} token
 */
function dropAbandoned(folder, token) {
  const seen = readOwner(folder);
  if (seen === undefined) return true;
  const world = { host: hostname(), now: Date.now(), bootedAt: Date.now() - uptime() * 1_000, isAlive };
  if (!isAbandoned(seen.owner, { ...world, beatAt: seen.beatAt })) return false;
  const abandonedFolder = `${folder}.${token}.abandoned`;
  if (!renamed(folder, abandonedFolder, ["ENOENT"])) return true;
  // Another process may have replaced the abandoned lock by its own since it was read: that one is moved back.
  if (readOwner(abandonedFolder)?.owner.token !== seen.owner.token)
    renamed(abandonedFolder, folder, ["ENOTEMPTY", "EEXIST", "EPERM"]);
  rmSync(abandonedFolder, { recursive: true, force: true });
  return true;
}

/**
 * @param {string} from
 * @param {string} to
 * @param {string[]} refusals the error codes that mean no; any other error is thrown
 */
function renamed(from, to, refusals) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (refusals.includes(codeOf(error))) return false;
    throw error;
  }
}

/**
 * Replaces the file in one step, so that nobody reads an incomplete one.
 * @param {string} folder
 * @param {Owner} owner
 */
function writeOwner(folder, owner) {
  const temporary = join(folder, `owner.${owner.token}`);
  writeFileSync(temporary, formatOwner(owner));
  renameSync(temporary, join(folder, "owner"));
}

/**
 * @param {string} folder
 * @returns {{ owner: Owner, beatAt: number } | undefined} nothing when the lock has just been released
 */
function readOwner(folder) {
  const file = join(folder, "owner");
  try {
    return { owner: parseOwner(readFileSync(file, "utf8")), beatAt: statSync(file).mtimeMs };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Parses an owner. An empty or damaged file, as after a power failure, counts as an owner from before the machine started.
 * @param {string} text
 * @returns {Owner}
 */
export function parseOwner(text) {
  const fields = /^([0-9a-f]+) (\d+) ([\d,]+) (.*)$/.exec(text);
  if (!fields) return { token: "", host: hostname(), since: 0, processes: [] };
  const [, token = "", since, processes = "", host = ""] = fields;
  return { token, host, since: Number(since), processes: processes.split(",").map(Number) };
}

/** @param {Owner} owner */
export function formatOwner({ token, since, processes, host }) {
  return `${token} ${since} ${processes.join(",")} ${host}`;
}

/** A process that ended but was never collected by its parent (Linux: state Z) is not alive. @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESRCH") return false;
    throw error;
  }
}
