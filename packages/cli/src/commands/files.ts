import { text } from "node:stream/consumers";
import { FileSort } from "@metahuman/core/contract/files";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { formatDay, table } from "../output.ts";
import { type AddCommand, openSession, requirePermission } from "../session.ts";

export const addFilesCommand: AddCommand = (program, context) => {
  const files = program.command("files").description("the files of your workspace");

  files
    .command("list [folder]")
    .description("list a folder; without one, the roots: out, inbox and the folders you added")
    .option("--recursive", "include the folders below")
    .option("--sort <order>", FileSort.options.join(", "), "name")
    .action(async (folder: string | undefined, options: { recursive?: boolean; sort: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read files");
      const sort = FileSort.safeParse(options.sort);
      if (!sort.success)
        throw new InvalidRequestError(`There is no order "${options.sort}".`, {
          suggestions: [...FileSort.options],
        });
      const items = await session.profile.fileManager.list(folder ?? "", {
        recursive: options.recursive ?? false,
        sort: sort.data,
        signal: context().signal,
      });
      const rows = items.map(({ path, kind, bytes, modified }) => [
        kind === "folder" ? `${path}/` : path,
        kind === "file" ? String(bytes) : "",
        modified === undefined ? "" : formatDay(modified, session.timeZone),
      ]);
      context().output.result({ items }, rows.length === 0 ? "The folder is empty." : table(rows));
    });

  files
    .command("show <path>")
    .description("print a text file")
    .action(async (path: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadRuns, session, "read files");
      const file = await session.profile.fileManager.read(path, context().signal);
      context().output.result(file, file.content);
    });

  files
    .command("write <path>")
    .description("write standard input to a new file; with --replace, archive and replace an existing one")
    .option("--replace", "replace an existing file")
    .action(async (path: string, { replace = false }: { replace?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "write files");
      const { fileManager, files: workspace } = session.profile;
      const content = await text(context().input);
      const exists = replace && (await workspace.state(path)).kind === "file";
      const version = exists ? (await fileManager.read(path)).version : undefined;
      const written = await fileManager.write({ path, content, ...(version !== undefined && { version }) });
      context().output.result(written, `${written.created ? "Created" : "Replaced"} ${written.path}`);
    });

  files
    .command("rename <from> <to>")
    .description("rename or move a file or folder")
    .action(async (from: string, to: string) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "rename files");
      const renamed = await session.profile.fileManager.rename({ from, to }, context().signal);
      context().output.result(renamed, `Renamed ${renamed.from} to ${renamed.to}`);
    });

  files
    .command("delete <path>")
    .description("move a file to the archive; with --recursive, a folder and everything in it")
    .option("--recursive", "delete a folder")
    .action(async (path: string, { recursive = false }: { recursive?: boolean }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "delete files");
      const archived = await session.profile.fileManager.remove(path, { recursive });
      context().output.result(
        { archived },
        `Deleted ${archived.origin}. Restore it: mh archive restore ${archived.id}`,
      );
    });
};
