import type { Command } from "commander";
import { AgentName, type AgentRun } from "@metahuman/core/contract/agents";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { ExitCode } from "../exit-code.ts";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { formatTime, table, tableOfPage } from "../output.ts";
import { parseCount } from "../parse-input.ts";
import {
  type AddCommand,
  type CommandContext,
  openSession,
  requirePermission,
  type Session,
} from "../session.ts";

const MAX_LISTED = 100;
const MAX_LOG_LINES = 500;

/**
 * `mh agent`: lists, runs, stops, pauses and resumes the background agents, prints their logs, and answers the reflector's
 * proposals.
 */
export const addAgentCommand: AddCommand = (program, context) => {
  const agent = program.command("agent").description("the background agents");

  agent
    .command("list")
    .description("list every agent with its schedule, last run and next run")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see the agents");
      const agents = await session.profile.agents.list();
      const rows = agents.map(({ name, schedule, enabled, paused, running, lastRun, nextRun }) => [
        name,
        enabled ? (paused ? "paused" : schedule) : "off",
        running
          ? "running"
          : nextRun === null
            ? "no next run"
            : `next ${formatTime(nextRun, session.timeZone)}`,
        lastRun
          ? `${formatTime(lastRun.startedAt, session.timeZone)}: ${lastRun.summary ?? lastRun.status}`
          : "never ran",
      ]);
      context().output.result({ items: agents }, table(rows));
    });

  agent
    .command("run <name>")
    .description("run an agent now and wait until it ends; Ctrl-C stops it")
    .action(async (text: string) => {
      const name = parseAgentName(text);
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "run an agent");
      const { agents } = session.profile;
      const { id } = await agents.run(name, { trigger: "person", surface: "cli" });
      const run = await agents.settled(id, context().signal);
      const { items } = await agents.log(name, { limit: 100, runId: id });
      // Oldest first, as the run wrote them.
      for (const { message } of items.toReversed()) context().output.note(message);
      if (run.status !== "finished") context().setExitCode(ExitCode.failed);
      context().output.result({ run }, formatOutcome(run));
    });

  agent
    .command("stop <name>")
    .description("stop the current run of an agent, also in another process")
    .action(async (text: string) => {
      const name = parseAgentName(text);
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "stop an agent");
      const { agents } = session.profile;
      const stopped = await agents.stop(name, { surface: "cli" });
      const run = stopped && (await agents.settled(stopped.id, context().signal));
      context().output.result({ run }, run ? formatOutcome(run) : `The ${name} is not running.`);
    });

  for (const [command, paused, description] of [
    ["pause", true, "pause the schedule of an agent in this profile"],
    ["resume", false, "resume the schedule of a paused agent"],
  ] as const)
    agent
      .command(`${command} <name>`)
      .description(description)
      .action(async (text: string) => {
        const name = parseAgentName(text);
        const session = await openSession(context());
        requirePermission(session.policy.canWriteMemory, session, `${command} an agent`);
        const card = await session.profile.agents.setPaused(name, paused, { surface: "cli" });
        const next =
          card.nextRun === null
            ? "It runs only on request."
            : `Next: ${formatTime(card.nextRun, session.timeZone)}`;
        context().output.result({ agent: card }, `${paused ? "Paused" : "Resumed"} the ${name}. ${next}`);
      });

  agent
    .command("log <name>")
    .description("print an agent's log, newest first")
    .option("--limit <count>", `the maximum number of lines, 1 to ${String(MAX_LOG_LINES)}`, "50")
    .action(async (text: string, options: { limit: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see the agents");
      const limit = parseCount("--limit", options.limit, MAX_LOG_LINES);
      const page = await session.profile.agents.log(parseAgentName(text), { limit });
      const rows = page.items.map(({ at, level, message }) => [
        formatTime(at, session.timeZone),
        level,
        message,
      ]);
      context().output.result(page, rows.length > 0 ? table(rows) : "The log is empty.");
    });

  addProposalCommands(agent, context);
};

function parseAgentName(text: string): AgentName {
  const name = AgentName.safeParse(text);
  if (name.success) return name.data;
  throw new InvalidRequestError(`There is no agent "${text}".`, { suggestions: AgentName.options });
}

function formatOutcome({ agent, status, summary }: AgentRun): string {
  return `The ${agent} ${status}${summary === undefined ? "." : `: ${summary}`}`;
}

/** Adds the commands for the reflector's proposals: questions to answer, facts to keep or drop. */
function addProposalCommands(agent: Command, context: () => CommandContext): void {
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
    context().output.result({ items, total }, tableOfPage(rows, total, empty));
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
