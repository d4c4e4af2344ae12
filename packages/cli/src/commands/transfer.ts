import { createWriteStream, existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import type { ImportItem, ImportReport } from "@metahuman/core/contract/transfer";
import { openInputStream } from "../input-file.ts";
import { oneLine, table } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

/** A profile taken away as a zip, and brought back. */
export const addTransferCommands: AddCommand = (program, context) => {
  program
    .command("export [file]")
    .description("the profile as a zip that can be restored; without a name, one with today's date")
    .option("--force", "write over a file that is there")
    .action(async (file: string | undefined, { force = false }: { force?: boolean }) => {
      const session = await openSession(context());
      demand(session.policy.canExport, session, "export the profile");
      const { signal } = context();
      const { name, zip } = await session.profile.transfer.export({ surface: "cli", signal });
      const path = resolve(file ?? name);
      // Under another name until it is whole: half a backup must not look like one.
      const part = `${path}.part`;
      try {
        if (!force && existsSync(path))
          throw new AlreadyExistsError(`${path} already exists.`, {
            suggestions: ["Write over it with --force."],
          });
        const out = createWriteStream(part, { mode: 0o600 });
        await pipeline(zip, out, { signal });
        await rename(part, path);
        const bytes = out.bytesWritten;
        context().output.result({ file: path, bytes }, `Written: ${path} (${String(bytes)} bytes).`);
      } catch (error) {
        zip.destroy();
        await rm(part, { force: true });
        throw fromNodeError(error, path);
      }
    });

  program
    .command("import <file>")
    .description("restore an export into the profile; what is there already stays")
    .option("--preview", "only tell what it would do")
    .option(
      "--replace",
      "take the export's side where something else is there; what was there goes to the archive",
    )
    .action(async (file: string, options: { preview?: boolean; replace?: boolean }) => {
      const session = await openSession(context());
      demand(session.policy.canWriteMemory, session, "import into the profile");
      const report = await session.profile.transfer.import(await openInputStream(file), {
        apply: options.preview !== true,
        replace: options.replace === true,
        mayOpenFolders: session.policy.canAdminister,
        surface: "cli",
        signal: context().signal,
      });
      context().output.result(report, told(report));
    });
};

/** Parts that are shown one by one. */
const SHOWN = 30;

function told({ applied, source, totals, kinds, items }: ImportReport): string {
  const noteworthy = items.filter(({ outcome }) => outcome !== "added");
  return [
    source
      ? `Export of ${source.username} from ${source.exportedAt.slice(0, 10)}.`
      : "A zip that does not say whose it is.",
    table(Object.entries(kinds).map(([kind, counts]) => [kind, counted(counts)])),
    ...(noteworthy.length > 0 ? [table(noteworthy.slice(0, SHOWN).map(row))] : []),
    ...(noteworthy.length > SHOWN ? [`and ${String(noteworthy.length - SHOWN)} more`] : []),
    `${applied ? "Done" : "It would be"}: ${counted(totals) || "nothing to do"}.`,
  ].join("\n");
}

function counted(totals: ImportReport["totals"]): string {
  return Object.entries(totals)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${String(count)} ${outcome}`)
    .join(", ");
}

function row({ outcome, path, reason = "" }: ImportItem): string[] {
  return [outcome, oneLine(path, 60), oneLine(reason, 80)];
}
