import { parentPort } from "node:worker_threads";
import { MetahumanError } from "../errors/metahuman-error.ts";
import type { WorkerCalls, WorkerReply } from "./worker-client.ts";

/** What carries out the calls, on the thread's side. */
export interface CallHandler<Calls extends WorkerCalls<Calls>> {
  call<Method extends keyof Calls>(
    method: Method,
    params: Calls[Method]["params"],
  ): Promise<Calls[Method]["result"]>;
}

type Request<Calls extends WorkerCalls<Calls>> = {
  [Method in keyof Calls]: { number: number; method: Method; params: Calls[Method]["params"] };
}[keyof Calls];

/** Answers a `WorkerClient` from inside the worker thread, until it asks to `close`. */
export function serveCalls<Calls extends WorkerCalls<Calls>>(
  open: (onFailure: (error: unknown) => void) => CallHandler<Calls>,
): void {
  if (!parentPort) throw new Error("an index worker needs a thread of its own");
  const port = parentPort;
  const reply = (message: WorkerReply): void => port.postMessage(message);
  const handler = open((error) => reply({ warning: describe(error).message }));

  async function answer({ number, method, params }: Request<Calls>): Promise<void> {
    try {
      reply({ number, result: await handler.call(method, params) });
    } catch (error) {
      reply({ number, failure: describe(error) });
    }
    if (method === "close") port.close();
  }
  port.on("message", (request: Request<Calls>) => void answer(request));
}

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof MetahumanError) return { code: error.code, message: error.message };
  return {
    code: "UNEXPECTED_ERROR",
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
}
