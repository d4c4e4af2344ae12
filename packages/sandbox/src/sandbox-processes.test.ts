import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox, sandbox } from "./open-sandbox.ts";
import { startSandboxProcess } from "./sandbox-process.ts";
import { type FunctionRun, DEFAULT_LIMITS } from "./sandbox.ts";
import { isGone } from "./testing/is-gone.ts";

/** Time limits that only a hung process would exceed. */
const patiently = { timeout: 25_000, interval: 20 };

describe("sandbox processes", () => {
  const returnsOne = (owner: string): FunctionRun => ({
    module: "export const main = async () => 1;",
    parameters: {},
    skills: [],
    callSkill: async () => ({}),
    limits: { wallMs: 25_000 },
    owner,
  });
  const spin = (owner: string, signal: AbortSignal): FunctionRun => ({
    ...returnsOne(owner),
    module: "export const main = async () => { for (;;); };",
    limits: { wallMs: 3_600_000 },
    signal,
  });

  it("are replaced when one is killed during a run, which ends with a typed error", async () => {
    const child = startSandboxProcess();
    child.keepAlive(true);
    await child.ready;
    const running = child.run(
      { module: "for (;;);", skills: [], limits: { ...DEFAULT_LIMITS, wallMs: 60_000 } },
      { callSkill: async () => ({}) },
    );
    process.kill(child.pid ?? 0, "SIGKILL");
    await expect(running).rejects.toMatchObject({ code: "SANDBOX_CRASHED" });
    expect(child.isFit()).toBe(false);
  });

  it("end after a run that exceeded a limit, and the next run uses another", async () => {
    const run = returnsOne("greg");
    await expect(
      sandbox.run({
        ...run,
        module: "export const main = async () => { for (;;); };",
        limits: { wallMs: 100 },
      }),
    ).rejects.toMatchObject({
      code: "SANDBOX_TIMEOUT",
    });
    expect(await sandbox.run(run)).toMatchObject({ result: 1 });
  });

  it("end with the process that started them, even during a step that cannot be interrupted", async () => {
    const parent = fork(join(import.meta.dirname, "testing/busy-until-killed.ts"));
    const [pid]: unknown[] = await once(parent, "message");
    if (typeof pid !== "number") throw new Error("the helper did not say which process it started");
    expect(isGone(pid)).toBe(false);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await expect.poll(() => isGone(pid), patiently).toBe(true);
  });

  it("start a person's run at once while eight functions of another person are running", async () => {
    const shared = openSandbox({ softLimit: 1 });
    const spinning = new AbortController();
    const spins = Array.from({ length: 8 }, () =>
      shared.run(spin("greedy", spinning.signal)).catch((error: unknown) => error),
    );
    expect(await shared.run(returnsOne("patient"))).toMatchObject({ result: 1 });
    spinning.abort(new Error("enough"));
    await Promise.all(spins);
    await shared.close();
  });

  it("are shared fairly between people when all are in use", async () => {
    const shared = openSandbox({ softLimit: 1, hardLimit: 1 });
    const holding = new AbortController();
    const held = shared.run(spin("greedy", holding.signal)).catch((error: unknown) => error);
    const order: string[] = [];
    const queued = ["greedy", "greedy", "greedy", "patient", "patient", "other"].map(async (owner) => {
      await shared.run(returnsOne(owner));
      order.push(owner);
    });
    holding.abort(new Error("enough"));
    await Promise.all([held, ...queued]);
    expect(order).toEqual(["patient", "other", "greedy", "patient", "greedy", "greedy"]);
    await shared.close();
  });

  it("all end when the sandbox is closed, and waiting runs are rejected", async () => {
    const closing = openSandbox({ softLimit: 1 });
    const run: FunctionRun = {
      module: "export const main = async () => { await skills.wait({}) };",
      parameters: {},
      skills: ["wait"],
      callSkill: () => new Promise(() => undefined),
      limits: { wallMs: 60_000 },
    };
    const ends = [closing.run(run), closing.run(run)].map((one) =>
      one.then(
        () => "ended",
        (error: unknown) => error,
      ),
    );
    await closing.close();
    for (const ending of await Promise.all(ends)) expect(ending).toMatchObject({ code: "SANDBOX_CRASHED" });
    await expect(closing.run(run)).rejects.toMatchObject({ code: "SANDBOX_CRASHED" });
  });
});
