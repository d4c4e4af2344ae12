import { AgentName, type AgentRun } from "@metahuman/core/contract/agents";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { ExitCode } from "../exit-code.ts";
import { table } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";
import { addThoughtCommands } from "./thoughts.ts";

/** The agents that work in the background: seen, set off, stopped, asked what they did. */
export const addAgentCommand: AddCommand = (program, context) => {
  const agent = program.command("agent").description("the agents that work in the background");

  agent
    .command("list")
    .description("every agent with its schedule, last run and next run")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "see the agents");
      const items = await session.profile.agents.list();
      const rows = items.map(({ name, schedule, enabled, running, lastRun, nextRun }) => [
        name,
        enabled ? schedule : "off",
        running ? "running" : `next ${nextRun === null ? "never" : moment(nextRun)}`,
        lastRun ? `${moment(lastRun.startedAt)}: ${lastRun.summary ?? lastRun.status}` : "never ran",
      ]);
      context().output.result({ items }, table(rows));
    });

  agent
    .command("run <name>")
    .description("let an agent work now, and wait until it is done; Ctrl-C stops it")
    .action(async (written: string) => {
      const name = nameOf(written);
      const session = await openSession(context());
      demand(session.policy.canWriteMemory, session, "run an agent");
      const { agents } = session.profile;
      const { id } = await agents.run(name, { trigger: "person", surface: "cli" });
      const run = await agents.settled(id, context().signal);
      const { items } = await agents.log(name, { limit: 100, runId: id });
      for (const { message } of items.toReversed()) context().output.note(message);
      if (run.status !== "finished") context().setExitCode(ExitCode.failed);
      context().output.result({ run }, outcome(run));
    });

  agent
    .command("stop <name>")
    .description("stop what an agent is doing, in whichever process")
    .action(async (written: string) => {
      const name = nameOf(written);
      const session = await openSession(context());
      demand(session.policy.canWriteMemory, session, "stop an agent");
      const { agents } = session.profile;
      const asked = await agents.stop(name, { surface: "cli" });
      const run = asked && (await agents.settled(asked.id, context().signal));
      context().output.result({ run }, run ? outcome(run) : `The ${name} is not running.`);
    });

  agent
    .command("log <name>")
    .description("what an agent told of its work, newest first")
    .option("--limit <count>", "how many lines", "50")
    .action(async (written: string, options: { limit: string }) => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "see the agents");
      const limit = Math.min(500, Math.max(1, Number(options.limit) || 50));
      const page = await session.profile.agents.log(nameOf(written), { limit });
      const rows = page.items.map(({ at, level, message }) => [moment(at), level, message]);
      context().output.result(page, rows.length > 0 ? table(rows) : "It has told nothing yet.");
    });

  addThoughtCommands(agent, context);
};

function nameOf(written: string): AgentName {
  const name = AgentName.safeParse(written);
  if (name.success) return name.data;
  throw new InvalidRequestError(`"${written}" is no agent.`, { suggestions: AgentName.options });
}

function moment(timestamp: string): string {
  return timestamp.slice(0, 16).replace("T", " ");
}

function outcome({ agent, status, summary }: AgentRun): string {
  return `${agent} ${status}${summary === undefined ? "." : `: ${summary}`}`;
}
