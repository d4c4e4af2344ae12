import { AgentName, type AgentRun } from "@metahuman/core/contract/agents";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { ExitCode } from "../exit-code.ts";
import { formatTime, table } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";
import { addProposalCommands } from "./agent-proposals.ts";

/** `mh agent`: lists, runs and stops the background agents and prints their logs. */
export const addAgentCommand: AddCommand = (program, context) => {
  const agent = program.command("agent").description("the background agents");

  agent
    .command("list")
    .description("list every agent with its schedule, last run and next run")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see the agents");
      const items = await session.profile.agents.list();
      const rows = items.map(({ name, schedule, enabled, paused, running, lastRun, nextRun }) => [
        name,
        enabled ? (paused ? "paused" : schedule) : "off",
        running ? "running" : `next ${nextRun === null ? "never" : formatTime(nextRun, session.timeZone)}`,
        lastRun
          ? `${formatTime(lastRun.startedAt, session.timeZone)}: ${lastRun.summary ?? lastRun.status}`
          : "never ran",
      ]);
      context().output.result({ items }, table(rows));
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
      for (const { message } of items.toReversed()) context().output.note(message);
      if (run.status !== "finished") context().setExitCode(ExitCode.failed);
      context().output.result({ run }, formatOutcome(run));
    });

  agent
    .command("stop <name>")
    .description("stop an agent's run, in any process")
    .action(async (text: string) => {
      const name = parseAgentName(text);
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "stop an agent");
      const { agents } = session.profile;
      const stopping = await agents.stop(name, { surface: "cli" });
      const run = stopping && (await agents.settled(stopping.id, context().signal));
      context().output.result({ run }, run ? formatOutcome(run) : `The ${name} is not running.`);
    });

  for (const [command, paused, description] of [
    ["pause", true, "keep an agent from starting by itself in this profile"],
    ["resume", false, "let a paused agent start by itself again"],
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
    .option("--limit <count>", "the maximum number of lines", "50")
    .action(async (text: string, options: { limit: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "see the agents");
      const limit = Math.min(500, Math.max(1, Number(options.limit) || 50));
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
  return `${agent} ${status}${summary === undefined ? "." : `: ${summary}`}`;
}
