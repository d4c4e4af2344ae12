import { MessageChannel } from "node:worker_threads";
import { expect, it } from "vitest";
import { type CallHandlers, serveCalls } from "./serve-calls.ts";
import type { CloseIfIdleCall, WorkerReply } from "./worker-client.ts";

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
  serveCalls<Calls>(port1, () => ({ call: async (method, params) => await handlers[method](params) }), {
    first: ["put"],
  });
  await all.promise;
  port1.close();
  expect(answers).toEqual(["put 2", "put 4", "search 0", "search 1", "search 3"]);
});

it("answers short writes between the steps of a search, in order and before its answer", async () => {
  const { port1, port2 } = new MessageChannel();
  const answers: string[] = [];
  const all = Promise.withResolvers<undefined>();
  port2.on("message", (reply: WorkerReply) => {
    answers.push("result" in reply ? String(reply.result) : JSON.stringify(reply));
    if (answers.length === 5) all.resolve(undefined);
  });
  let number = 0;
  const send = (method: string, params: string): void =>
    port2.postMessage({ number: (number += 1), method, params });
  serveCalls<Calls>(
    port1,
    ({ betweenSteps }) => {
      const handlers: CallHandlers<Calls> = {
        async search(params) {
          if (params === "first")
            for (const word of ["one", "two", "a long text", "three"]) send("put", word);
          await betweenSteps();
          return params;
        },
        put: (params) => params,
        closeIfIdle: () => false,
      };
      return { call: async (method, params) => await handlers[method](params) };
    },
    { first: ["put"], isShort: ({ params }) => params === null || params.length < 6 },
  );
  send("search", "first");
  await all.promise;
  port1.close();
  expect(answers).toEqual(["one", "two", "first", "a long text", "three"]);
});
