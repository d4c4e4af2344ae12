// Writes more than this process may, with each kind of write, then something small, and prints how each ended:
// `fill-the-disk.ts <data root> <id of an existing memory>`.
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openMemory } from "../open-memory.ts";
import { USER_ORIGIN } from "../testing/open-test-memory.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

const [home = "", id = ""] = process.argv.slice(2);
const { memory, close } = await openMemory({
  paths: profilePaths(home, "ada"),
  embedder: createTestEmbedder(),
});
const much = { type: "observation", content: "x".repeat(2_000_000) } as const;
const attempts = [
  () => memory.add(much, USER_ORIGIN),
  () => memory.addMany([much, much], USER_ORIGIN),
  () => memory.edit(id, { content: much.content }),
  () => memory.add({ type: "observation", content: "small enough" }, USER_ORIGIN),
];
for (const attempt of attempts) {
  const result = await attempt().then(
    () => "done",
    (error: unknown) => toErrorDetail(error).code,
  );
  process.stdout.write(`${result}\n`);
}
await close();
