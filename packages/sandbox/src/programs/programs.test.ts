import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isGone } from "../testing/is-gone.ts";
import { type ProgramCall, runProgram } from "./programs.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "programs-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const run = (argv: ProgramCall["argv"], call: Partial<ProgramCall> = {}) =>
  runProgram({
    argv,
    cwd,
    timeoutMs: 60_000,
    maxOutputBytes: 10_000,
    signal: new AbortController().signal,
    ...call,
  });

/** Waits until a program has written its process id. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(cwd, file), { encoding: "utf8", flag: "a+" });
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
}

/** A killed process takes a moment to be gone. */
const ends = (pid: number) => expect.poll(() => isGone(pid), { timeout: 20_000 }).toBe(true);

describe("a program", () => {
  it("receives its arguments unchanged, without a shell", async () => {
    const hostile = "$(touch evil); `id` | cat && echo > x * ~ \n'\"";
    expect(await run(["printf", "%s", hostile])).toEqual({
      exitCode: 0,
      stdout: hostile,
      stderr: "",
      clipped: false,
    });
  });

  it("sees no variable of this process, and nothing on its standard input", async () => {
    const { stdout } = await run(["env"]);
    expect(
      stdout
        .trim()
        .split("\n")
        .sort()
        .map((line) => line.split("=")[0]),
    ).toEqual(["HOME", "LANG", "LC_ALL", "PATH"]);
    expect((await run(["cat"])).stdout).toBe("");
  });

  it("returns its exit code, and its output is limited", async () => {
    expect((await run(["false"])).exitCode).toBe(1);
    const { stdout, stderr, clipped } = await run(["seq", "100000"], { maxOutputBytes: 50 });
    expect([stdout.length, stderr, clipped]).toEqual([50, "", true]);
  });

  it("must be installed, and is never found by a path", async () => {
    for (const name of ["no-such-program", "../bin/ls", "/bin/ls", "", ".", ".."]) {
      await expect(run([name]), name).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
  });

  it("is killed with its child processes after the time limit", async () => {
    const child = "sleep 600 & echo $! > slow; wait";
    await expect(run(["sh", "-c", child], { timeoutMs: 1_000 })).rejects.toMatchObject({ code: "TIMEOUT" });
    await ends(await pidIn("slow"));
  });

  it("is killed with its child processes when aborted, even if it ignores signals", async () => {
    const control = new AbortController();
    const running = run(
      ["sh", "-c", "trap '' TERM; sleep 600 & echo $! > stubborn; while :; do wait; done"],
      {
        signal: control.signal,
      },
    );
    const pid = await pidIn("stubborn");
    control.abort(new Error("stopped"));
    await expect(running).rejects.toThrow("stopped");
    await ends(pid);
  });

  it("leaves no processes behind", async () => {
    await run(["sh", "-c", "sleep 600 & echo $! > behind"]);
    await ends(await pidIn("behind"));
  });

  it("is not started after an abort", async () => {
    await expect(
      run(["touch", "late"], { signal: AbortSignal.abort(new Error("too late")) }),
    ).rejects.toThrow("too late");
    await expect(readFile(join(cwd, "late"))).rejects.toThrow("ENOENT");
  });

  it("is not started if it is aborted during the lookup", async () => {
    const control = new AbortController();
    const running = run(["touch", "unwanted"], { signal: control.signal });
    control.abort(new Error("not any more"));
    await expect(running).rejects.toThrow("not any more");
    await expect(readFile(join(cwd, "unwanted"))).rejects.toThrow("ENOENT");
  });
});
