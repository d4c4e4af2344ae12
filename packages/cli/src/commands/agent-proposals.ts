import type { Command } from "commander";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { table } from "../output.ts";
import { requirePermission, openSession, type CommandContext, type Session } from "../session.ts";

const MAX_LISTED = 100;

/** The reflector's proposals below `mh agent`: questions to answer, facts to keep or drop. */
export function addProposalCommands(agent: Command, context: () => CommandContext): void {
  async function openForChanges(): Promise<Session> {
    const session = await openSession(context());
    requirePermission(session.policy.canWriteMemory, session, "change memories");
    return session;
  }

  async function list(types: MemoryRecord["type"][], tag: string, empty: string): Promise<void> {
    const session = await openSession(context());
    requirePermission(session.policy.canReadMemory, session, "read memories");
    const { items, total } = await session.profile.memory.list({ types, tag, limit: MAX_LISTED });
    const rows = items.map(({ id, content }) => [id, truncate(oneLine(content), 100)]);
    context().output.result({ items, total }, rows.length > 0 ? table(rows) : empty);
  }

  agent
    .command("questions")
    .description("list the reflector's open questions")
    .action(() => list(["curiosity_question"], "open-question", "There are no open questions."));

  agent
    .command("answer <id> <text...>")
    .description("answer a question; the answer becomes a memory")
    .action(async (id: string, text: string[]) => {
      const { profile } = await openForChanges();
      const memory = await profile.proposals.answer(id, text.join(" "));
      context().output.result({ memory }, `Saved as ${memory.id}.`);
    });

  agent
    .command("facts")
    .description("list the facts that the reflector proposes")
    .action(() => list(["reflection"], "proposed-fact", "There are no proposed facts."));

  agent
    .command("keep <id>")
    .description("keep a proposed fact")
    .action(async (id: string) => {
      const { profile } = await openForChanges();
      const memory = await profile.proposals.keep(id);
      context().output.result({ memory }, `Saved as ${memory.id}.`);
    });

  agent
    .command("drop <id>")
    .description("move a proposed fact to the archive")
    .action(async (id: string) => {
      const { profile } = await openForChanges();
      const archived = await profile.proposals.drop(id);
      context().output.result({ archived }, "Moved to the archive.");
    });
}
