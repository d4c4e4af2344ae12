import { Command } from "commander";
import { addAgentCommand } from "./commands/agent.ts";
import { addApprovalsCommand } from "./commands/approvals.ts";
import { addArchiveCommand } from "./commands/archive.ts";
import { addAuditCommand } from "./commands/audit.ts";
import { addChannelsCommand } from "./commands/channels.ts";
import { addChatCommand } from "./commands/chat.ts";
import { addConversationsCommand } from "./commands/conversations.ts";
import type { AddCommand, CommandContext, GlobalOptions } from "./session.ts";
import { addDatabaseCommand } from "./commands/database.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addFilesCommand } from "./commands/files.ts";
import { addFunctionsCommand } from "./commands/functions.ts";
import { addIndexCommand } from "./commands/search-index.ts";
import { addMemoryCommands } from "./commands/memory.ts";
import { addMigrateCommand } from "./commands/migrate.ts";
import { addMirrorCommand } from "./commands/mirror.ts";
import { addModelsCommand } from "./commands/models.ts";
import { addOperatorCommand } from "./commands/operator.ts";
import { addNoticesCommand } from "./commands/notices.ts";
import { addRunsCommand } from "./commands/runs.ts";
import { addScheduleCommand } from "./commands/schedule.ts";
import { addSettingsCommands } from "./commands/settings.ts";
import { addStatusCommand } from "./commands/status.ts";
import { addTaskCommand } from "./commands/task.ts";
import { addTokenCommand } from "./commands/token.ts";
import { addTransferCommands } from "./commands/transfer.ts";
import { addGuestsCommand, addUserCommands } from "./commands/user.ts";
import { usageSentence, type Streams } from "./output.ts";

const commands: readonly AddCommand[] = [
  addStatusCommand,
  addDoctorCommand,
  addOperatorCommand,
  addChatCommand,
  addConversationsCommand,
  addMemoryCommands,
  addTaskCommand,
  addScheduleCommand,
  addNoticesCommand,
  addChannelsCommand,
  addFilesCommand,
  addSettingsCommands,
  addApprovalsCommand,
  addArchiveCommand,
  addRunsCommand,
  addFunctionsCommand,
  addIndexCommand,
  addModelsCommand,
  addAgentCommand,
  addAuditCommand,
  addDatabaseCommand,
  addTokenCommand,
  addTransferCommands,
  addMigrateCommand,
  addMirrorCommand,
  addUserCommands,
  addGuestsCommand,
];

/** Builds the command line. `contextFor` runs once, after the options are parsed. */
export function createProgram(
  version: string,
  { out, err }: Streams,
  contextFor: (options: GlobalOptions) => CommandContext,
): Command {
  const program = new Command("mh")
    .description("MetaHuman OS on the command line, with the same operator, memory and rules as the page.")
    .version(version)
    .option("-u, --profile <name>", "the profile to use (default: the owner's)")
    .option("--json", "print results and errors as JSON")
    .option("--debug", "print more detail (operator: prompts, catalog, replies, timings) and stack traces")
    .enablePositionalOptions(false)
    .showHelpAfterError("(mh --help lists the commands, mh <command> --help shows a command's options)")
    .configureOutput({
      writeOut: (text) => void out.write(text),
      writeErr: (text) => void err.write(text),
      outputError: (text, write) => write(`mh: ${usageSentence(text)}\n`),
    })
    .exitOverride();
  program
    .command("start")
    .description("start the server for the page and the API (same as npm start)")
    // The launcher handles `mh start` without options and never reaches this action.
    .action(() =>
      program.error("mh start takes no options. Set HOST, PORT and METAHUMAN_HOME in the environment"),
    );
  let context: CommandContext | undefined;
  const contextOnce = () => (context ??= contextFor(program.opts<GlobalOptions>()));
  for (const add of commands) add(program, contextOnce);
  return program;
}
