import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "../errors/storage-errors.ts";
import { UnexpectedError } from "../errors/run-errors.ts";
import { capitalize } from "../text/format.ts";
import type { ConnectionEvents, WorkerFailure, WorkerConnection, WorkerReply } from "./worker-thread.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";

/** The calls of a worker by name. Every call must be idempotent, because it may be repeated. */
export type WorkerCalls<Calls> = Record<keyof Calls, { params: unknown; result: unknown }>;

/** Calls a service on a worker thread. Opens it at the first call and again after it stopped. */
export interface WorkerClient<Calls extends WorkerCalls<Calls>> {
  /** Rejects with the worker's typed errors, or `IndexUnavailableError` if it stops twice during one call. */
  call<Method extends keyof Calls>(
    method: Method,
    params: Calls[Method]["params"],
  ): Promise<Calls[Method]["result"]>;
  /** Sends `close` and waits for it. */
  close(): Promise<void>;
}

/** Asks an idle worker to close. Returns whether it closed; one that reopens slowly stays open. */
export interface CloseIfIdleCall {
  closeIfIdle: { params: null; result: boolean };
}

export interface WorkerClientOptions {
  /** The name for messages: "the memory index". */
  title: string;
  onWarning: (message: string, cause?: unknown) => void;
  /** Called after a restart. Pending work of the stopped worker is lost. */
  onRestart: () => void;
  connect: (events: ConnectionEvents) => WorkerConnection;
  /** The time without a call after which it closes, in milliseconds; the next call reopens it. Never closes by default. */
  idleTimeoutMs?: number;
}

/** The limit of restarts within `STOP_WINDOW_MS`. */
const MAX_STOPS = 5;
const STOP_WINDOW_MS = 60_000;

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface Running {
  connection: WorkerConnection;
  pendingCalls: Map<number, PendingCall>;
}

export function createWorkerClient<Calls extends WorkerCalls<Calls> & CloseIfIdleCall>({
  title,
  onWarning,
  onRestart,
  connect,
  idleTimeoutMs = Infinity,
}: WorkerClientOptions): WorkerClient<Calls> {
  const subject = capitalize(title);
  let running: Running | undefined;
  let closing: Promise<void> | undefined;
  let next = 0;
  let stopTimes: number[] = [];
  /** Whether it stopped since the last start, so that the next one is a restart. */
  let hasStopped = false;
  let idle: NodeJS.Timeout | undefined;
  /** Set while an idle close is pending; calls wait for it. */
  let idleClose: Promise<void> | undefined;

  const isClosing = (): boolean => closing !== undefined;

  function start(): Running {
    stopTimes = stopTimes.filter((moment) => performance.now() - moment < STOP_WINDOW_MS);
    if (stopTimes.length >= MAX_STOPS)
      throw new IndexUnavailableError(`${subject} stopped repeatedly; it restarts after a minute.`);
    const pendingCalls = new Map<number, PendingCall>();

    function onEnd(failure: unknown): void {
      if (running === started) running = undefined;
      for (const pendingCall of pendingCalls.values())
        pendingCall.reject(new IndexUnavailableError(`${subject} stopped.`, { cause: failure }));
      if (isClosing()) return;
      stopTimes.push(performance.now());
      hasStopped = true;
      onWarning(`${subject} stopped and restarts.`, failure);
    }

    function onReply(reply: WorkerReply): void {
      if ("warning" in reply) {
        onWarning(reply.warning);
        return;
      }
      if ("stopped" in reply) {
        connection.close();
        onEnd(toError(reply.stopped, title));
        return;
      }
      const pendingCall = pendingCalls.get(reply.number);
      pendingCalls.delete(reply.number);
      if ("failure" in reply) pendingCall?.reject(toError(reply.failure, title));
      else pendingCall?.resolve(reply.result);
      if (pendingCalls.size > 0) return;
      // An idle index does not keep the process alive.
      connection.keepAlive(false);
      scheduleIdleClose();
    }

    const connection = connect({ onMessage: onReply, onEnd });
    const started: Running = { connection, pendingCalls };
    const isRestart = hasStopped;
    hasStopped = false;
    running = started;
    if (isRestart) onRestart();
    return started;
  }

  function scheduleIdleClose(): void {
    clearTimeout(idle);
    if (idleTimeoutMs === Infinity || isClosing()) return;
    idle = setTimeout(() => {
      idleClose = closeIdle().finally(() => {
        idleClose = undefined;
      });
    }, idleTimeoutMs).unref();
  }

  /** Never rejects: a worker that stopped meanwhile counts as closed. */
  async function closeIdle(): Promise<void> {
    const idleWorker = running;
    if (!idleWorker || idleWorker.pendingCalls.size > 0) return;
    const isClosed = await send<boolean>("closeIfIdle", null).catch(() => false);
    clearTimeout(idle);
    if (!isClosed || running !== idleWorker) return;
    running = undefined;
    idleWorker.connection.close();
  }

  function send<Result>(method: PropertyKey, params: unknown): Promise<Result> {
    const { connection, pendingCalls } = running ?? start();
    const number = (next += 1);
    return new Promise<Result>((resolve, reject) => {
      pendingCalls.set(number, { resolve, reject });
      connection.keepAlive(true);
      connection.send({ number, method, params });
    });
  }

  return {
    async call(method, params) {
      await idleClose;
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
        await idleClose;
        if (!running) return;
        const { connection } = running;
        // A worker that stops meanwhile counts as closed.
        await send("close", null).catch(() => undefined);
        connection.close();
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
      return new UnexpectedError(`${capitalize(title)} failed.`, { cause: message });
  }
}

/** An index stopped and could not be restarted. Files can still be read and written. */
export class IndexUnavailableError extends MetahumanError {
  override readonly name = "IndexUnavailableError";
  readonly code = "UNEXPECTED_ERROR";
}
