import { createInterface } from "node:readline";
import { isCancel, text } from "@clack/prompts";
import { regionOf } from "@metahuman/core/contract/region";
import { ObservationMode } from "@metahuman/core/contract/run";
import { ExitCode } from "../exit-code.ts";
import { exitCodeOf, followRun, observationModeOf, reportOf } from "../follow-run.ts";
import { type AddCommand, type CommandContext, demand, openSession } from "../session.ts";

interface ChatOptions {
  mode: string;
  stream: boolean;
  yes?: boolean;
  conversation?: string;
}

/** What ends a chat, besides the end of the input. */
const LEAVE: ReadonlySet<string> = new Set(["/quit", "/exit"]);

/** One conversation, request after request: typed by a person, or a line each from a pipe. */
export const addChatCommand: AddCommand = (program, context) => {
  program
    .command("chat")
    .description("one request after another in one conversation; /quit ends it")
    .option("--mode <mode>", `how observations are shown: ${ObservationMode.options.join(", ")}`, "narrative")
    .option("--no-stream", "only the answers, each when it is complete")
    .option("--yes", "allow each risky step once, without asking")
    .option("--conversation <id>", "go on with this conversation")
    .action(async (options: ChatOptions) => {
      const session = await openSession(context());
      demand(session.policy.canUseOperator, session, "use the operator");
      const observationMode = observationModeOf(options.mode);
      const { profile, identity } = session;
      const { operator } = profile;
      const { output, signal, interactive, setExitCode } = context();
      const debug = context().options.debug === true;
      let conversationId = options.conversation;
      for await (const goal of requests(context())) {
        const started = await operator.start(
          { goal, ...regionOf(), ...(conversationId !== undefined && { conversationId }) },
          { identity, surface: "cli", observationMode },
        );
        conversationId = started.conversationId;
        const run = await followRun(profile, started, { ...options, debug }, context());
        const { value, text } = reportOf(run, operator);
        output.line(value, text);
        const code = exitCodeOf(run);
        // Whoever types has read what went wrong; a script asks afterwards.
        if (!interactive && code !== ExitCode.ok) setExitCode(code);
        if (signal.aborted) break;
      }
      if (conversationId !== undefined)
        output.note(`Go on with it: mh chat --conversation ${conversationId}`);
    });
};

async function* requests(context: CommandContext): AsyncGenerator<string> {
  for await (const line of context.interactive && !context.output.json ? typed() : piped(context)) {
    const request = line.trim();
    if (LEAVE.has(request)) return;
    if (request !== "") yield request;
  }
}

async function* typed(): AsyncGenerator<string> {
  for (;;) {
    const line = await text({ message: "Ask, or tell it to do something", placeholder: "/quit to leave" });
    if (isCancel(line)) return;
    yield line;
  }
}

function piped({ input, signal }: CommandContext): AsyncIterable<string> {
  return createInterface({ input, signal, crlfDelay: Number.POSITIVE_INFINITY });
}
