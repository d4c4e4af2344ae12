import type { Operator, Profile } from "@metahuman/boot/brain";
import { operatorAnswer, operatorPending } from "@metahuman/boot/answers";
import { InvalidRequestError } from "@metahuman/boot/errors";
import type { RunEvent } from "@metahuman/core/contract/event";
import { ObservationMode, type Run } from "@metahuman/core/contract/run";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import { askApproval, askQuestion } from "../ask-person.ts";
import { catalogLines, debugEventLines, modelCallLines } from "../debug-lines.ts";
import { ExitCode } from "../exit-code.ts";
import { eventLines } from "../event-lines.ts";
import type { Output } from "../output.ts";
import { demand, openSession, type CommandContext } from "../session.ts";
import type { AddCommand } from "./command.ts";

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
      const observationMode = ObservationMode.safeParse(options.mode);
      if (!observationMode.success)
        throw new InvalidRequestError(`"${options.mode}" is no way to show observations.`, {
          suggestions: ObservationMode.options,
        });
      const { profile } = session;
      const { operator } = profile;
      const { output } = context();
      const debug = context().options.debug === true;
      if (debug) for (const line of catalogLines(operator.skills())) output.note(line);
      const started = await operator.start(
        { goal: words.join(" "), ...(options.conversation && { conversationId: options.conversation }) },
        { identity: session.identity, surface: "cli", observationMode: observationMode.data },
      );
      const run = await follow(profile, started, { ...options, debug }, context());
      const asked = debug ? (await profile.runs.inspect(run.id)).modelCalls : undefined;
      report(run, operator, asked, context());
    });
};

type Followed = OperatorOptions & { debug: boolean };

/** Shows the run until it ends or needs a person who is not there. Ctrl-C cancels it. */
async function follow(
  { operator, runs }: Pick<Profile, "operator" | "runs">,
  started: Run,
  options: Followed,
  context: CommandContext,
): Promise<Run> {
  const asked: ModelCallRecord[] = [];
  const cancel = () => void operator.cancel(started.id);
  context.signal.addEventListener("abort", cancel, { once: true });
  try {
    for await (const event of operator.events(started.id, {
      from: 0,
      signal: new AbortController().signal,
    })) {
      if (options.debug && event.type !== "answer-delta") {
        const { modelCalls = [] } = await runs.inspect(started.id);
        for (const call of modelCalls.slice(asked.length)) {
          const before = asked.findLast(({ purpose }) => purpose === call.purpose);
          for (const line of modelCallLines(call, before)) context.output.note(line);
          asked.push(call);
        }
        for (const line of debugEventLines(event)) context.output.note(line);
      }
      if (options.stream) show(event, context.output);
      if (!(await settle(operator, event, options, context))) break;
    }
    return await operator.settled(started.id);
  } finally {
    context.signal.removeEventListener("abort", cancel);
  }
}

function show(event: RunEvent, output: Output): void {
  for (const line of eventLines(event)) output.note(line);
}

/** Decides what the run waits for; false when there is nobody to decide. */
async function settle(
  operator: Operator,
  event: RunEvent,
  options: OperatorOptions,
  { interactive, output }: CommandContext,
): Promise<boolean> {
  switch (event.type) {
    case "approval-requested": {
      if (options.yes) {
        await operator.decide(event.approval.id, "once");
        return true;
      }
      if (!interactive || output.json) return false;
      const { decision, reason } = await askApproval(event.approval);
      await operator.decide(event.approval.id, decision, reason);
      return true;
    }
    case "question-asked": {
      if (!interactive || output.json) return false;
      await operator.answer(event.runId, await askQuestion(event.question, event.options));
      return true;
    }
    default:
      return true;
  }
}

function report(
  run: Run,
  operator: Operator,
  modelCalls: readonly ModelCallRecord[] | undefined,
  { output, setExitCode }: CommandContext,
): void {
  if (run.status !== "ended") {
    setExitCode(ExitCode.waiting);
    const next =
      run.pending?.kind === "approval"
        ? `mh approvals allow ${run.pending.approvalId}`
        : `mh runs show ${run.id}`;
    output.result(operatorPending(run), `The run waits for you. See it in the page, or: ${next}`);
    return;
  }
  if (run.outcome !== "answered")
    setExitCode(run.outcome === "cancelled" ? ExitCode.interrupted : ExitCode.failed);
  output.result(
    { ...operatorAnswer(run, operator.skills()), ...(modelCalls && { modelCalls }) },
    run.result ?? run.error?.message ?? `The run ended: ${run.outcome ?? "without an outcome"}.`,
  );
}
