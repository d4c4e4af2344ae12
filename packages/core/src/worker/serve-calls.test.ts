import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { type CallHandlers, serveCalls } from "./serve-calls.ts";
import type { CloseIfIdleCall } from "./worker-client.ts";
import type { WorkerReply } from "./worker-thread.ts";

interface Calls extends CloseIfIdleCall {
  search: { params: string; result: string };
  put: { params: string; result: string };
}

it("answers the writes that wait before the searches, each in the order of the calls", async () => {
  const { port1, port2 } = new MessageChannel();
  const answers: string[] = [];
  const all = Promise.withResolvers<undefined>();
  port2.on("message", (reply: WorkerReply) => {
    answers.push("result" in reply ? String(reply.result) : JSON.stringify(reply));
    if (answers.length === 5) all.resolve(undefined);
  });
  for (const [number, method] of ["search", "search", "put", "search", "put"].entries())
    port2.postMessage({ number, method, params: `${method} ${number}` });
  const handlers: CallHandlers<Calls> = {
    search: (params) => params,
    put: (params) => params,
    closeIfIdle: () => false,
  };
  serveCalls<Calls>(port1, () => ({ call: async (method, params) => await handlers[method](params) }), [
    "put",
  ]);
  await all.promise;
  port1.close();
  expect(answers).toEqual(["put 2", "put 4", "search 0", "search 1", "search 3"]);
});
