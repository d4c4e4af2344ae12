import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { formatDay, table } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

/** The maximum number of listed entries. */
const MAX_SHOWN = 50;

export const addArchiveCommand: AddCommand = (program, context) => {
  const archive = program.command("archive").description("deleted and overwritten records");

  archive
    .command("list [words...]")
    .description("list what can be restored, newest first, filtered by the words")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read the archive");
      const page = await session.profile.archive.list({ limit: MAX_SHOWN, query: words.join(" ") });
      const rows = page.items.map(({ id, kind, title, archivedAt }) => [
        id,
        formatDay(archivedAt, session.timeZone),
        kind,
        title,
      ]);
      const empty = words.length === 0 ? "The archive is empty." : "Nothing in the archive matches.";
      context().output.result(page, rows.length === 0 ? empty : table(rows));
    });

  archive
    .command("restore <id>")
    .description("restore an entry to its original place")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "restore from the archive");
      const restored = await session.profile.archive.restore(id).catch(suggestArchiveList);
      context().output.result({ restored }, `Restored: ${restored.title}`);
    });
};

function suggestArchiveList(cause: unknown): never {
  if (!(cause instanceof NotFoundError)) throw cause;
  throw new NotFoundError(cause.message, { cause, suggestions: ["List the ids: mh archive list"] });
}
