// Opens and migrates the database given on the command line, and kills itself at the given moment, if any.
import { writeSync } from "node:fs";
import { openDatabase } from "../open-database.ts";
import { schema } from "./note-schema.ts";

const [, , path, killedAt] = process.argv;
if (!path) throw new Error("which file?");
function report(moment: string): void {
  writeSync(1, `${moment}\n`);
  // Kills itself, because a kill from outside would come at an uncertain time.
  if (moment === killedAt) process.kill(process.pid, "SIGKILL");
}
openDatabase(path, schema(report), { title: "the note database" }).close();
report("done");
