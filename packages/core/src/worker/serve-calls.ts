import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { MetahumanError } from "../errors/metahuman-error.ts";
import type { CloseIfIdleCall, WorkerCalls, WorkerFailure, WorkerReply } from "./worker-client.ts";

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

/** A call with its number. */
export type Request<Calls extends WorkerCalls<Calls>> = {
  [Method in keyof Calls]: { number: number; method: Method; params: Calls[Method]["params"] };
}[keyof Calls];

/** The dependencies of a service on the thread. */
export interface Service {
  /** Reports an error of background work. */
  onFailure: (error: unknown) => void;
  /** Answers the short calls that are waiting. Long calls await it between their steps, outside of transactions. */
  betweenSteps: () => Promise<void>;
}

export interface ServedCalls<Calls extends WorkerCalls<Calls>> {
  /** The methods that are answered before all others. Calls of the others are answered in the order of their arrival. */
  first?: readonly (keyof Calls)[];
  /** Whether a call of a method in `first` is short enough to be answered between the steps of a long call. */
  isShort?: (call: Request<Calls>) => boolean;
}

/**
 * Answers the calls of a `WorkerClient` in the worker thread until it closes. If `open` throws, it reports the error and
 * closes the port; other ports on the thread are not affected.
 */
export function serveCalls<Calls extends WorkerCalls<Calls> & CloseIfIdleCall>(
  port: MessagePort,
  open: (service: Service) => CallHandler<Calls>,
  { first = [], isShort = () => true }: ServedCalls<Calls> = {},
): void {
  const reply = (message: WorkerReply): void => port.postMessage(message);
  const waiting: Request<Calls>[] = [];
  let isScheduled = false;

  function openService(): CallHandler<Calls> | undefined {
    try {
      return open({ onFailure: (error) => reply({ warning: describe(error).message }), betweenSteps });
    } catch (error) {
      reply({ stopped: describe(error) });
      port.close();
      return undefined;
    }
  }

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

  function receiveAll(): void {
    for (;;) {
      const more: { message: Request<Calls> } | undefined = receiveMessageOnPort(port);
      if (!more) break;
      waiting.push(more.message);
    }
  }

  const nextOfFirst = (): number => waiting.findIndex(({ method }) => first.includes(method));

  function answerNext(): void {
    const [request] = waiting.splice(Math.max(0, nextOfFirst()), 1);
    if (request) void answer(request);
    schedule();
  }

  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      answerNext();
    });
  }

  async function betweenSteps(): Promise<void> {
    receiveAll();
    schedule();
    for (;;) {
      const next = nextOfFirst();
      const request = waiting[next];
      // No call overtakes another one.
      if (!request || !isShort(request)) return;
      waiting.splice(next, 1);
      await answer(request);
    }
  }

  const handler = openService();
  if (!handler) return;
  port.on("message", (request: Request<Calls>) => {
    waiting.push(request);
    receiveAll();
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
