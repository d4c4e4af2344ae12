import { openAgentCopies } from "../agents/agent-copies.ts";
import { openAgentStore } from "../agents/open-agent-store.ts";
import { openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { openRunCopies } from "../runs/run-copies.ts";
import { openRunStore } from "../runs/open-run-store.ts";
import { describeCopies, type CopiesPlace } from "./copies.suite.ts";

describeCopies("in state.db", async () => {
  const databases = [1, 2].map(() =>
    openDatabase(":memory:", stateMigrations, { title: "the state database" }),
  );
  const [from, to] = databases.map((database): CopiesPlace => ({
    runs: openRunStore(database),
    runCopies: openRunCopies(database, () => new Date()),
    agents: openAgentStore(database),
    agentCopies: openAgentCopies(database),
  }));
  if (!from || !to) throw new Error("unreachable");
  return { from, to, close: async () => databases.forEach((database) => database.close()) };
});
