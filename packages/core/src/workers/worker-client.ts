import type { Worker } from "node:worker_threads";
import { InvalidArgsError } from "../errors/invalid-args-error.ts";
import { PermissionDeniedError } from "../errors/permission-denied-error.ts";
import { StorageCorruptError } from "../errors/storage-corrupt-error.ts";
import { StorageFullError } from "../errors/storage-full-error.ts";
import { StorageReadOnlyError } from "../errors/storage-read-only-error.ts";
import { UnexpectedError } from "../errors/unexpected-error.ts";
import { sentenceCase } from "../database/storage-error.ts";
import { IndexUnavailableError } from "./index-unavailable-error.ts";

/** What can be asked of a worker, by name. All of it may be asked twice without harm. */
export type WorkerCalls<Calls> = Record<keyof Calls, { params: unknown; result: unknown }>;

export type WorkerReply =
  | { number: number; result: unknown }
  | { number: number; failure: { code: string; message: string } }
  | { warning: string };

/** Asks a worker thread; starts it at the first call, and again when it stopped. */
export interface WorkerClient<Calls extends WorkerCalls<Calls>> {
  /** Rejects with the worker's typed errors, or `IndexUnavailableError` when it stopped twice over one call. */
  call<Method extends keyof Calls>(
    method: Method,
    params: Calls[Method]["params"],
  ): Promise<Calls[Method]["result"]>;
  /** Asks the worker to `close`, and waits until it is gone. */
  close(): Promise<void>;
}

export interface WorkerClientOptions {
  /** What people call it: "the memory index". */
  title: string;
  onWarning: (message: string, cause?: unknown) => void;
  /** Called when a worker took the place of one that stopped: what it was told and did not do is lost. */
  onRestart: () => void;
  start: () => Worker;
}

/** A worker that keeps stopping is left alone for a while. */
const MOST_STOPS = 5;
const STOPS_WITHIN_MS = 60_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Running {
  worker: Worker;
  waiting: Map<number, Waiting>;
}

export function createWorkerClient<Calls extends WorkerCalls<Calls>>({
  title,
  onWarning,
  onRestart,
  start,
}: WorkerClientOptions): WorkerClient<Calls> {
  const subject = sentenceCase(title);
  let running: Running | undefined;
  let closing: Promise<void> | undefined;
  let next = 0;
  let stops: number[] = [];

  const isClosing = (): boolean => closing !== undefined;

  function launch(): Running {
    stops = stops.filter((moment) => performance.now() - moment < STOPS_WITHIN_MS);
    if (stops.length >= MOST_STOPS)
      throw new IndexUnavailableError(`${subject} keeps stopping; it is tried again in a minute.`);
    const launched: Running = { worker: start(), waiting: new Map() };
    const { worker, waiting } = launched;
    let failure: unknown;
    worker.on("message", (reply: WorkerReply) => {
      if ("warning" in reply) {
        onWarning(reply.warning);
        return;
      }
      const waiter = waiting.get(reply.number);
      waiting.delete(reply.number);
      if ("failure" in reply) waiter?.reject(toError(reply.failure, title));
      else waiter?.resolve(reply.result);
      if (waiting.size === 0) worker.unref();
    });
    worker.on("error", (error: unknown) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (running === launched) running = undefined;
      for (const waiter of waiting.values())
        waiter.reject(new IndexUnavailableError(`${subject} stopped.`, { cause: failure }));
      if (isClosing()) return;
      stops.push(performance.now());
      onWarning(`${subject} stopped and is started again.`, failure);
    });
    // An idle index keeps no process alive.
    worker.unref();
    const isRestart = stops.length > 0;
    running = launched;
    if (isRestart) onRestart();
    return launched;
  }

  function send<Result>(method: PropertyKey, params: unknown): Promise<Result> {
    const { worker, waiting } = running ?? launch();
    const number = (next += 1);
    return new Promise<Result>((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      worker.ref();
      worker.postMessage({ number, method, params });
    });
  }

  return {
    async call(method, params) {
      if (isClosing()) throw new IndexUnavailableError(`${subject} is closed.`);
      try {
        return await send(method, params);
      } catch (error) {
        if (!(error instanceof IndexUnavailableError) || isClosing()) throw error;
        return await send(method, params);
      }
    },
    close() {
      closing ??= (async () => {
        if (!running) return;
        const { worker } = running;
        const exited = new Promise((resolve) => worker.once("exit", resolve));
        // A worker that stops meanwhile is closed as well.
        await send("close", null).catch(() => undefined);
        worker.ref();
        await exited;
      })();
      return closing;
    },
  };
}

function toError({ code, message }: { code: string; message: string }, title: string): Error {
  switch (code) {
    case "INVALID_ARGS":
      return new InvalidArgsError(message);
    case "PERMISSION_DENIED":
      return new PermissionDeniedError(message);
    case "STORAGE_CORRUPT":
      return new StorageCorruptError(message);
    case "STORAGE_FULL":
      return new StorageFullError(message);
    case "STORAGE_READ_ONLY":
      return new StorageReadOnlyError(message);
    default:
      return new UnexpectedError(`${sentenceCase(title)} failed.`, { cause: message });
  }
}
