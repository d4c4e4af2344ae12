import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TimeoutError } from "../errors/run-errors.ts";
import { openFileLock, type FileLock } from "./file-lock.ts";

let folder: string;
let lock: FileLock;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-lock-"));
  lock = openFileLock(join(folder, "lock"), "the counter");
});

afterEach(() => {
  lock.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(program: string, ...args: string[]) {
  return spawn(process.execPath, [join(import.meta.dirname, "testing", program), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

it("runs the calls of one process one after another, in order", async () => {
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    seen.push(`${name} in`);
    await new Promise(setImmediate);
    seen.push(`${name} out`);
  };
  await Promise.all([lock.hold(work("a")), lock.hold(work("b"))]);
  expect(seen).toEqual(["a in", "a out", "b in", "b out"]);
});

it("is released after an error and passes the error on", async () => {
  await expect(lock.hold(() => Promise.reject(new Error("out of milk")))).rejects.toThrow("out of milk");
  await expect(lock.hold(() => Promise.resolve("fine"))).resolves.toBe("fine");
});

it("loses no update of several processes", async () => {
  writeFileSync(join(folder, "counter"), "0");
  const children = [start("count-up.ts", folder, "150"), start("count-up.ts", folder, "150")];
  await Promise.all(children.map((child) => once(child, "exit")));
  expect(readFileSync(join(folder, "counter"), "utf8")).toBe("300");
});

it("stops waiting after the timeout, and is released when its holder is killed", async () => {
  const holder = start("hold-forever.ts", join(folder, "lock"));
  await once(createInterface({ input: holder.stdout }), "line");
  await expect(lock.hold(() => Promise.resolve(), { waitMs: 20 })).rejects.toThrow(TimeoutError);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  await expect(lock.hold(() => Promise.resolve("mine"))).resolves.toBe("mine");
});
