import { createSocket } from "node:dgram";
import { Resolver } from "node:dns";
import { once } from "node:events";
import type { Lookup } from "../network/exchange.ts";

export interface TestResolver {
  lookup: Lookup;
  /** Returns the number of answered queries. */
  questions(): number;
  close(): void;
}

/**
 * Starts a DNS server on loopback with changing answers: each query gets the next list of IPv4 addresses; the last list
 * repeats. Answers expire at once.
 */
export async function startResolver(...answers: readonly string[][]): Promise<TestResolver> {
  const socket = createSocket("udp4");
  let asked = 0;
  socket.on("message", (question, from) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    socket.send(answerTo(question, addresses), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");

  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${String(socket.address().port)}`]);
  return {
    lookup: (hostname, _options, callback) =>
      resolver.resolve4(hostname, (error, addresses) =>
        callback(error, error ? [] : addresses.map((address) => ({ address, family: 4 }))),
      ),
    questions: () => asked,
    close: () => void socket.close(),
  };
}

/** The query's header and name with A records without lifetime (RFC 1035, section 4). */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt32BE(0, 8);
  const endOfName = question.indexOf(0, 12) + 1;
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([header, question.subarray(12, endOfName + 4), ...records]);
}
