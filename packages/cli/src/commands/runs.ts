import { operatorAnswer } from "@metahuman/boot/answers";
import { oneLine, truncate } from "@metahuman/core/text/format";
import { ExitCode } from "../exit-code.ts";
import { eventLines } from "../event-lines.ts";
import { formatTime, tableOfPage } from "../output.ts";
import { type AddCommand, requirePermission, openSession, type Session } from "../session.ts";

export const addRunsCommand: AddCommand = (program, context) => {
  const runs = program.command("runs").description("the operator's runs");

  runs
    .command("list")
    .description("list the newest runs")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read runs");
      const page = await session.profile.runs.list({ limit: 20 });
      const rows = page.items.map(({ id, status, outcome, goal, createdAt }) => [
        formatTime(createdAt, session.timeZone),
        outcome ?? status,
        id,
        truncate(oneLine(goal), 80),
      ]);
      context().output.result(page, tableOfPage(rows, page.total, "No runs yet."));
    });

  runs
    .command("show <id>")
    .description("show a run step by step")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read runs");
      const run = await session.profile.runs.get(id);
      const lines = run.scratchpad.flatMap(
        ({ step, thought, action, observation, durationMs, functionId }) => [
          ...eventLines({
            type: "step-planned",
            runId: run.id,
            seq: 0,
            at: run.createdAt,
            step,
            thought,
            action,
            functionId,
            planner: run.planner ?? "built-in",
          }),
          ...(observation
            ? eventLines({
                type: "observation-made",
                runId: run.id,
                seq: 0,
                at: run.createdAt,
                step,
                observation,
                durationMs: durationMs ?? 0,
              })
            : []),
        ],
      );
      const end =
        run.result ??
        run.error?.message ??
        `${run.status}${run.pending ? ` for ${run.pending.kind === "approval" ? "an approval" : "an answer"}` : ""}`;
      context().output.result(
        { run },
        [`${run.goal} (${run.outcome ?? run.status})`, ...lines, "", end].join("\n"),
      );
    });

  /** Waits until the run ends or needs a person, and prints its outcome. */
  async function reportWhenSettled(session: Session, id: string): Promise<void> {
    const run = await session.profile.operator.settled(id);
    if (run.outcome !== "answered")
      context().setExitCode(run.status === "ended" ? ExitCode.failed : ExitCode.waiting);
    context().output.result(
      run.status === "ended" ? operatorAnswer(run, session.profile.operator.controlSkills()) : { run },
      run.result ?? `The run is ${run.status}.`,
    );
  }

  runs
    .command("resume <id>")
    .description("resume an interrupted run")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "resume runs");
      await session.profile.operator.resume(id, { identity: session.identity, surface: "cli" });
      await reportWhenSettled(session, id);
    });

  runs
    .command("continue <id>")
    .description("start a new run from the steps of a run that stopped, failed or was cancelled")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseSkills, session, "continue runs");
      const started = await session.profile.operator.continueRun(id, {
        identity: session.identity,
        surface: "cli",
      });
      await reportWhenSettled(session, started.id);
    });
};
