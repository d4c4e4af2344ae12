import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { UnexpectedError } from "../errors/run-errors.ts";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "../errors/storage-errors.ts";
import { capitalize } from "../text/format.ts";

export interface WorkerFailure {
  code: string;
  message: string;
}

/** A message from the worker. */
export type WorkerReply =
  | { number: number; result: unknown }
  | { number: number; failure: WorkerFailure }
  | { warning: string }
  /** The service could not open and answers no calls. */
  | { stopped: WorkerFailure };

/** A connection to one service on a worker thread that several services share. */
export interface WorkerConnection {
  send(message: object): void;
  /** Whether the connection keeps this process alive. */
  keepAlive(isNeeded: boolean): void;
  /** Closes the connection. */
  close(): void;
}

export interface ConnectionEvents {
  onMessage(reply: WorkerReply): void;
  /** Called with the error when the thread stops. Not called for a closed connection. */
  onEnd(failure: unknown): void;
}

/** A shared worker thread: starts with the first connection and ends shortly after the last. */
export interface WorkerThread<Opening> {
  /** Opens a service on the thread. Restarts a stopped thread. */
  connect(opening: Opening, events: ConnectionEvents): WorkerConnection;
}

/** A message to the thread: a service to open, or the end. */
export type ThreadMessage<Opening> = { opening: Opening; port: MessagePort } | "end";

/** How long the thread stays after its last connection, in milliseconds. */
const END_THREAD_AFTER_MS = 1_000;

interface RunningThread {
  worker: Worker;
  /** The `onEnd` callback of each open connection. */
  connections: Set<ConnectionEvents["onEnd"]>;
  /** The number of connections that keep the process alive. */
  keepAliveCount: number;
  ending?: NodeJS.Timeout;
}

export function createWorkerThread<Opening>(start: () => Worker): WorkerThread<Opening> {
  let running: RunningThread | undefined;

  function startThread(): RunningThread {
    const started: RunningThread = { worker: start(), connections: new Set(), keepAliveCount: 0 };
    const { worker, connections } = started;
    let failure: unknown;
    worker.on("error", (error: unknown) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (running === started) running = undefined;
      const ended = [...connections];
      connections.clear();
      for (const onEnd of ended) onEnd(failure);
    });
    worker.unref();
    running = started;
    return started;
  }

  function end(thread: RunningThread): void {
    if (running === thread) running = undefined;
    thread.worker.postMessage("end" satisfies ThreadMessage<Opening>);
  }

  return {
    connect(opening, { onMessage, onEnd }) {
      const thread = running ?? startThread();
      clearTimeout(thread.ending);
      const { worker, connections } = thread;
      const { port1: port, port2: remotePort } = new MessageChannel();
      let keepsAlive = false;
      connections.add(onEnd);
      const message: ThreadMessage<Opening> = { opening, port: remotePort };
      worker.postMessage(message, [remotePort]);
      port.on("message", onMessage);
      // Only the thread keeps the process alive, while a connection asks for it.
      port.unref();

      function keepAlive(isNeeded: boolean): void {
        if (isNeeded === keepsAlive) return;
        keepsAlive = isNeeded;
        thread.keepAliveCount += isNeeded ? 1 : -1;
        if (thread.keepAliveCount > 0) worker.ref();
        else worker.unref();
      }

      return {
        send: (message) => port.postMessage(message),
        keepAlive,
        close() {
          port.close();
          keepAlive(false);
          if (connections.delete(onEnd) && connections.size === 0)
            thread.ending = setTimeout(end, END_THREAD_AFTER_MS, thread).unref();
        },
      };
    },
  };
}

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

interface RunningService {
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
  let running: RunningService | undefined;
  let closing: Promise<void> | undefined;
  let next = 0;
  const stops = createStopLimit();
  /** Whether it stopped since the last start, so that the next one is a restart. */
  let hasStopped = false;
  let idle: NodeJS.Timeout | undefined;
  /** Set while an idle close is pending; calls wait for it. */
  let idleClose: Promise<void> | undefined;

  const isClosing = (): boolean => closing !== undefined;

  function start(): RunningService {
    if (stops.isExceeded())
      throw new IndexUnavailableError(`${subject} stopped repeatedly; it restarts after a minute.`);
    const pendingCalls = new Map<number, PendingCall>();

    function onEnd(failure: unknown): void {
      if (running === started) running = undefined;
      for (const pendingCall of pendingCalls.values())
        pendingCall.reject(new IndexUnavailableError(`${subject} stopped.`, { cause: failure }));
      if (isClosing()) return;
      stops.add();
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
    const started: RunningService = { connection, pendingCalls };
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

/** Counts the stops of a worker within `STOP_WINDOW_MS`. */
function createStopLimit(): { add(): void; isExceeded(): boolean } {
  let times: number[] = [];
  return {
    add: () => void times.push(performance.now()),
    isExceeded() {
      times = times.filter((moment) => performance.now() - moment < STOP_WINDOW_MS);
      return times.length >= MAX_STOPS;
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
