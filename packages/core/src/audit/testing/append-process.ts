// Prints "ready", waits for a line on standard input, then appends numbered lines to the audit log in a folder and
// prints each number when its line is stored: `append-process.ts <folder> <actor> <lines>`.
import { once } from "node:events";
import { writeSync } from "node:fs";
import { openAuditLog } from "../open-audit-log.ts";

const [folder, actor, lines] = process.argv.slice(2);
if (!folder || !actor || !lines) throw new Error("usage: append-process.ts <folder> <actor> <lines>");
const log = openAuditLog(folder);
writeSync(1, "ready\n");
await once(process.stdin, "data");
for (let n = 1; n <= Number(lines); n += 1) {
  await log.append({ event: "counted", actor, details: { n } });
  writeSync(1, `${n}\n`);
}
await log.close();
process.stdin.destroy();
