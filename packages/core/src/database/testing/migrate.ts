// Opens the database given on the command line, migrating it, and is killed at the moment given after it, if any.
import { writeSync } from "node:fs";
import { openDatabase } from "../open-database.ts";
import { schema } from "./note-schema.ts";

const [, , path, killedAt] = process.argv;
if (!path) throw new Error("which file?");
function report(moment: string): void {
  writeSync(1, `${moment}\n`);
  // By itself: a kill from outside would come some time after the moment it is meant for.
  if (moment === killedAt) process.kill(process.pid, "SIGKILL");
}
openDatabase(path, schema(report), { title: "the note database" }).close();
report("done");
