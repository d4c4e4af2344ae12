import { describe, expect, it } from "vitest";
import { CancelledError, TimeoutError } from "@metahuman/core/errors/run-errors";
import { rejectOnAbort } from "@metahuman/core/async/reject-on-abort";
import { type Limited, runWithTimeout } from "./execute-call.ts";

const skill: Limited = { id: "fs_write", timeoutMs: 60_000, effects: "write", idempotent: false };
const never = new AbortController().signal;
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) =>
    signal.addEventListener("abort", () => reject(new Error("the tool broke off"))),
  );

describe("running a skill", () => {
  it("returns its result", async () => {
    expect(await runWithTimeout(skill, async () => "done", never)).toBe("done");
  });

  it("ends at the time limit with a typed error, whatever the skill itself throws", async () => {
    const ended = runWithTimeout({ ...skill, timeoutMs: 20 }, untilAborted, never);
    await expect(ended).rejects.toThrow(TimeoutError);
    await expect(ended).rejects.toMatchObject({
      suggestions: [expect.stringContaining("in part") as unknown],
    });
  });

  it("ends with the reason of the abort, even if the skill ignores the signal", async () => {
    const control = new AbortController();
    const ignoresSignal = runWithTimeout(skill, () => new Promise<never>(() => undefined), control.signal);
    const reason = new CancelledError("Stopped.");
    control.abort(reason);
    await expect(ignoresSignal).rejects.toBe(reason);
  });

  it("keeps the result of a skill that finishes right after the abort", async () => {
    const control = new AbortController();
    const late = (signal: AbortSignal) =>
      new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("done")));
    const result = runWithTimeout(skill, late, control.signal);
    control.abort(new CancelledError("Stopped."));
    expect(await result).toBe("done");
  });

  it("does not start after an abort", async () => {
    let ran = false;
    const work = async () => (ran = true);
    await expect(
      runWithTimeout(skill, work, AbortSignal.abort(new CancelledError("Stopped."))),
    ).rejects.toThrow(CancelledError);
    expect(ran).toBe(false);
  });
});

describe("a promise that may never settle", () => {
  it("is rejected when the signal is aborted", async () => {
    const control = new AbortController();
    const waiting = rejectOnAbort(new Promise(() => undefined), control.signal);
    const reason = new Error("enough");
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(rejectOnAbort(Promise.resolve(1), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await rejectOnAbort(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });
});
