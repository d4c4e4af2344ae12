import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import { FunctionId } from "@metahuman/core/contract/ids";
import { grantReach } from "@metahuman/core/contract/grant-reach";
import { Option } from "commander";
import { describeApproval, describeFunctionApproval } from "../describe-approval.ts";
import { table } from "../output.ts";
import { actorOf } from "../open-functions.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

export const addApprovalsCommand: AddCommand = (program, context) => {
  const approvals = program.command("approvals").description("calls and functions that wait for you");

  approvals
    .command("list")
    .description("what waits")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read approvals");
      const { approvals: calls, functionApprovals } = session.profile;
      const page = await calls.list({ status: "pending", limit: 50 });
      const functions = await functionApprovals.list();
      const rows = [
        ...page.items.map(({ id, tool, risk, preview, grantOffer }) => [
          id,
          risk,
          preview.title,
          grantOffer ? `--always: ${grantReach(tool, grantOffer)}` : "",
        ]),
        ...functions.map(({ id, title, uses }) => [
          id,
          "function",
          title,
          uses.length === 0 ? "" : `uses ${uses.join(", ")}`,
        ]),
      ];
      const text = rows.length === 0 ? "Nothing waits for you." : table(rows);
      context().output.result({ ...page, functions }, text);
    });

  approvals
    .command("show <id>")
    .description("exactly what a call would do, with its diff")
    .action(async (id: string) => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read approvals");
      if (isFunction(id)) {
        const found = await session.profile.functionApprovals.get(id);
        context().output.result(found, describeFunctionApproval(found));
        return;
      }
      const approval = await session.profile.approvals.get(id);
      context().output.result(approval, describeApproval(approval, Infinity));
    });

  approvals
    .command("history")
    .description("what was decided, newest first")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read approvals");
      const page = await session.profile.approvals.list({ limit: 50 });
      const rows = page.items.map(({ id, status, decision, preview, reason }) => [
        id,
        decision ?? status,
        preview.title,
        reason ?? "",
      ]);
      context().output.result(page, rows.length === 0 ? "Nothing was ever asked." : table(rows));
    });

  approvals
    .command("grants")
    .description("standing permissions")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read permissions");
      const grants = await session.profile.approvals.grants();
      const rows = grants.map((grant) => [
        grant.id,
        grant.skill,
        grantReach(grant.skill, grant),
        grant.expires === undefined ? "" : `until ${grant.expires.slice(0, 10)}`,
      ]);
      context().output.result(
        { items: grants },
        rows.length === 0 ? "There are no standing permissions." : table(rows),
      );
    });

  approvals
    .command("revoke <id>")
    .description("take a standing permission back")
    .action(async (id: string) => {
      const session = await openSession(context());
      demand(session.policy.canDecideApprovals, session, "revoke permissions");
      await session.profile.approvals.revokeGrant(id);
      context().output.result({ revoked: id }, "Revoked: from now on it asks again.");
    });

  const decide = async (id: string, decision: ApprovalDecision, reason?: string) => {
    const session = await openSession(context());
    demand(session.policy.canDecideApprovals, session, "decide approvals");
    if (isFunction(id)) {
      demand(session.policy.canManageFunctions, session, "decide about functions");
      const { functionApprovals } = session.profile;
      const decided = await functionApprovals.decide(id, decision, actorOf(session), reason);
      context().output.result(decided, `“${decided.title}” is ${decided.status.replace("_", " ")}.`);
      return;
    }
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
    .description("allow the call, once unless said otherwise; approve the function")
    .addOption(new Option("--run", "whenever it comes again in this run").conflicts("always"))
    .option("--always", "from now on, for what `mh approvals list` names: makes a standing permission")
    .action((id: string, { run, always }: { run?: true; always?: true }) =>
      decide(id, always ? "always" : run ? "run" : "once"),
    );
  approvals
    .command("deny <id> [reason...]")
    .description("deny the call, the reason goes back to the operator; reject the function")
    .action((id: string, reason: string[]) =>
      decide(id, "deny", reason.length > 0 ? reason.join(" ") : undefined),
    );
};

function isFunction(id: string): boolean {
  return FunctionId.safeParse(id).success;
}
