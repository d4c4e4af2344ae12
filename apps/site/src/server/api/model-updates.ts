import { setTimeout as sleep } from "node:timers/promises";
import type { Brain } from "@metahuman/boot/brain";
import type { LiveUpdate } from "@metahuman/core/contract/live-updates";
import type { ModelSituation } from "@metahuman/core/contract/models";

/** How often the known state of the model servers is read, in milliseconds. A server is asked only if its state is stale. */
const POLL_MS = 2_000;

/**
 * Yields the model servers and roles: first the current ones, then again after each change of anything but a latency.
 */
export async function* modelUpdates(
  { models }: Pick<Brain, "models">,
  signal: AbortSignal,
): AsyncGenerator<LiveUpdate> {
  let sent: string | undefined;
  while (!signal.aborted) {
    const situation = await models();
    const text = JSON.stringify(withoutLatency(situation));
    if (text !== sent) yield { type: "models", situation };
    sent = text;
    await sleep(POLL_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

function withoutLatency({ servers, tokensPerSecond: _, ...rest }: ModelSituation): object {
  return { ...rest, servers: servers.map(({ latencyMs: _latency, ...server }) => server) };
}
