import { restoreAccounts } from "@metahuman/boot/state-database";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { dataRoot } from "@metahuman/core/paths/data-root";
import type { StateRecovery } from "@metahuman/core/contract/state-database";
import { table } from "../output.ts";
import { type AddCommand, openSession } from "../session.ts";

/** Looks after the databases that are not made from files: runs and conversations, and accounts. */
export const addDatabaseCommand: AddCommand = (program, context) => {
  const database = program
    .command("database")
    .description("runs and conversations (state.db) and accounts (system.db): state, backups, repair");

  database
    .command("status")
    .description("whether runs and conversations can be used, and their backups")
    .action(async () => {
      const { profile } = await openSession(context());
      const status = profile.state.status();
      const { problem, backups } = status;
      const lines = [
        problem ? [problem.message, ...(problem.suggestions ?? [])].join("\n") : "state.db can be used.",
        backups.length === 0
          ? "There is no backup yet: a running server makes one each day."
          : table(backups.map(({ name, madeAt, bytes }) => [name, madeAt, `${String(bytes)} bytes`])),
      ];
      context().output.result(status, lines.join("\n"));
    });

  database
    .command("restore")
    .description("put a backup in the place of a database that cannot be used; the old file is kept")
    .option("--backup <name>", "one of `mh database status`; the newest when left out")
    .option("--accounts", "the accounts of everybody (system.db); stop the server first")
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
    .description("begin empty runs and conversations where they cannot be used; the old file is kept")
    .option("--yes", "do it")
    .action(async ({ yes }: { yes?: boolean }) => {
      if (yes !== true)
        throw new InvalidRequestError("This begins an empty list of conversations.", {
          suggestions: ["Run: mh database start-anew --yes", "Or restore a backup: mh database restore"],
        });
      const { profile } = await openSession(context());
      report(await profile.state.startAnew());
    });

  function report(recovery: StateRecovery): void {
    const { restored, kept } = recovery;
    const text = [
      restored === undefined ? "Started anew." : `Restored ${restored}.`,
      kept === undefined ? "" : `The old file is kept as ${kept}.`,
    ];
    context().output.result(recovery, text.filter((part) => part !== "").join(" "));
  }
};
