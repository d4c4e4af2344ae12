// Stores memories until it is killed, and prints each id when it is acknowledged:
// `write-memories.ts <data root> single|bulk <batch size>`. A bulk write is printed as one line.
import { writeSync } from "node:fs";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openMemory } from "../open-memory.ts";
import { USER_ORIGIN } from "../testing/open-test-memory.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

const [home, mode, size] = process.argv.slice(2);
if (!home || (mode !== "single" && mode !== "bulk")) throw new Error("where, and how?");
const { memory } = await openMemory({ paths: profilePaths(home, "ada"), embedder: createTestEmbedder() });
writeSync(1, "open\n");

for (let turn = 0; ; turn += 1) {
  const content = `walnut number ${turn} of process ${process.pid}`;
  if (mode === "single") {
    const { id } = await memory.add({ type: "observation", content }, USER_ORIGIN);
    writeSync(1, `${id}\n`);
  } else {
    const batch = Array.from({ length: Number(size) }, (_, number) => ({
      type: number % 2 === 0 ? ("observation" as const) : ("curated" as const),
      content: `${content}, ${number}`,
    }));
    const records = await memory.addMany(batch, USER_ORIGIN);
    writeSync(1, `${records.map(({ id }) => id).join(" ")}\n`);
  }
}
