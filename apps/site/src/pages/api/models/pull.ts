import { PullEvent, PullRequest } from "@metahuman/core/contract/models";
import { modelControlFor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";
import type { ServerSentEvent } from "../../../server/api/event-stream.ts";

/** A disconnect cancels the download. The model server keeps the part that it has downloaded. */
export const POST = route(
  {
    summary:
      "Download a model to its server: progress events, then done or problem; closing the connection cancels it",
    needs: "canAdminister",
    input: { body: PullRequest },
    output: PullEvent,
    events: true,
  },
  async ({ body, brain, caller, stream }) => {
    const left = new AbortController();
    const download = await modelControlFor(brain, caller).pull(body, left.signal);
    async function* events(): AsyncGenerator<ServerSentEvent> {
      for await (const event of download) yield { event: event.type, data: event };
    }
    const open = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => left.abort(signal.reason), { once: true });
      return events();
    };
    return stream(open);
  },
);
