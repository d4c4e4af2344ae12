import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { MetahumanError } from "../errors/metahuman-error.ts";
import type { CloseIfIdleCall, WorkerCalls } from "./worker-client.ts";
import type { WorkerFailure, WorkerReply } from "./worker-thread.ts";

/** Handles calls in the worker thread. */
export interface CallHandler<Calls extends WorkerCalls<Calls>> {
  call<Method extends keyof Calls>(
    method: Method,
    params: Calls[Method]["params"],
  ): Promise<Calls[Method]["result"]>;
}

/** One function per call. */
export type CallHandlers<Calls extends WorkerCalls<Calls>> = {
  [Method in keyof Calls]: (
    params: Calls[Method]["params"],
  ) => Calls[Method]["result"] | Promise<Calls[Method]["result"]>;
};

type Request<Calls extends WorkerCalls<Calls>> = {
  [Method in keyof Calls]: { number: number; method: Method; params: Calls[Method]["params"] };
}[keyof Calls];

/**
 * Answers the calls of a `WorkerClient` in the worker thread until it closes. Of the calls that wait, those named `first` are
 * answered first, and otherwise the oldest. If `open` throws, it reports the error and closes the port; other ports on the
 * thread are not affected.
 */
export function serveCalls<Calls extends WorkerCalls<Calls> & CloseIfIdleCall>(
  port: MessagePort,
  open: (onFailure: (error: unknown) => void) => CallHandler<Calls>,
  first: readonly (keyof Calls)[] = [],
): void {
  const reply = (message: WorkerReply): void => port.postMessage(message);

  function opened(): CallHandler<Calls> | undefined {
    try {
      return open((error) => reply({ warning: describe(error).message }));
    } catch (error) {
      reply({ stopped: describe(error) });
      port.close();
      return undefined;
    }
  }

  const handler = opened();
  if (!handler) return;

  async function answer({ number, method, params }: Request<Calls>): Promise<void> {
    let result: unknown;
    try {
      result = await handler?.call(method, params);
      reply({ number, result });
    } catch (error) {
      reply({ number, failure: describe(error) });
    }
    if (method === "close" || (method === "closeIfIdle" && result === true)) port.close();
  }

  const waiting: Request<Calls>[] = [];

  function answerNext(): void {
    const next = waiting.findIndex(({ method }) => first.includes(method));
    const [request] = waiting.splice(Math.max(0, next), 1);
    if (request) void answer(request);
    if (waiting.length > 0) setImmediate(answerNext);
  }

  port.on("message", (request: Request<Calls>) => {
    waiting.push(request);
    for (;;) {
      const more: { message: Request<Calls> } | undefined = receiveMessageOnPort(port);
      if (!more) break;
      waiting.push(more.message);
    }
    answerNext();
  });
}

function describe(error: unknown): WorkerFailure {
  if (error instanceof MetahumanError) return { code: error.code, message: error.message };
  return {
    code: "UNEXPECTED_ERROR",
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
  };
}
