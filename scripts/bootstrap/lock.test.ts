import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { formatOwner, isAbandoned, parseOwner, takeLock } from "./lock.mjs";

const owner = { token: "ab12", host: "here", since: 1_000, processes: [10, 11] };
const world = { host: "here", now: 60_000, bootedAt: 0, beatAt: 59_000, isAlive: () => false };

/** Requests a lock that is held: `waiting` resolves when it has to wait, `taken` when it has the lock. */
function waitFor(folder: string) {
  let onWait = () => {};
  const waiting = new Promise<void>((resolve) => (onWait = resolve));
  return { taken: takeLock(folder, () => onWait()), waiting };
}

describe("a lock", () => {
  it("is abandoned when none of its processes exists on this machine", () => {
    expect(isAbandoned(owner, world)).toBe(true);
    expect(isAbandoned(owner, { ...world, isAlive: (pid) => pid === 10 })).toBe(false);
  });

  it("is not abandoned while the installer of a killed holder is running", () => {
    expect(isAbandoned(owner, { ...world, isAlive: (pid) => pid === 11 })).toBe(false);
  });

  it("is abandoned when the machine was restarted since", () => {
    expect(isAbandoned(owner, { ...world, bootedAt: 2_000, isAlive: () => true })).toBe(true);
  });

  it("is abandoned on another machine only when its heartbeat stopped", () => {
    const elsewhere = { ...world, host: "there" };
    expect(isAbandoned(owner, elsewhere)).toBe(false);
    expect(isAbandoned(owner, { ...elsewhere, now: 600_000 })).toBe(true);
  });
});

describe("an owner", () => {
  it("is read as it was written", () => {
    const owners = fc.record({
      token: fc.stringMatching(/^[0-9a-f]{16}$/),
      host: fc.stringMatching(/^[A-Za-z0-9 .-]{0,20}$/),
      since: fc.nat(),
      processes: fc.array(fc.nat(), { minLength: 1 }),
    });
    fc.assert(
      fc.property(owners, (some) => {
        expect(parseOwner(formatOwner(some))).toEqual(some);
      }),
    );
  });

  it("without content has abandoned its lock", () => {
    expect(isAbandoned(parseOwner(""), { ...world, host: hostname(), bootedAt: 1 })).toBe(true);
  });
});

describe("a taken lock", () => {
  let parent = "";
  let folder = "";
  const unexpected = () => expect.unreachable("nobody holds the lock");

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), "lock-"));
    folder = join(parent, "held");
    onTestFinished(() => rmSync(parent, { recursive: true }));
  });

  it("blocks others until it is released, and leaves no files", async () => {
    const first = await takeLock(folder, unexpected);
    const order: string[] = [];
    const { taken, waiting } = waitFor(folder);
    const second = taken.then((lock) => {
      order.push("taken by the second");
      return lock;
    });
    await waiting;
    order.push("released by the first");
    first.release();
    (await second).release();
    expect(order).toEqual(["released by the first", "taken by the second"]);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("passes to one at a time of many that want it", async () => {
    let holders = 0;
    const turns = Array.from({ length: 8 }, async () => {
      const lock = await takeLock(folder, () => undefined);
      holders += 1;
      expect(holders).toBe(1);
      await new Promise(setImmediate);
      holders -= 1;
      lock.release();
    });
    await Promise.all(turns);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("is not touched by a former holder, and may be deleted", async () => {
    const first = await takeLock(folder, unexpected);
    rmSync(folder, { recursive: true });
    first.include(1);
    const second = await takeLock(folder, unexpected);
    first.release();
    expect(readdirSync(parent)).toEqual(["held"]);
    second.release();
  });

  it("is taken over at once from a killed process", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const processes = [dead.pid ?? 0];
    mkdirSync(folder);
    writeFileSync(
      join(folder, "owner"),
      formatOwner({ ...owner, host: hostname(), since: Date.now(), processes }),
    );
    (await takeLock(folder, unexpected)).release();
    expect(readdirSync(parent)).toEqual([]);
  });

  it("stays held while an included process exists", async () => {
    const installer = spawn(process.execPath, ["-e", "process.stdin.resume()"]);
    const processes = [2 ** 30, installer.pid ?? 0];
    mkdirSync(folder);
    writeFileSync(
      join(folder, "owner"),
      formatOwner({ ...owner, host: hostname(), since: Date.now(), processes }),
    );
    const { taken, waiting } = waitFor(folder);
    await waiting;
    installer.stdin.end();
    (await taken).release();
    expect(installer.exitCode ?? (await once(installer, "exit"))[0]).toBe(0);
  });
});
