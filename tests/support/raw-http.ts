import { once } from "node:events";
import { connect } from "node:net";

export interface RawAnswer {
  status: number;
  headers: Map<string, string>;
  body: string;
}

/**
 * Sends exactly these bytes, which need not be valid HTTP, and reads the first response. `more` is written after the head until the
 * server stops reading.
 */
export async function sendRaw(url: string, head: string, more?: AsyncIterable<Buffer>): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const received: Buffer[] = [];
  const answered = new Promise<RawAnswer>((resolve, reject) => {
    const settle = () => {
      const answer = parse(Buffer.concat(received).toString("latin1"));
      if (answer) resolve(answer);
    };
    socket.on("data", (chunk: Buffer) => {
      received.push(chunk);
      settle();
    });
    socket.on("error", reject);
    socket.on("close", () =>
      reject(new Error(`Closed after ${Buffer.concat(received).length} bytes of answer.`)),
    );
  });
  socket.write(head);
  const sending = more === undefined ? undefined : pour(socket, more);
  try {
    return await answered;
  } finally {
    socket.destroy();
    await sending;
  }
}

async function pour(socket: ReturnType<typeof connect>, chunks: AsyncIterable<Buffer>): Promise<void> {
  const closed = once(socket, "close");
  for await (const chunk of chunks) {
    if (socket.destroyed) return;
    if (!socket.write(chunk)) await Promise.race([once(socket, "drain"), closed]);
  }
}

/** The answer once its head and the announced length of its body are there. */
function parse(text: string): RawAnswer | undefined {
  const split = text.indexOf("\r\n\r\n");
  if (split === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, split).split("\r\n");
  const headers = new Map(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
  const body = text.slice(split + 4);
  const length = headers.get("content-length");
  if (length !== undefined && body.length < Number(length)) return undefined;
  return { status: Number(first.split(" ")[1]), headers, body };
}
