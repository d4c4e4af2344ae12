import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";

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

interface Running {
  worker: Worker;
  /** The `onEnd` callback of each open connection. */
  connections: Set<ConnectionEvents["onEnd"]>;
  /** The number of connections that keep the process alive. */
  keepAliveCount: number;
  ending?: NodeJS.Timeout;
}

export function createWorkerThread<Opening>(start: () => Worker): WorkerThread<Opening> {
  let running: Running | undefined;

  function startThread(): Running {
    const started: Running = { worker: start(), connections: new Set(), keepAliveCount: 0 };
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

  function end(thread: Running): void {
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
