import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { table } from "../output.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

/** How many entries are listed. */
const SHOWN = 50;

export const addArchiveCommand: AddCommand = (program, context) => {
  const archive = program.command("archive").description("what was deleted or overwritten");

  archive
    .command("list [words...]")
    .description("what can be brought back, newest first; only what these words name")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      demand(session.policy.canReadRuns, session, "read the archive");
      const page = await session.profile.archive.list({ limit: SHOWN, query: words.join(" ") });
      const rows = page.items.map(({ id, kind, title, archivedAt }) => [
        id,
        archivedAt.slice(0, 10),
        kind,
        title,
      ]);
      const none = words.length === 0 ? "The archive is empty." : "Nothing in the archive is named so.";
      context().output.result(page, rows.length === 0 ? none : table(rows));
    });

  archive
    .command("restore <id>")
    .description("put it back where it was")
    .action(async (id: string) => {
      const session = await openSession(context());
      demand(session.policy.canWriteMemory, session, "restore from the archive");
      const restored = await session.profile.archive.restore(id).catch(toldWhereToLook);
      context().output.result({ restored }, `Brought back: ${restored.title}`);
    });
};

function toldWhereToLook(cause: unknown): never {
  if (!(cause instanceof NotFoundError)) throw cause;
  throw new NotFoundError(cause.message, { cause, suggestions: ["See the ids: mh archive list"] });
}
