import { runCommand } from "./run-command.ts";

// The entry point of `mh`.

const stop = new AbortController();
process.once("SIGINT", () => {
  stop.abort();
});

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  input: process.stdin,
  out: process.stdout,
  err: process.stderr,
  interactive: process.stdin.isTTY && process.stdout.isTTY,
  signal: stop.signal,
});
