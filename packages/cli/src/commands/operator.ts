import { regionOf } from "@metahuman/core/contract/region";
import { ObservationMode } from "@metahuman/core/contract/run";
import { catalogLines } from "../debug-lines.ts";
import { exitCodeOf, followRun, observationModeOf, reportOf } from "../follow-run.ts";
import { type AddCommand, demand, openSession } from "../session.ts";

interface OperatorOptions {
  mode: string;
  stream: boolean;
  yes?: boolean;
  conversation?: string;
}

/** Carries out a request in plain words and shows what happens while it happens. */
export const addOperatorCommand: AddCommand = (program, context) => {
  program
    .command("operator <request...>")
    .description("ask for something, or have it done")
    .option("--mode <mode>", `how observations are shown: ${ObservationMode.options.join(", ")}`, "narrative")
    .option("--no-stream", "only the answer, when it is complete")
    .option("--yes", "allow each risky step once, without asking")
    .option("--conversation <id>", "go on with this conversation")
    .action(async (words: string[], options: OperatorOptions) => {
      const session = await openSession(context());
      demand(session.policy.canUseOperator, session, "use the operator");
      const observationMode = observationModeOf(options.mode);
      const { profile } = session;
      const { operator } = profile;
      const { output } = context();
      const debug = context().options.debug === true;
      if (debug) for (const line of catalogLines(operator.skills())) output.note(line);
      const started = await operator.start(
        {
          goal: words.join(" "),
          ...regionOf(),
          ...(options.conversation && { conversationId: options.conversation }),
        },
        { identity: session.identity, surface: "cli", observationMode },
      );
      const run = await followRun(profile, started, { ...options, debug }, context());
      const asked = debug ? (await profile.runs.inspect(run.id)).modelCalls : undefined;
      const { value, text } = reportOf(run, operator, asked);
      context().setExitCode(exitCodeOf(run));
      output.result(value, text);
    });
};
