import type { Occurrence, Schedule } from "@metahuman/core/contract/schedule";
import type { Run } from "@metahuman/core/contract/run";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Identity } from "@metahuman/core/policy/security-policy";
import type { AttemptEnd } from "@metahuman/core/schedules/occurrence-ledger";
import type { Operator } from "../operator/operator.ts";
import { isTransient, outcomeOfRun, type WatchedChange } from "./outcome-of-run.ts";

/** The interval in milliseconds at which a run that waits for a person is checked. */
const WAITING_LOOK_MS = 2_000;

export interface OccurrenceRunnerOptions {
  username: string;
  operator: Pick<Operator, "start" | "settled" | "cancel" | "resume">;
  clock: () => Date;
  mode(): Promise<CognitiveMode>;
  /** Whether a language model is available. */
  hasModel(): Promise<boolean>;
  /** Throws `NotFoundError` for a function that was deleted and `ConflictError` for one that may not run. */
  checkFunction(id: string): Promise<void>;
  /** The conversation that the run belongs to; a new one when there is none. */
  conversationOf(scheduleId: string): Promise<string | undefined>;
  onConversation(scheduleId: string, conversationId: string): Promise<void>;
  /** Called when a run begins to wait for a person. */
  onWaiting(schedule: Schedule, occurrence: Occurrence, run: Run): Promise<void>;
  /** Called when a run may be working again after it waited. */
  onWorking(occurrence: Occurrence): void;
  /** Milliseconds between two looks at a run that waits. */
  waitingLookMs?: number;
}

/** The end of an attempt, with the run's answer. */
export interface AttemptResult extends AttemptEnd {
  isTransient?: boolean;
  text?: string;
  watched?: WatchedChange;
}

/**
 * Executes one attempt of an occurrence as an ordinary run. Resolves to its end; to undefined if `signal` aborts first:
 * the run and the occurrence then continue.
 */
export async function runOccurrence(
  schedule: Schedule,
  occurrence: Occurrence,
  options: OccurrenceRunnerOptions,
  signal: AbortSignal,
): Promise<AttemptResult | undefined> {
  try {
    const runId = occurrence.runId ?? (await startRun(schedule, occurrence, options));
    return await followRun(runId, { schedule, occurrence }, options, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof MetahumanError)) throw error;
    const { code, message } = toErrorDetail(error);
    return { state: "failed", outcome: "failed", reason: message, isTransient: isTransient(code) };
  }
}

async function startRun(
  schedule: Schedule,
  { scheduleId, dueAt }: Occurrence,
  options: OccurrenceRunnerOptions,
): Promise<string> {
  const { what, grants, timeZone, locale } = schedule;
  if (what.kind === "function") await options.checkFunction(what.functionId);
  if (schedule.needsModel && !(await options.hasModel()))
    throw new ModelUnavailableError("This needs a language model, and none could be reached.");
  const conversationId = await options.conversationOf(scheduleId);
  const run = await options.operator.start(
    {
      goal: goalOf(schedule),
      timeZone,
      ...(locale !== undefined && { locale }),
      background: true,
      ...(conversationId !== undefined && { conversationId }),
    },
    {
      identity: await identityOf(schedule, options),
      surface: "schedule",
      occurrence: { scheduleId, dueAt, grants },
      ...(what.kind === "function" && {
        direct: { tool: "function_run", args: { id: what.functionId, parameters: what.values } },
      }),
    },
  );
  if (run.conversationId !== conversationId) await options.onConversation(scheduleId, run.conversationId);
  return run.id;
}

async function followRun(
  runId: string,
  { schedule, occurrence }: { schedule: Schedule; occurrence: Occurrence },
  options: OccurrenceRunnerOptions,
  signal: AbortSignal,
): Promise<AttemptResult | undefined> {
  const { operator } = options;
  for (;;) {
    const run = await operator.settled(runId, signal);
    switch (run.status) {
      case "ended":
        return endOf(run);
      case "interrupted":
        if (signal.aborted) return undefined;
        await resume(runId, schedule, options);
        break;
      case "waiting": {
        const waitedMs = options.clock().getTime() - Date.parse(run.updatedAt);
        if (waitedMs >= schedule.approvalMinutes * 60_000) {
          const cancelled = await operator.cancel(runId);
          return {
            ...usageOf(cancelled),
            state: "skipped",
            outcome: "cancelled",
            reason: "waited for a person",
          };
        }
        await options.onWaiting(schedule, occurrence, run);
        await pause(options.waitingLookMs ?? WAITING_LOOK_MS, signal);
        if (signal.aborted) return undefined;
        options.onWorking(occurrence);
        break;
      }
      case "queued":
      case "running":
        break;
      default:
        run.status satisfies never;
    }
  }
}

async function resume(runId: string, schedule: Schedule, options: OccurrenceRunnerOptions): Promise<void> {
  try {
    await options.operator.resume(runId, {
      identity: await identityOf(schedule, options),
      surface: "schedule",
    });
  } catch (error) {
    // Another process was quicker.
    if (!(error instanceof ConflictError)) throw error;
  }
}

async function identityOf(schedule: Schedule, options: OccurrenceRunnerOptions): Promise<Identity> {
  return {
    role: "member",
    username: options.username,
    mode: await options.mode(),
    trustLevel: schedule.trustLevel,
  };
}

function goalOf({ what, title }: Schedule): string {
  switch (what.kind) {
    case "reminder":
      return what.text;
    case "request":
      return what.goal;
    case "function":
      return `Run “${title}”`;
    default:
      return what satisfies never;
  }
}

function endOf(run: Run): AttemptResult {
  const result = outcomeOfRun(run);
  const usage = usageOf(run);
  switch (result.state) {
    case "succeeded":
    case "skipped":
    case "failed":
      return { ...usage, ...result };
    default:
      return result satisfies never;
  }
}

function usageOf({ usage }: Run): Pick<AttemptEnd, "modelCalls" | "tokens"> {
  return { modelCalls: usage.modelCalls, tokens: usage.promptTokens + usage.completionTokens };
}

/** Resolves after that time, or when the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  timer.unref();
  const stop = () => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", stop);
}
