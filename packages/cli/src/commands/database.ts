import { restoreAccounts } from "@metahuman/boot/state-database";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { dataRoot } from "@metahuman/core/paths/data-root";
import type { StateRecovery } from "@metahuman/core/contract/state-database";
import { formatBytes } from "@metahuman/core/text/format";
import { formatTime, table } from "../output.ts";
import { type AddCommand, openSession } from "../session.ts";

/** `mh database`: status, restore and reset of the databases that no file can rebuild. */
export const addDatabaseCommand: AddCommand = (program, context) => {
  const database = program
    .command("database")
    .description("status, backups and repair of state.db (runs, conversations) and system.db (accounts)");

  database
    .command("status")
    .description("check state.db and list its backups")
    .action(async () => {
      const { profile, timeZone } = await openSession(context());
      const status = profile.state.status();
      const { problem, backups, inPostgres } = status;
      if (inPostgres) {
        const text = "Everything is in the PostgreSQL database. Its own tools make and restore backups.";
        context().output.result(status, text);
        return;
      }
      const lines = [
        problem ? [problem.message, ...(problem.suggestions ?? [])].join("\n") : "state.db is readable.",
        backups.length === 0
          ? "There is no backup yet. A running server makes one each day."
          : table(
              backups.map(({ name, madeAt, bytes }) => [
                name,
                formatTime(madeAt, timeZone),
                formatBytes(bytes),
              ]),
            ),
      ];
      context().output.result(status, lines.join("\n"));
    });

  database
    .command("restore")
    .description("replace an unreadable database with a backup; the old file is kept")
    .option("--backup <name>", "a name from `mh database status` (default: the newest)")
    .option("--accounts", "restore all accounts (system.db); stop the server first")
    .action(async ({ backup, accounts }: { backup?: string; accounts?: boolean }) => {
      if (accounts === true) {
        report(restoreAccounts(dataRoot(context().env), backup));
        return;
      }
      const { profile } = await openSession(context());
      report(await profile.state.restore(backup === undefined ? {} : { backup }));
    });

  database
    .command("start-anew")
    .description("replace an unreadable state.db with an empty one; the old file is kept")
    .option("--yes", "confirm")
    .action(async ({ yes }: { yes?: boolean }) => {
      if (yes !== true)
        throw new InvalidRequestError("This starts with an empty list of runs and conversations.", {
          suggestions: ["Run: mh database start-anew --yes", "Or restore a backup: mh database restore"],
        });
      const { profile } = await openSession(context());
      report(await profile.state.startAnew());
    });

  function report(recovery: StateRecovery): void {
    const { restored, kept } = recovery;
    const text = [
      restored === undefined ? "Started with an empty database." : `Restored ${restored}.`,
      kept === undefined ? "" : `The old file is kept as ${kept}.`,
    ];
    context().output.result(recovery, text.filter((part) => part !== "").join(" "));
  }
};
