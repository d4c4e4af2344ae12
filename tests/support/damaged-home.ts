import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backUpIfDue } from "@metahuman/core/database/backup";
import { OWNER, startServerHere, type TestServer } from "./server.ts";

/** Starts a server on data whose state database has a backup with one conversation and was then overwritten. */
export async function startDamagedServer(): Promise<TestServer> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-damaged-"));
  const before = await startServerHere({ home });
  const owner = await before.owner();
  await owner.post("/api/operator", { goal: "add a task: water the ferns" });
  await before.dispose();
  const state = join(home, "profiles", OWNER.username, "state.db");
  await backUpIfDue(state, new Date());
  await writeFile(state, "garbage ".repeat(4_096));
  const server = await startServerHere({ home });
  return {
    ...server,
    async dispose() {
      await server.dispose();
      await rm(home, { recursive: true, force: true });
    },
  };
}
