// Prints "ready", waits for a line on standard input, then sets overrides for numbered skills of a profile, one
// change each: `change-settings.ts <home> <username> <prefix> <changes>`.
import { once } from "node:events";
import { writeSync } from "node:fs";
import { openProfileStore } from "../open-profile-store.ts";

const [home, username, prefix, changes] = process.argv.slice(2);
if (!home || !username || !prefix || !changes)
  throw new Error("usage: change-settings.ts <home> <username> <prefix> <changes>");
const store = await openProfileStore({ home, username });
writeSync(1, "ready\n");
await once(process.stdin, "data");
for (let n = 0; n < Number(changes); n += 1) {
  await store.changeSettings(({ skillOverrides }) => ({
    skillOverrides: { ...skillOverrides, [`${prefix}_${n}`]: "ask" },
  }));
}
store.close();
process.stdin.destroy();
