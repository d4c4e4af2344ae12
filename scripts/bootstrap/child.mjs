import { spawn } from "node:child_process";
import { constants } from "node:os";
import { codeOf } from "./error-code.mjs";

/** Signals that ask a program to end. */
const endings = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);

/** The programs that `collect` runs now. @type {Set<import("node:child_process").ChildProcess>} */
const collected = new Set();
/** The signal that asked this process to end meanwhile. @type {NodeJS.Signals | undefined} */
let ending;

/** @typedef {(pid: number) => void} OnStart called with the id of the process once it has started */
/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, onStart?: OnStart | undefined }} ChildOptions */

/**
 * Runs a program without a terminal and collects its output. A signal that ends this process is sent to the program first;
 * this process ends once every program that `collect` runs has ended.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {ChildOptions & { timeoutMs?: number }} [options] after `timeoutMs`, the program and its children are killed
 * @returns {Promise<{ code: number, output: string, timedOut: boolean }>} `code` is 127 if the program cannot be started
 */
export function collect(program, args, { cwd, env, onStart, timeoutMs } = {}) {
  const hasOwnGroup = process.platform !== "win32";
  const child = spawn(program, args, { cwd, env, detached: hasOwnGroup, stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) onStart?.(child.pid);
  /** @param {NodeJS.Signals} signal */
  const kill = (signal) =>
    hasOwnGroup && child.pid !== undefined ? killGroup(child.pid, signal) : child.kill(signal);
  collected.add(child);
  let hasTimedOut = false;
  let output = "";
  const append = (/** @type {string} */ text) => (output += text);
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", append);
  const stop = onEndings((signal) => kill((ending = signal)));
  if (ending) kill(ending);
  const timer = setTimeout(() => kill(((hasTimedOut = true), "SIGKILL")), timeoutMs ?? 2 ** 31 - 1);

  return new Promise((resolve) => {
    /** @param {number} code */
    const finish = (code) => {
      clearTimeout(timer);
      stop();
      collected.delete(child);
      if (!ending) resolve({ code, output, timedOut: hasTimedOut });
      else if (collected.size === 0) endAs(ending);
    };
    child.on("error", (error) => {
      output += `${error.message}\n`;
      finish(127);
    });
    // A child that it left running would keep the output open, so that "close" is not emitted.
    child.on("exit", () => kill("SIGKILL"));
    child.on("close", (code, signal) => finish(code ?? codeFor(signal)));
  });
}

/**
 * Runs a program in the terminal of this process: forwards signals and ends as the program ends. In a terminal, Ctrl-C
 * reaches the program directly, because it is in the same process group; forwarding it would send it twice.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {ChildOptions} [options]
 * @returns {Promise<number>} its exit code
 */
export function handOver(program, args, { cwd, env } = {}) {
  /** @type {Set<NodeJS.Signals>} */
  const passedOn = new Set(process.stdin.isTTY ? ["SIGINT"] : []);
  const stop = onEndings((signal) => {
    // Handled once, because npm forwards a signal that was sent to the whole group.
    if (!passedOn.has(signal)) child.kill(signal);
    passedOn.add(signal);
  });
  // Started after the listeners, so that no signal after its first output is missed.
  const child = spawn(program, args, { cwd, env, stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      stop();
      if (signal) endAs(signal);
      else resolve(code ?? 1);
    });
  });
}

/**
 * @param {(signal: NodeJS.Signals) => void} listener
 * @returns {() => void} stops listening
 */
function onEndings(listener) {
  for (const signal of endings) process.on(signal, listener);
  return () => endings.forEach((signal) => process.off(signal, listener));
}

/**
 * Ends this process as the signal would have, so that its parent sees the same status.
 * @param {NodeJS.Signals} signal
 */
function endAs(signal) {
  process.exitCode = codeFor(signal);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The exit code shells use for a signal. @param {NodeJS.Signals | null} signal */
function codeFor(signal) {
  return signal === null ? 1 : 128 + constants.signals[signal];
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function killGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
  }
}
