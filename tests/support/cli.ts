import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { builtRunCommand, PROGRAMS } from "./built-programs.ts";
import { COMPILED } from "./server.ts";

const MAIN = join(PROGRAMS, "mh.mjs");

export interface CommandResult {
  code: number | null;
  /** Standard output. */
  out: string;
  /** Standard error. */
  err: string;
}

/**
 * Runs a command line as `mh` does on the given data root without a terminal; `input` is piped to it. Runs in this
 * process to save the start of one process per command.
 */
export async function mh(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<CommandResult> {
  let out = "";
  let err = "";
  const runCommand = await builtRunCommand();
  const code = await runCommand(args, {
    env: { PATH: process.env["PATH"], METAHUMAN_HOME: home, OLLAMA_HOST: "http://127.0.0.1:9", ...env },
    input: Readable.from(input === undefined ? [] : [input]),
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
    interactive: false,
    signal: new AbortController().signal,
  });
  return { code, out, err };
}

/**
 * Runs a command line as in a terminal. `keys` are pressed in turn, each when its prompt is drawn: a letter, or text to add
 * followed by `\r`.
 */
export async function mhInTerminal(
  home: string,
  args: readonly string[],
  keys: readonly (readonly [prompt: string, keys: string])[],
): Promise<CommandResult & { screen: string }> {
  let [out, err, screen, drawn] = ["", "", "", ""];
  const waiting = [...keys];
  const input = new PassThrough();
  const runCommand = await builtRunCommand();
  const code = await runCommand(args, {
    env: { PATH: process.env["PATH"], METAHUMAN_HOME: home, OLLAMA_HOST: "http://127.0.0.1:9" },
    input,
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
    interactive: true,
    screen: new Writable({
      write(piece: Buffer, _encoding, done) {
        screen += piece.toString();
        drawn += piece.toString();
        const [next] = waiting;
        if (next && drawn.includes(next[0])) {
          waiting.shift();
          drawn = "";
          setImmediate(() => input.write(next[1]));
        }
        done();
      },
    }),
    signal: new AbortController().signal,
  });
  return { code, out, err, screen };
}

/** Runs `mh` as its own process. Sends a signal, by default SIGINT, when stderr matches. */
export async function mhProcess(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
  interruptAt?: RegExp | { at: RegExp; signal: "SIGINT" | "SIGKILL" },
): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: COMPILED,
      METAHUMAN_HOME: home,
      OLLAMA_HOST: "http://127.0.0.1:9",
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
  let output = "";
  const { at, signal } =
    interruptAt instanceof RegExp || !interruptAt
      ? { at: interruptAt, signal: "SIGINT" as const }
      : interruptAt;
  child.stderr.on("data", (piece: Buffer) => {
    output += piece.toString();
    if (at?.test(output) && !child.killed) child.kill(signal);
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, err };
}
