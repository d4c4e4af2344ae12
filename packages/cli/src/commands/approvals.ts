import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import { FunctionId } from "@metahuman/core/contract/ids";
import { grantReach } from "@metahuman/core/contract/grant-reach";
import { type Command, Option } from "commander";
import { describeApproval, describeFunctionApproval } from "../describe-approval.ts";
import { formatDay, table, tableOfPage } from "../output.ts";
import { actorOf } from "../open-functions.ts";
import { type AddCommand, type CommandContext, openSession, requirePermission } from "../session.ts";

export const addApprovalsCommand: AddCommand = (program, context) => {
  const approvals = program
    .command("approvals")
    .description("calls and functions that wait for your approval");
  addPendingCommands(approvals, context);
  addGrantCommands(approvals, context);
  addDecisionCommands(approvals, context);
};

/** `list`, `show` and `history`. */
function addPendingCommands(approvals: Command, context: () => CommandContext): void {
  approvals
    .command("list")
    .description("list what waits for approval")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read approvals");
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
      const text = tableOfPage(rows, page.total + functions.length, "Nothing waits for approval.");
      context().output.result({ ...page, functions }, text);
    });

  approvals
    .command("show <id>")
    .description("show what a call would do, with its diff")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read approvals");
      if (isFunction(id)) {
        const functionApproval = await session.profile.functionApprovals.get(id);
        context().output.result(functionApproval, describeFunctionApproval(functionApproval));
        return;
      }
      const approval = await session.profile.approvals.get(id);
      context().output.result(approval, describeApproval(approval, Infinity));
    });

  approvals
    .command("history")
    .description("list past decisions, newest first")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read approvals");
      const page = await session.profile.approvals.list({ limit: 50 });
      const rows = page.items.map(({ id, status, decision, preview, reason }) => [
        id,
        decision ?? status,
        preview.title,
        reason ?? "",
      ]);
      context().output.result(page, tableOfPage(rows, page.total, "There are no past decisions."));
    });
}

/** `grants` and `revoke`. */
function addGrantCommands(approvals: Command, context: () => CommandContext): void {
  approvals
    .command("grants")
    .description("list the standing permissions")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read permissions");
      const grants = await session.profile.approvals.grants();
      const rows = grants.map((grant) => [
        grant.id,
        grant.skill,
        grantReach(grant.skill, grant),
        grant.expires === undefined ? "" : `until ${formatDay(grant.expires, session.timeZone)}`,
      ]);
      context().output.result(
        { items: grants },
        rows.length === 0 ? "There are no standing permissions." : table(rows),
      );
    });

  approvals
    .command("revoke <id>")
    .description("revoke a standing permission")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canDecideApprovals, session, "revoke permissions");
      await session.profile.approvals.revokeGrant(id);
      context().output.result({ revoked: id }, "Revoked. The operator asks again from now on.");
    });
}

/** `allow` and `deny`. */
function addDecisionCommands(approvals: Command, context: () => CommandContext): void {
  const decide = async (id: string, decision: ApprovalDecision, reason?: string) => {
    const session = await openSession(context());
    requirePermission(session.policy.canDecideApprovals, session, "decide approvals");
    if (isFunction(id)) {
      requirePermission(session.policy.canManageFunctions, session, "approve functions");
      const { functionApprovals } = session.profile;
      const decided = await functionApprovals.decide(id, decision, actorOf(session), reason);
      context().output.result(decided, `“${decided.title}” is ${decided.status.replace("_", " ")}.`);
      return;
    }
    const approval = await session.profile.operator.decide(id, decision, reason);
    // The run continues in this process unless another process executes it.
    const run = await session.profile.operator.settled(approval.runId);
    context().output.result(
      { approval, run },
      run.result ?? `${decision === "deny" ? "Denied" : "Allowed"}. The run is ${run.status}.`,
    );
  };

  approvals
    .command("allow <id>")
    .description("allow a call once, or approve a function")
    .addOption(new Option("--run", "allow the same call for the rest of the run").conflicts("always"))
    .option("--always", "create the standing permission that `mh approvals list` names")
    .action((id: string, { run, always }: { run?: true; always?: true }) =>
      decide(id, always ? "always" : run ? "run" : "once"),
    );
  approvals
    .command("deny <id> [reason...]")
    .description("deny a call, or reject a function; the operator sees the reason")
    .action((id: string, reason: string[]) =>
      decide(id, "deny", reason.length > 0 ? reason.join(" ") : undefined),
    );
}

function isFunction(id: string): boolean {
  return FunctionId.safeParse(id).success;
}
