// Increments the number in a file repeatedly, each time under the lock: `count-up.ts <folder> <times>`.
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { openFileLock } from "../file-lock.ts";

const [folder, times] = process.argv.slice(2);
if (!folder || !times) throw new Error("which folder, how many times?");
const counter = join(folder, "counter");
const lock = openFileLock(join(folder, "lock"), "the counter");
for (let turn = 0; turn < Number(times); turn += 1) {
  await lock.hold(async () => {
    const value = Number(readFileSync(counter, "utf8"));
    await nextTurn();
    writeFileSync(counter, String(value + 1));
  });
  if (turn === 0) writeSync(1, "started\n");
}
lock.close();
