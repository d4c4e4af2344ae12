import { regionOf } from "@metahuman/core/contract/region";
import { ObservationMode, type Run } from "@metahuman/core/contract/run";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { catalogLines } from "../debug-lines.ts";
import { followRun, noteSuggestions, parseObservationMode, runExitCode, runReport } from "../follow-run.ts";
import { promptForOffer } from "../prompts.ts";
import {
  type AddCommand,
  type CommandContext,
  requirePermission,
  openSession,
  type Session,
} from "../session.ts";

interface OperatorOptions {
  mode?: string;
  stream: boolean;
  yes?: boolean;
  conversation?: string;
}

/** `mh operator`: executes one request and streams its events. */
export const addOperatorCommand: AddCommand = (program, context) => {
  program
    .command("operator <request...>")
    .description("ask a question or request an action")
    .option(
      "--mode <mode>",
      `the format of observations, for you and the model: ${ObservationMode.options.join(", ")}`,
    )
    .option("--no-stream", "print only the complete answer")
    .option("--yes", "allow each risky step once, without asking")
    .option("--conversation <id>", "continue this conversation")
    .action(async (words: string[], options: OperatorOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canUseOperator, session, "use the operator");
      const mode = parseObservationMode(options.mode);
      const { profile } = session;
      const { operator } = profile;
      const { output } = context();
      const isDebug = context().options.debug === true;
      if (isDebug) for (const line of catalogLines(operator.skills())) output.note(line);
      context().signal.throwIfAborted();
      const started = await operator.start(
        {
          goal: words.join(" "),
          ...regionOf(),
          ...(options.conversation && { conversationId: options.conversation }),
        },
        { identity: session.identity, surface: "cli", ...mode },
      );
      const answered = await followRun(profile, started, { ...options, debug: isDebug }, context());
      const accepted = await decideOffer(answered, session, mode, context());
      const run = accepted
        ? await followRun(profile, accepted, { ...options, debug: isDebug }, context())
        : answered;
      const modelCalls = isDebug ? (await profile.runs.inspect(run.id)).modelCalls : undefined;
      const { value, text } = runReport(run, operator, modelCalls);
      context().setExitCode(runExitCode(run));
      output.result(value, text);
      noteSuggestions(run, output);
    });
};

/**
 * Asks about each offer of an answer until one is accepted, and records each no. An offer whose values cannot be used is asked about
 * again, with the reason. Resolves to the run of the accepted offer; undefined without an interactive terminal.
 */
async function decideOffer(
  { id, goal, conversationId, offers = [], result }: Run,
  { profile, identity }: Session,
  mode: ReturnType<typeof parseObservationMode>,
  context: CommandContext,
): Promise<Run | undefined> {
  const { interactive, output } = context;
  if (offers.length === 0 || !interactive || output.json) return undefined;
  if (result !== undefined) output.note(result);
  const undecided = [...offers];
  for (let offer = undecided[0]; offer !== undefined; offer = undecided[0]) {
    const { functionId, version } = offer;
    const answer = await promptForOffer(offer, context);
    if (answer === undefined) return undefined;
    if (!answer.isConfirmed) {
      await profile.operator.giveFeedback(id, { verdict: "not_useful", functionId });
      undecided.shift();
      continue;
    }
    const follow = { functionId, version, values: answer.values, runId: id };
    try {
      return await profile.operator.start(
        { goal, ...regionOf(), conversationId, follow },
        { identity, surface: "cli", ...mode },
      );
    } catch (error) {
      if (!(error instanceof InvalidArgsError)) throw error;
      output.note(error.message);
    }
  }
  return undefined;
}
