import type { Operator, Profile } from "@metahuman/boot/brain";
import { operatorAnswer, operatorPending } from "@metahuman/boot/answers";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import type { RunEvent } from "@metahuman/core/contract/event";
import { ObservationMode, type Run } from "@metahuman/core/contract/run";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import { askApproval, askQuestion } from "./ask-person.ts";
import { debugEventLines, modelCallLines } from "./debug-lines.ts";
import { eventLines } from "./event-lines.ts";
import { ExitCode, exitCodeFor } from "./exit-code.ts";
import type { Output } from "./output.ts";
import type { CommandContext } from "./session.ts";

/** How a run is shown, and who decides what it asks for. */
export interface Following {
  stream: boolean;
  yes?: boolean;
  debug: boolean;
}

/** The way to show observations that `--mode` names. */
export function observationModeOf(written: string): ObservationMode {
  const mode = ObservationMode.safeParse(written);
  if (mode.success) return mode.data;
  throw new InvalidRequestError(`"${written}" is no way to show observations.`, {
    suggestions: ObservationMode.options,
  });
}

/** Shows the run until it ends or needs a person who is not there. Ctrl-C cancels it. */
export async function followRun(
  { operator, runs }: Pick<Profile, "operator" | "runs">,
  started: Run,
  options: Following,
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
  options: Following,
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

/** A run's answer or what it waits for, in both forms in which a command says it. */
export function reportOf(
  run: Run,
  operator: Operator,
  modelCalls?: readonly ModelCallRecord[],
): { value: unknown; text: string } {
  if (run.status !== "ended") {
    const next =
      run.pending?.kind === "approval"
        ? `mh approvals allow ${run.pending.approvalId}`
        : `mh runs show ${run.id}`;
    return { value: operatorPending(run), text: `The run waits for you. See it in the page, or: ${next}` };
  }
  return {
    value: { ...operatorAnswer(run, operator.steering()), ...(modelCalls && { modelCalls }) },
    text: run.result ?? run.error?.message ?? `The run ended: ${run.outcome ?? "without an outcome"}.`,
  };
}

/** The exit code that says how a run ended; that of its last error when no call of it succeeded. */
export function exitCodeOf({ status, outcome, scratchpad }: Run): ExitCode {
  if (status !== "ended") return ExitCode.waiting;
  if (outcome === "cancelled") return ExitCode.interrupted;
  if (outcome !== "answered") return ExitCode.failed;
  const observed = scratchpad.flatMap(({ observation }) => (observation ? [observation] : []));
  const error = observed.at(-1)?.error;
  return error && observed.every(({ success }) => !success) ? exitCodeFor(error.code) : ExitCode.ok;
}
