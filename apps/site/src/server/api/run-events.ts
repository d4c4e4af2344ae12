import { z } from "zod";
import type { Operator } from "@metahuman/boot/brain";
import type { ServerSentEvent } from "./server-sent-events.ts";

/** A run's events after `from`, each under its seq, ending with `run-ended`. */
export async function* runEvents(
  operator: Operator,
  runId: string,
  { from, signal }: { from: number; signal: AbortSignal },
): AsyncGenerator<ServerSentEvent> {
  for await (const event of operator.events(runId, { from, signal })) {
    yield { id: String(event.seq), event: event.type, data: event };
  }
}

const Seq = z.coerce.number().int().nonnegative();

/** The last seq a client has seen: what its browser kept, else what it asks for; 0 for none. */
export function lastSeen(request: Request, from: number | undefined): number {
  const kept = Seq.safeParse(request.headers.get("last-event-id") ?? undefined);
  return kept.success ? kept.data : (from ?? 0);
}

export const EventsQuery = z.object({ from: Seq.optional() });
