import type { Command } from "commander";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { oneLine, table } from "../output.ts";
import { demand, openSession, type CommandContext, type Session } from "../session.ts";

const MOST = 100;

/** What the reflector came up with, below `mh agent`: questions to answer, facts to keep or drop. */
export function addThoughtCommands(agent: Command, context: () => CommandContext): void {
  async function changing(): Promise<Session> {
    const session = await openSession(context());
    demand(session.policy.canWriteMemory, session, "change memories");
    return session;
  }

  async function show(types: MemoryRecord["type"][], tag: string, none: string): Promise<void> {
    const session = await openSession(context());
    demand(session.policy.canReadMemory, session, "read memories");
    const { items, total } = await session.profile.memory.list({ types, tag, limit: MOST });
    const rows = items.map(({ id, content }) => [id, oneLine(content, 100)]);
    context().output.result({ items, total }, rows.length > 0 ? table(rows) : none);
  }

  agent
    .command("questions")
    .description("what the reflector would like to know")
    .action(() => show(["curiosity_question"], "open-question", "No question is open."));

  agent
    .command("answer <id> <text...>")
    .description("answer such a question; the answer becomes a memory")
    .action(async (id: string, text: string[]) => {
      const { profile } = await changing();
      const memory = await profile.thoughts.answer(id, text.join(" "));
      context().output.result({ memory }, `Remembered as ${memory.id}.`);
    });

  agent
    .command("facts")
    .description("facts that the reflector found and you may keep")
    .action(() => show(["reflection"], "proposed-fact", "No fact is proposed."));

  agent
    .command("keep <id>")
    .description("keep a proposed fact")
    .action(async (id: string) => {
      const { profile } = await changing();
      const memory = await profile.thoughts.keep(id);
      context().output.result({ memory }, `Kept as ${memory.id}.`);
    });

  agent
    .command("drop <id>")
    .description("drop a proposed fact into the archive")
    .action(async (id: string) => {
      const { profile } = await changing();
      const archived = await profile.thoughts.drop(id);
      context().output.result({ archived }, "Dropped; it is in the archive.");
    });
}
