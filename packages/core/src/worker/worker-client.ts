import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "../errors/storage-errors.ts";
import { UnexpectedError } from "../errors/run-errors.ts";
import { sentenceCase } from "../database/storage-error.ts";
import type { LineEvents, WorkerFailure, WorkerLine, WorkerReply } from "./worker-thread.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";

/** What can be asked of a worker, by name. All of it may be asked twice without harm. */
export type WorkerCalls<Calls> = Record<keyof Calls, { params: unknown; result: unknown }>;

/** Asks something on a worker thread; has it opened at the first call, and again when it stopped. */
export interface WorkerClient<Calls extends WorkerCalls<Calls>> {
  /** Rejects with the worker's typed errors, or `IndexUnavailableError` when it stopped twice over one call. */
  call<Method extends keyof Calls>(
    method: Method,
    params: Calls[Method]["params"],
  ): Promise<Calls[Method]["result"]>;
  /** Asks it to `close`, and waits until it is. */
  close(): Promise<void>;
}

/** How a worker answers that is asked to rest: whether it closed itself. One that would open slowly stays. */
export interface RestCall {
  rest: { params: null; result: boolean };
}

export interface WorkerClientOptions {
  /** What people call it: "the memory index". */
  title: string;
  onWarning: (message: string, cause?: unknown) => void;
  /** Called when one took the place of one that stopped: what that was told and did not do is lost. */
  onRestart: () => void;
  connect: (events: LineEvents) => WorkerLine;
  /** It is asked to rest after so long without a call, in milliseconds; the next call opens it again. Never when left out. */
  restAfterMs?: number;
}

/** What keeps stopping is left alone for a while. */
const MOST_STOPS = 5;
const STOPS_WITHIN_MS = 60_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Running {
  line: WorkerLine;
  waiting: Map<number, Waiting>;
}

export function createWorkerClient<Calls extends WorkerCalls<Calls> & RestCall>({
  title,
  onWarning,
  onRestart,
  connect,
  restAfterMs = Infinity,
}: WorkerClientOptions): WorkerClient<Calls> {
  const subject = sentenceCase(title);
  let running: Running | undefined;
  let closing: Promise<void> | undefined;
  let next = 0;
  let stops: number[] = [];
  let idle: NodeJS.Timeout | undefined;
  /** While it is being asked to rest: what is called meanwhile waits for the answer. */
  let resting: Promise<void> | undefined;

  const isClosing = (): boolean => closing !== undefined;

  function launch(): Running {
    stops = stops.filter((moment) => performance.now() - moment < STOPS_WITHIN_MS);
    if (stops.length >= MOST_STOPS)
      throw new IndexUnavailableError(`${subject} keeps stopping; it is tried again in a minute.`);
    const waiting = new Map<number, Waiting>();

    function onEnd(failure: unknown): void {
      if (running === launched) running = undefined;
      for (const waiter of waiting.values())
        waiter.reject(new IndexUnavailableError(`${subject} stopped.`, { cause: failure }));
      if (isClosing()) return;
      stops.push(performance.now());
      onWarning(`${subject} stopped and is started again.`, failure);
    }

    function onReply(reply: WorkerReply): void {
      if ("warning" in reply) {
        onWarning(reply.warning);
        return;
      }
      if ("stopped" in reply) {
        line.close();
        onEnd(toError(reply.stopped, title));
        return;
      }
      const waiter = waiting.get(reply.number);
      waiting.delete(reply.number);
      if ("failure" in reply) waiter?.reject(toError(reply.failure, title));
      else waiter?.resolve(reply.result);
      if (waiting.size > 0) return;
      // An idle index keeps no process alive.
      line.hold(false);
      restLater();
    }

    const line = connect({ onMessage: onReply, onEnd });
    const launched: Running = { line, waiting };
    const isRestart = stops.length > 0;
    running = launched;
    if (isRestart) onRestart();
    return launched;
  }

  function restLater(): void {
    clearTimeout(idle);
    if (restAfterMs === Infinity || isClosing()) return;
    idle = setTimeout(() => {
      resting = rest().finally(() => {
        resting = undefined;
      });
    }, restAfterMs).unref();
  }

  /** Never rejects: what stopped meanwhile rests as well. */
  async function rest(): Promise<void> {
    const tired = running;
    if (!tired || tired.waiting.size > 0) return;
    const isAtRest = await send<boolean>("rest", null).catch(() => false);
    clearTimeout(idle);
    if (!isAtRest || running !== tired) return;
    running = undefined;
    tired.line.close();
  }

  function send<Result>(method: PropertyKey, params: unknown): Promise<Result> {
    const { line, waiting } = running ?? launch();
    const number = (next += 1);
    return new Promise<Result>((resolve, reject) => {
      waiting.set(number, { resolve, reject });
      line.hold(true);
      line.send({ number, method, params });
    });
  }

  return {
    async call(method, params) {
      await resting;
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
        clearTimeout(idle);
        await resting;
        if (!running) return;
        const { line } = running;
        // What stops meanwhile is closed as well.
        await send("close", null).catch(() => undefined);
        line.close();
      })();
      return closing;
    },
  };
}

function toError({ code, message }: WorkerFailure, title: string): Error {
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

/** An index stopped and could not be brought back; files can still be written and read. */
export class IndexUnavailableError extends MetahumanError {
  override readonly name = "IndexUnavailableError";
  readonly code = "UNEXPECTED_ERROR";
}
