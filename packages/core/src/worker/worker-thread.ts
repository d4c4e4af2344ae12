import { MessageChannel } from "node:worker_threads";
import type { MessagePort, Worker } from "node:worker_threads";

export interface WorkerFailure {
  code: string;
  message: string;
}

/** What comes back over a line. */
export type WorkerReply =
  | { number: number; result: unknown }
  | { number: number; failure: WorkerFailure }
  | { warning: string }
  /** Nothing can be answered, and nothing will be. */
  | { stopped: WorkerFailure };

/** One way to something on a worker thread; others may lead to the same thread. */
export interface WorkerLine {
  send(message: object): void;
  /** While held, it keeps this process alive. */
  hold(held: boolean): void;
  /** Hangs up. */
  close(): void;
}

export interface LineEvents {
  onMessage(reply: WorkerReply): void;
  /** The thread stopped, with whatever stopped it. Not called for a line that was closed. */
  onEnd(failure: unknown): void;
}

/** A worker thread that several share: started by the first line, ended soon after the last. */
export interface WorkerThread<Opening> {
  /** Has `opening` opened on the thread; a thread that stopped is started again. */
  connect(opening: Opening, events: LineEvents): WorkerLine;
}

/** What the thread is sent: first of all what to open for each line, at last that nothing more comes. */
export type ThreadMessage<Opening> = { opening: Opening; port: MessagePort } | "end";

/** Whoever comes back within this time finds the thread still there. */
const LINGER_MS = 1_000;

interface Running {
  worker: Worker;
  /** How each open line is told that the thread stopped. */
  lines: Set<LineEvents["onEnd"]>;
  /** How many lines are held. */
  held: number;
  ending?: NodeJS.Timeout;
}

export function createWorkerThread<Opening>(start: () => Worker): WorkerThread<Opening> {
  let running: Running | undefined;

  function launch(): Running {
    const launched: Running = { worker: start(), lines: new Set(), held: 0 };
    const { worker, lines } = launched;
    let failure: unknown;
    worker.on("error", (error: unknown) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (running === launched) running = undefined;
      const ended = [...lines];
      lines.clear();
      for (const onEnd of ended) onEnd(failure);
    });
    worker.unref();
    running = launched;
    return launched;
  }

  function end(thread: Running): void {
    if (running === thread) running = undefined;
    thread.worker.postMessage("end" satisfies ThreadMessage<Opening>);
  }

  return {
    connect(opening, { onMessage, onEnd }) {
      const thread = running ?? launch();
      clearTimeout(thread.ending);
      const { worker, lines } = thread;
      const { port1: port, port2: theirs } = new MessageChannel();
      let isHeld = false;
      lines.add(onEnd);
      const message: ThreadMessage<Opening> = { opening, port: theirs };
      worker.postMessage(message, [theirs]);
      port.on("message", onMessage);
      // What keeps the process alive is the thread, while a line is held.
      port.unref();

      function hold(held: boolean): void {
        if (held === isHeld) return;
        isHeld = held;
        thread.held += held ? 1 : -1;
        if (thread.held > 0) worker.ref();
        else worker.unref();
      }

      return {
        send: (message) => port.postMessage(message),
        hold,
        close() {
          port.close();
          hold(false);
          if (lines.delete(onEnd) && lines.size === 0)
            thread.ending = setTimeout(end, LINGER_MS, thread).unref();
        },
      };
    },
  };
}
