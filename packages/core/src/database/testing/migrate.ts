// Opens the database given on the command line, migrating it.
import { writeSync } from "node:fs";
import { openDatabase } from "../open-database.ts";
import { schema } from "./note-schema.ts";

const path = process.argv[2];
if (!path) throw new Error("which file?");
openDatabase(
  path,
  schema((progress) => writeSync(1, `${progress}\n`)),
  { title: "the note database" },
).close();
writeSync(1, "done\n");
