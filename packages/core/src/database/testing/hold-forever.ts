// Takes the lock given on the command line and holds it until the process is killed.
import { writeSync } from "node:fs";
import { openFileLock } from "../file-lock.ts";

const path = process.argv[2];
if (!path) throw new Error("which lock?");
await openFileLock(path, "the counter").hold(async () => {
  writeSync(1, "held\n");
  await new Promise((resolve) => setInterval(resolve, 1 << 30));
});
