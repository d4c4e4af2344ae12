import type { Operator, Profile } from "@metahuman/boot/brain";
import { operatorAnswer, operatorPending } from "@metahuman/boot/answers";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import type { RunEvent } from "@metahuman/core/contract/event";
import { regionOf } from "@metahuman/core/contract/region";
import { ObservationMode, type Run } from "@metahuman/core/contract/run";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import { promptForApproval, promptForAnswer } from "./prompts.ts";
import { debugEventLines, modelCallLines } from "./debug-lines.ts";
import { eventLines } from "./event-lines.ts";
import { ExitCode, exitCodeFor } from "./exit-code.ts";
import type { Output } from "./output.ts";
import type { CommandContext } from "./session.ts";

/** Options for showing a run and deciding its approvals. */
export interface FollowOptions {
  /** The format of observations, for the model as well; absent: sentences here, and the data that was read for the model. */
  mode?: string;
  stream: boolean;
  yes?: boolean;
  debug: boolean;
}

/** Parses the value of `--mode`, if there is one. Throws `InvalidRequestError`. */
export function parseObservationMode(text: string | undefined): { observationMode?: ObservationMode } {
  if (text === undefined) return {};
  const mode = ObservationMode.safeParse(text);
  if (mode.success) return { observationMode: mode.data };
  throw new InvalidRequestError(`There is no observation mode "${text}".`, {
    suggestions: ObservationMode.options,
  });
}

/** Prints a run's events until it ends or needs a decision that this terminal cannot ask for. Ctrl-C cancels the run. */
export async function followRun(
  { operator, runs }: Pick<Profile, "operator" | "runs">,
  started: Run,
  options: FollowOptions,
  context: CommandContext,
): Promise<Run> {
  const printedCalls: ModelCallRecord[] = [];
  let tool: string | undefined;
  const stopListening = cancelOnAbort(operator, started.id, context);
  try {
    for await (const event of operator.events(started.id, {
      from: 0,
      signal: new AbortController().signal,
    })) {
      if (options.debug && event.type !== "answer-delta") {
        const { modelCalls = [] } = await runs.inspect(started.id);
        for (const call of modelCalls.slice(printedCalls.length)) {
          const previous = printedCalls.findLast(({ purpose }) => purpose === call.purpose);
          for (const line of modelCallLines(call, previous)) context.output.note(line);
          printedCalls.push(call);
        }
        for (const line of debugEventLines(event)) context.output.note(line);
      }
      if (event.type === "step-planned") tool = event.action?.tool;
      if (options.stream)
        printEvent(options.mode === undefined ? inSentences(event, tool, operator) : event, context.output);
      if (!(await resolvePending(operator, event, options, context))) break;
    }
    return await operator.settled(started.id);
  } finally {
    stopListening();
  }
}

/** Cancels a run on Ctrl-C, also if it was pressed before. Returns a function that ends this. */
export function cancelOnAbort(
  operator: Pick<Operator, "cancel">,
  runId: string,
  { signal, output }: Pick<CommandContext, "signal" | "output">,
): () => void {
  const cancel = () => {
    operator
      .cancel(runId)
      .catch((error: unknown) => output.note(`The run was not cancelled: ${toErrorDetail(error).message}`));
  };
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

/** The event with its observation in one sentence. */
function inSentences(
  event: RunEvent,
  tool: string | undefined,
  operator: Pick<Operator, "sentenceOf">,
): RunEvent {
  if (event.type !== "observation-made" || tool === undefined) return event;
  const { observation } = event;
  const content = operator.sentenceOf(tool, observation, regionOf());
  return { ...event, observation: { ...observation, content } };
}

function printEvent(event: RunEvent, output: Output): void {
  for (const line of eventLines(event)) output.note(line);
}

/** Decides a pending approval or answers a question. Resolves to false without an interactive terminal. */
async function resolvePending(
  operator: Operator,
  event: RunEvent,
  options: FollowOptions,
  { interactive, output }: CommandContext,
): Promise<boolean> {
  switch (event.type) {
    case "approval-requested": {
      if (options.yes) {
        await operator.decide(event.approval.id, "once");
        return true;
      }
      if (!interactive || output.json) return false;
      const { decision, reason } = await promptForApproval(event.approval);
      await operator.decide(event.approval.id, decision, reason);
      return true;
    }
    case "question-asked": {
      if (!interactive || output.json) return false;
      await operator.answer(event.runId, await promptForAnswer(event.question, event.options));
      return true;
    }
    default:
      return true;
  }
}

/** Returns a run's answer or pending request, as JSON and as text. */
export function runReport(
  run: Run,
  operator: Operator,
  modelCalls?: readonly ModelCallRecord[],
): { value: unknown; text: string } {
  if (run.status !== "ended") {
    const next =
      run.pending?.kind === "approval"
        ? `mh approvals allow ${run.pending.approvalId}`
        : `mh runs show ${run.id}`;
    return {
      value: operatorPending(run),
      text: `The run waits for you. Open it on the page, or run: ${next}`,
    };
  }
  return {
    value: { ...operatorAnswer(run, operator.controlSkills()), ...(modelCalls && { modelCalls }) },
    text: run.result ?? run.error?.message ?? `The run ended: ${run.outcome ?? "without an outcome"}.`,
  };
}

/** Prints the requests that an answer suggests, as the page shows them below it. */
export function noteSuggestions({ suggestions = [] }: Run, output: Output): void {
  if (suggestions.length === 0) return;
  output.note(["Suggested requests:", ...suggestions.map((request) => `  ${request}`)].join("\n"));
}

/** Returns a run's exit code. If no call succeeded, the last error determines it. */
export function runExitCode({ status, outcome, scratchpad }: Run): ExitCode {
  if (status !== "ended") return ExitCode.waiting;
  if (outcome === "cancelled") return ExitCode.interrupted;
  const observed = scratchpad.flatMap(({ observation }) => (observation ? [observation] : []));
  const error = observed.at(-1)?.error;
  if (error && observed.every(({ success }) => !success)) return exitCodeFor(error.code);
  return outcome === "answered" ? ExitCode.ok : ExitCode.failed;
}
