import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { COMPILED, REPOSITORY } from "./server.ts";

const MAIN = join(REPOSITORY, "packages/cli/src/main.ts");

export interface CommandResult {
  code: number | null;
  /** What was printed as the result. */
  out: string;
  /** What was said about it. */
  err: string;
}

/** Runs `mh` as its own process over the given data root, with nobody at the terminal; `input` is piped in. */
export async function mh(
  home: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input?: string,
): Promise<CommandResult> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], {
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
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, out, err };
}
