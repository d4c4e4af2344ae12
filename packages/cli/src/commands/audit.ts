import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import { formatCount, oneLine, truncate } from "@metahuman/core/text/format";
import { ExitCode } from "../exit-code.ts";
import { formatTime, table } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";
import { parseCount } from "../parse-input.ts";
import type { AuditEntry, AuditVerification } from "@metahuman/core/contract/audit";

export const addAuditCommand: AddCommand = (program, context) => {
  const audit = program.command("audit").description("the audit log of decisions and actions");

  audit
    .command("tail")
    .description("print the last lines")
    .option("--limit <count>", "the maximum number of lines", "20")
    .action(async (options: { limit: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadAudit, session, "read the audit");
      const entries = await session.profile.audit.tail(parseCount("--limit", options.limit, 500));
      context().output.result({ items: entries }, formatEntries(entries, session.timeZone));
    });

  audit
    .command("search <words...>")
    .description("find lines that contain all the words, newest first")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadAudit, session, "read the audit");
      const page = await session.profile.audit.search({ query: words.join(" ") });
      context().output.result(page, formatEntries(page.items, session.timeZone));
    });

  audit
    .command("verify")
    .description("check that no line was changed, removed or moved")
    .action(async () => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadAudit, session, "read the audit");
      const verification = await session.profile.audit.verify();
      if (!verification.ok) context().setExitCode(ExitCode.failed);
      context().output.result({ verification }, describeVerification(verification));
    });

  audit
    .command("key")
    .description("the key that signs the audit log")
    .command("export [file]")
    .description("write the key to a file, or print it; store it on another machine")
    .action(async (file: string | undefined) => {
      const session = await openSession(context());
      requirePermission(session.policy.canAdminister, session, "export the key");
      const { id, exported } = session.brain.auditKey;
      if (exported === undefined)
        throw new ConflictError("The key comes from METAHUMAN_SECRET_KEY. Back up that value instead.");
      await session.profile.audit.append({
        event: "audit_key_exported",
        actor: session.profile.username,
        surface: "cli",
        details: { id },
      });
      if (file === undefined) {
        context().output.result({ id, key: exported }, exported);
        return;
      }
      const path = resolve(file);
      await writeFile(path, `${exported}\n`, { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
        throw fromNodeError(error, path);
      });
      context().output.result({ id, file: path }, `Written: ${path}.`);
    });
};

function describeVerification(verification: AuditVerification): string {
  if (!verification.ok) return verification.message;
  const { lines: count, signedFrom, anchors } = verification;
  const signed =
    signedFrom === undefined
      ? ""
      : signedFrom === 1
        ? " Its end is signed."
        : ` Its end is signed; lines before line ${String(signedFrom)} were written before signing began.`;
  const anchored =
    anchors === undefined ? "" : ` It matches ${formatCount(anchors, "line")} of the anchor file.`;
  return `${count === 1 ? "The only line is" : `All ${formatCount(count, "line")} are`} intact.${signed}${anchored}`;
}

function formatEntries(entries: readonly AuditEntry[], timeZone: string): string {
  if (entries.length === 0) return "No lines.";
  return table(
    entries.map(({ at, event, actor, surface, details }) => [
      formatTime(at, timeZone),
      event,
      actor ?? "",
      surface ?? "",
      truncate(oneLine(JSON.stringify(details)), 100),
    ]),
  );
}
