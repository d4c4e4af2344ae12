// Opens a read-only state database as a user without rights, and prints the status as JSON: `read-only-state.ts
// <folder with a state.db>`. Root can write everything, so it drops its rights first.
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { openState } from "../state-database.ts";

/** A user and group without any files. */
const NOBODY = 65_534;

const [folder = ""] = process.argv.slice(2);
const path = join(folder, "state.db");
chmodSync(path, 0o444);
if (process.getuid?.() === 0) {
  chownSync(folder, NOBODY, NOBODY);
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}
const open = () =>
  openState({
    path,
    audit: openAuditLog(join(folder, "audit")),
    actor: "ada",
    clock: () => new Date(),
    onWarning: () => undefined,
    damage: undefined,
    backsUp: false,
  });
const first = open();
const before = first.control.status();
await first.control.restore({});
const isOutdated = first.isOutdated();
await first.close();
const second = open();
process.stdout.write(JSON.stringify({ before, isOutdated, after: second.control.status() }));
await second.close();
