import { table } from "../output.ts";
import { demand, openSession } from "../session.ts";
import type { AddCommand } from "./command.ts";

export const addApprovalsCommand: AddCommand = (program, context) => {
  const approvals = program.command("approvals").description("calls that wait for you");

  approvals
    .command("list")
    .description("what waits")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read approvals");
      const page = await session.profile.approvals.list({ status: "pending", limit: 50 });
      const text =
        page.items.length === 0
          ? "Nothing waits for you."
          : table(page.items.map(({ id, risk, preview }) => [id, risk, preview.title]));
      context().output.result(page, text);
    });

  const decide = async (id: string, decision: "once" | "deny", reason?: string) => {
    const session = await openSession(context());
    demand(session.policy.canDecideApprovals, session, "decide approvals");
    const approval = await session.profile.operator.decide(id, decision, reason);
    // The run goes on in this process, unless another one carries it out.
    const run = await session.profile.operator.settled(approval.runId);
    context().output.result(
      { approval, run },
      run.result ?? `${decision === "deny" ? "Denied" : "Allowed"}. The run is ${run.status}.`,
    );
  };

  approvals
    .command("allow <id>")
    .description("allow the call once")
    .action((id: string) => decide(id, "once"));
  approvals
    .command("deny <id> [reason...]")
    .description("deny the call; the reason goes back to the operator")
    .action((id: string, reason: string[]) =>
      decide(id, "deny", reason.length > 0 ? reason.join(" ") : undefined),
    );
};
