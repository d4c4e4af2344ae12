import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, getPriority } from "node:os";
import { expect, it, onTestFinished } from "vitest";
import { leaveToOthers } from "./background.mjs";

it("lets a process wait for all others", () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { detached: true });
  onTestFinished(() => void child.kill());
  const pid = Number(child.pid);
  leaveToOthers(pid);
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
});

it("does not mind a process that has ended already", async () => {
  const child = spawn(process.execPath, ["--version"], { detached: true, stdio: "ignore" });
  await once(child, "close");
  expect(() => leaveToOthers(Number(child.pid))).not.toThrow();
});
