import { type ArchiveDetail, MAX_ARCHIVED_TEXT } from "@metahuman/core/contract/archive";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { stripJoinedMarkdown } from "@metahuman/core/text/strip-markdown";
import { formatDay, formatWhen, tableOfPage } from "../output.ts";
import { type AddCommand, requirePermission, openSession } from "../session.ts";

/** The maximum number of listed entries. */
const MAX_SHOWN = 50;

/** The path of a file; for other items, the title without Markdown. */
const titleOf = ({ kind, title, origin }: Pick<ArchiveEntry, "kind" | "title" | "origin">): string =>
  kind === "file" ? origin : stripJoinedMarkdown(title);

export const addArchiveCommand: AddCommand = (program, context) => {
  const archive = program.command("archive").description("deleted and overwritten items");

  archive
    .command("list [words...]")
    .description("list what can be restored, newest first, filtered by the words")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read the archive");
      const page = await session.profile.archive.list({ limit: MAX_SHOWN, query: words.join(" ") });
      const rows = page.items.map((entry) => [
        entry.id,
        formatDay(entry.archivedAt, session.timeZone),
        entry.kind,
        titleOf(entry),
      ]);
      const empty = words.length === 0 ? "The archive is empty." : "Nothing in the archive matches.";
      context().output.result(page, tableOfPage(rows, page.total, empty));
    });

  archive
    .command("show <id>")
    .description("print what restoring an entry brings back")
    .action(async (id: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read the archive");
      const detail = await session.profile.archive.get(id).catch(suggestArchiveList);
      context().output.result(detail, textOf(detail, session.timeZone));
    });

  archive
    .command("restore <id>")
    .description("restore an entry to its original place")
    .option("--replace", "replace the file that is there now, which goes to the archive")
    .action(async (id: string, { replace = false }: { replace?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "restore from the archive");
      const answer = await session.profile.archive.restore(id, { replace }).catch(suggestArchiveList);
      const undo = answer.replaced ? `\nUndo: mh archive restore --replace ${answer.replaced.id}` : "";
      context().output.result(answer, `Restored: ${titleOf(answer.restored)}${undo}`);
    });
};

/** The text of an archived file or record. */
function textOf({ entry, item }: ArchiveDetail, ownZone: string): string {
  switch (item.kind) {
    case "file":
      return item.text === undefined
        ? `${entry.origin} is not text.`
        : `${item.text}${(entry.bytes ?? 0) > MAX_ARCHIVED_TEXT ? "\n(only the beginning)" : ""}`;
    case "folder":
      return `${entry.origin} is a folder. Restoring it brings back everything in it.`;
    case "memory":
      return item.memory.content;
    case "task":
      return [item.task.title, item.task.description].filter(Boolean).join("\n");
    case "function":
      return [item.function.title, item.function.summary, ...item.function.steps].filter(Boolean).join("\n");
    case "schedule":
      return `${entry.title} · ${formatWhen(item.schedule, ownZone)}`;
    default:
      return item satisfies never;
  }
}

function suggestArchiveList(cause: unknown): never {
  if (!(cause instanceof NotFoundError)) throw cause;
  throw new NotFoundError(cause.message, { cause, suggestions: ["List the ids: mh archive list"] });
}
