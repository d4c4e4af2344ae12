export interface SentEvent {
  id: string | undefined;
  event: string;
  /** Parsed JSON. */
  data: unknown;
}

/**
 * Yields the messages of a stream of server-sent events, without comments and `retry`. Throws for any other response.
 */
export async function* readEvents(response: Response): AsyncGenerator<SentEvent> {
  if (
    response.body === null ||
    response.headers.get("content-type")?.startsWith("text/event-stream") !== true
  ) {
    throw new Error(`No stream, but ${response.status}: ${await response.text()}`);
  }
  let waiting = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (waiting + text).split("\n\n");
    waiting = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(
        block
          .split("\n")
          .filter((line) => !line.startsWith(":"))
          .map((line): [string, string] => [
            line.slice(0, line.indexOf(":")),
            line.slice(line.indexOf(":") + 2),
          ]),
      );
      const data = fields.get("data");
      if (data !== undefined)
        yield { id: fields.get("id"), event: fields.get("event") ?? "message", data: JSON.parse(data) };
    }
  }
}
