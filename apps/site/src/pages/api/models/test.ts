import { ModelTestAnswer, ModelTestRequest } from "@metahuman/core/contract/models";
import { UnexpectedError } from "@metahuman/core/errors/run-errors";
import { modelControlFor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";
import type { ServerSentEvent } from "../../../server/api/event-stream.ts";

/** A disconnect ends the test, so that the model does not work for nobody. */
export const POST = route(
  {
    summary:
      "Ask one model something: events text, thinking and done with Accept: text/event-stream, else the answer",
    needs: "canAdminister",
    input: { body: ModelTestRequest },
    output: ModelTestAnswer,
    events: true,
  },
  async ({ body, brain, caller, request, stream }) => {
    const control = modelControlFor(brain, caller);
    if (request.headers.get("accept")?.includes("text/event-stream")) {
      async function* parts(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
        for await (const part of control.test(body, signal)) yield { event: part.type, data: part };
      }
      return stream(parts);
    }
    let text = "";
    for await (const part of control.test(body, request.signal)) {
      if (part.type === "text") text += part.text;
      if (part.type === "done") return { text, result: part.result };
    }
    throw new UnexpectedError("The model's answer had no end.");
  },
);
