// Rebuilds the index of memories again and again until it is killed: `rebuild-index.ts <data root>`. Prints a line when
// a rebuild begins, and one at each progress.
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openMemory } from "../open-memory.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

const [home] = process.argv.slice(2);
if (!home) throw new Error("where?");
const { index, ready } = await openMemory({
  paths: profilePaths(home, "ada"),
  embedder: createTestEmbedder(),
});
await ready;
for (;;) {
  let status = await index.rebuild();
  let printed = "";
  while (status.rebuilding) {
    const reached = `${String(status.progress)} of ${String(status.items)}, ${String(status.pending)} to embed`;
    if (reached !== printed) writeSync(1, `${reached}\n`);
    printed = reached;
    await setImmediate();
    status = await index.status();
  }
}
