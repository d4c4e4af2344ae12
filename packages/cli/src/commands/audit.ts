import { ExitCode } from "../exit-code.ts";
import { oneLine, table } from "../output.ts";
import { demand, openSession } from "../session.ts";
import type { AuditEntry } from "@metahuman/core/contract/audit";
import type { AddCommand } from "./command.ts";

export const addAuditCommand: AddCommand = (program, context) => {
  const audit = program.command("audit").description("the record of what was decided and done");

  audit
    .command("tail")
    .description("the last lines")
    .option("--limit <count>", "how many", "20")
    .action(async (options: { limit: string }) => {
      const session = await openSession(context());
      demand(session.policy.canReadAudit, session, "read the audit");
      const entries = await session.profile.audit.tail(
        Math.min(500, Math.max(1, Number(options.limit) || 20)),
      );
      context().output.result({ items: entries }, lines(entries));
    });

  audit
    .command("search <words...>")
    .description("lines in which all the words occur, newest first")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      demand(session.policy.canReadAudit, session, "read the audit");
      const page = await session.profile.audit.search({ query: words.join(" ") });
      context().output.result(page, lines(page.items));
    });

  audit
    .command("verify")
    .description("check that no line was changed, removed or moved")
    .action(async () => {
      const session = await openSession(context());
      demand(session.policy.canReadAudit, session, "read the audit");
      const verification = await session.profile.audit.verify();
      if (!verification.ok) context().setExitCode(ExitCode.failed);
      const text = verification.ok ? `All ${String(verification.lines)} lines hold.` : verification.message;
      context().output.result({ verification }, text);
    });
};

function lines(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return "Nothing recorded.";
  return table(
    entries.map(({ at, event, actor, surface, details }) => [
      at.slice(0, 19).replace("T", " "),
      event,
      actor ?? "",
      surface ?? "",
      oneLine(JSON.stringify(details), 100),
    ]),
  );
}
