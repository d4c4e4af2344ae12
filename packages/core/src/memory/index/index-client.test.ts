import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexThread } from "../../worker/index-thread.ts";
import { describeVectorIndex } from "../../vectors/vector-index.suite.ts";
import { createIndexClient, type IndexClient, searchIndexOf, vectorIndexOf } from "./index-client.ts";
import { describeSearchIndex } from "./search-index.suite.ts";

describeSearchIndex("in a worker", async () => {
  const { client, close } = await openClient(8);
  return { index: searchIndexOf(client), close };
});

describeVectorIndex("sqlite-vec in a worker", async (dimensions) => {
  const { client, close } = await openClient(dimensions);
  return { index: vectorIndexOf(client, { id: "test", dimensions }), close };
});

async function openClient(dimensions: number): Promise<{ client: IndexClient; close: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), "metahuman-index-"));
  const client = createIndexClient({
    thread: indexThread,
    settings: {
      database: join(root, "index", "memory.db"),
      root,
      recordFolders: ["episodic"],
      taskFolders: [],
      embedder: { id: "test", dimensions },
    },
    onWarning: () => undefined,
    onRestart: () => undefined,
  });
  const close = async (): Promise<void> => {
    await client.close();
    await rm(root, { recursive: true });
  };
  return { client, close };
}
