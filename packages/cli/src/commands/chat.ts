import { createInterface } from "node:readline";
import { isCancel, text } from "@clack/prompts";
import { regionOf } from "@metahuman/core/contract/region";
import { ObservationMode } from "@metahuman/core/contract/run";
import { ExitCode } from "../exit-code.ts";
import { followRun, noteSuggestions, parseObservationMode, runExitCode, runReport } from "../follow-run.ts";
import { type AddCommand, type CommandContext, requirePermission, openSession } from "../session.ts";

interface ChatOptions {
  mode?: string;
  stream: boolean;
  yes?: boolean;
  conversation?: string;
}

/** Commands that end a chat. The end of the input ends it too. */
const EXIT_COMMANDS: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** `mh chat`: one conversation. A person types the requests, or a pipe supplies one per line. */
export const addChatCommand: AddCommand = (program, context) => {
  program
    .command("chat")
    .description("chat with the operator in one conversation; /quit ends it")
    .option(
      "--mode <mode>",
      `the format of observations, for you and the model: ${ObservationMode.options.join(", ")}`,
    )
    .option("--no-stream", "print only complete answers")
    .option("--yes", "allow each risky step once, without asking")
    .option("--conversation <id>", "continue this conversation")
    .action(async (options: ChatOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseOperator, session, "use the operator");
      const mode = parseObservationMode(options.mode);
      const { profile, identity } = session;
      const { operator } = profile;
      const { output, signal, interactive, setExitCode } = context();
      const isDebug = context().options.debug === true;
      let conversationId = options.conversation;
      for await (const goal of requests(context())) {
        context().signal.throwIfAborted();
        const started = await operator.start(
          { goal, ...regionOf(), ...(conversationId !== undefined && { conversationId }) },
          { identity, surface: "cli", ...mode },
        );
        conversationId = started.conversationId;
        const run = await followRun(profile, started, { ...options, debug: isDebug }, context());
        const { value, text } = runReport(run, operator);
        output.line(value, text);
        noteSuggestions(run, output);
        const code = runExitCode(run);
        // A person has read the error; a script needs the exit code.
        if (!interactive && code !== ExitCode.ok) setExitCode(code);
        if (signal.aborted) break;
      }
      if (conversationId !== undefined) output.note(`Continue it: mh chat --conversation ${conversationId}`);
    });
};

async function* requests(context: CommandContext): AsyncGenerator<string> {
  for await (const line of context.interactive && !context.output.json
    ? promptedLines()
    : pipedLines(context)) {
    const request = line.trim();
    if (EXIT_COMMANDS.has(request)) return;
    if (request !== "") yield request;
  }
}

async function* promptedLines(): AsyncGenerator<string> {
  for (;;) {
    const line = await text({ message: "Ask a question or request an action", placeholder: "/quit to exit" });
    if (isCancel(line)) return;
    yield line;
  }
}

function pipedLines({ input, signal }: CommandContext): AsyncIterable<string> {
  return createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY });
}
