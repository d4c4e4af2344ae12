import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { runCommand } from "../run-command.ts";

export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

/** A temporary data root on which commands run in this process, without a terminal and without a model. */
export function openCommandLine(): {
  home: string;
  /** Runs `mh` with these arguments; `input` is standard input, and aborting `signal` is Ctrl-C. */
  mh(args: readonly string[], input?: string, signal?: AbortSignal): Promise<CommandResult>;
  remove(): void;
} {
  const home = mkdtempSync(join(tmpdir(), "mh-cli-"));
  return {
    home,
    async mh(args, input, signal = new AbortController().signal) {
      const result: CommandResult = { code: -1, out: "", err: "" };
      result.code = await runCommand(args, {
        env: {
          METAHUMAN_HOME: home,
          METAHUMAN_PASSWORD: "correct horse battery",
          OLLAMA_HOST: "http://127.0.0.1:9",
        },
        input: Readable.from(input === undefined ? [] : [input]),
        out: { write: (text) => (result.out += text) },
        err: { write: (text) => (result.err += text) },
        interactive: false,
        signal,
      });
      return result;
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
