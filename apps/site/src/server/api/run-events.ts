import { z } from "zod";
import type { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import { operatorAnswer, operatorPending } from "@metahuman/boot/answers";
import type { Operator } from "@metahuman/boot/brain";
import { Reply, type SignedInContext } from "./route.ts";
import type { ServerSentEvent } from "./event-stream.ts";
import type { RunId } from "@metahuman/core/contract/ids";

/** Yields the events of a run after `from`, each with its `seq` as id, up to `run-ended`. */
export async function* runEvents(
  operator: Operator,
  runId: string,
  { from, signal }: { from: number; signal: AbortSignal },
): AsyncGenerator<ServerSentEvent> {
  for await (const event of operator.events(runId, { from, signal })) {
    yield { id: String(event.seq), event: event.type, data: event };
  }
}

/**
 * Responds to a request that started a run: with its events if the caller accepts them, otherwise with its answer
 * when it ends, or with 202 when it waits for a person. The run continues after a disconnect; `/api/runs/:id/events`
 * resumes the stream.
 */
export async function startedRun(
  run: Run,
  { caller, request, stream }: Pick<SignedInContext, "caller" | "request" | "stream">,
): Promise<OperatorAnswer | Reply<OperatorPending> | Response> {
  const { operator } = caller.profile;
  if (request.headers.get("accept")?.includes("text/event-stream"))
    return stream((signal) => runEvents(operator, run.id, { from: 0, signal }));
  const settled = await operator.settled(run.id, request.signal);
  return (
    operatorAnswer(settled, operator.controlSkills()) ?? new Reply(operatorPending(settled), { status: 202 })
  );
}

const Seq = z.coerce.number().int().nonnegative();

/** Returns the last `seq` that a client has received: `Last-Event-ID`, or the requested one; 0 for none. */
export function lastSeen(request: Request, from: number | undefined): number {
  const lastEventId = Seq.safeParse(request.headers.get("last-event-id") ?? undefined);
  return lastEventId.success ? lastEventId.data : (from ?? 0);
}

export const EventsQuery = z.object({ from: Seq.optional() });

const RunCursor = z
  .string()
  .regex(/^run-[0-9a-z]{26}(:\d{1,9})?$/, "name runs as run-01jd… or, to go on after an event, run-01jd…:12")
  .transform((text): [RunId, number] => {
    const [run = "", seq = "0"] = text.split(":");
    return [run, Number(seq)];
  });

/**
 * The last received `seq` of each run of a stream: `run-…:12,run-…:3`. A run without a number is sent from its
 * beginning.
 */
export const RunCursors = z
  .string()
  .transform((text) => text.split(",").filter((part) => part !== ""))
  .pipe(z.array(RunCursor).max(50))
  .transform((cursors) => new Map(cursors));

export type RunCursors = Map<RunId, number>;

export function writeCursors(cursors: RunCursors): string {
  return [...cursors].map(([run, seq]) => `${run}:${seq}`).join(",");
}

/** Returns the later of the requested position and that of `Last-Event-ID`, for each run. */
export function latestCursors(wantedCursors: RunCursors, lastReceived: string | null): RunCursors {
  const before = RunCursors.safeParse(lastReceived ?? "");
  const seen = before.success ? before.data : new Map<RunId, number>();
  return new Map([...wantedCursors].map(([run, seq]) => [run, Math.max(seq, seen.get(run) ?? 0)]));
}
