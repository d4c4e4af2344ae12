import { formatBytes, oneLine, truncate } from "@metahuman/core/text/format";
import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import type { ImportItem, ImportReport } from "@metahuman/core/contract/transfer";
import { openInputStream } from "../input-file.ts";
import { formatDay, table } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

/** `mh export` writes a profile to a zip; `mh import` restores it. */
export const addTransferCommands: AddCommand = (program, context) => {
  program
    .command("export [file]")
    .description("export the profile as a zip; the default name contains the date")
    .option("--force", "overwrite an existing file")
    .action(async (file: string | undefined, { force = false }: { force?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canExport, session, "export the profile");
      const { signal } = context();
      const { name, zip } = await session.profile.transfer.export({ surface: "cli", signal });
      const path = resolve(file ?? name);
      // An incomplete export has another name, so that it is not mistaken for a backup.
      const part = `${path}.part`;
      try {
        if (!force && existsSync(path))
          throw new AlreadyExistsError(`${path} already exists.`, {
            suggestions: ["Overwrite it with --force."],
          });
        const out = createWriteStream(part, { mode: 0o600 });
        await pipeline(zip, out, { signal });
        await rename(part, path);
        const bytes = out.bytesWritten;
        context().output.result({ file: path, bytes }, `Written: ${path} (${formatBytes(bytes)}).`);
      } catch (error) {
        zip.destroy();
        await rm(part, { force: true });
        throw fromNodeError(error, path);
      }
    });

  program
    .command("import <file>")
    .description("restore an export into the profile; existing records are kept")
    .option("--preview", "show the result without importing")
    .option("--replace", "replace records that differ; the old ones go to the archive")
    .action(async (file: string, options: { preview?: boolean; replace?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "import into the profile");
      const report = await session.profile.transfer.import(await openInputStream(file), {
        apply: options.preview !== true,
        replace: options.replace === true,
        mayOpenFolders: session.policy.canAdminister,
        surface: "cli",
        signal: context().signal,
      });
      context().output.result(report, describeImport(report, session.timeZone));
    });
};

/** The maximum number of items listed one by one. */
const MAX_SHOWN = 30;

function describeImport({ applied, source, totals, kinds, items }: ImportReport, timeZone: string): string {
  const noteworthy = items.filter(({ outcome }) => outcome !== "added");
  return [
    source
      ? `Export of ${source.username} from ${formatDay(source.exportedAt, timeZone)}.`
      : "A zip without a manifest.",
    table(Object.entries(kinds).map(([kind, counts]) => [kind, formatCounts(counts)])),
    ...(noteworthy.length > 0 ? [table(noteworthy.slice(0, MAX_SHOWN).map(row))] : []),
    ...(noteworthy.length > MAX_SHOWN ? [`and ${String(noteworthy.length - MAX_SHOWN)} more`] : []),
    `${applied ? "Done" : "Preview"}: ${formatCounts(totals) || "nothing to do"}.`,
  ].join("\n");
}

function formatCounts(totals: ImportReport["totals"]): string {
  return Object.entries(totals)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${String(count)} ${outcome}`)
    .join(", ");
}

function row({ outcome, path, reason = "" }: ImportItem): string[] {
  return [outcome, truncate(oneLine(path), 60), truncate(oneLine(reason), 80)];
}
