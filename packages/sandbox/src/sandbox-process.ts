import { parseJson } from "@metahuman/core/contract/parse-json";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { z } from "zod";
import { type LimitedProcess, startLimitedProcess } from "./process/limited-process.ts";
import { type FailureKind, FromEngine, type Program, Thrown, type ToEngine } from "./protocol.ts";
import { type FunctionRun, DEFAULT_LIMITS } from "./sandbox.ts";
import { toError } from "./to-error.ts";

/** A process that executes programs, one at a time. */
export interface SandboxProcess {
  readonly pid: number | undefined;
  /** Resolves when it can accept a program; rejects with `SandboxCrashedError` if it ends before. */
  readonly ready: Promise<void>;
  /** Rejects with the run's typed error, or with the reason of `signal`. */
  run(program: Program, run: SandboxRunDependencies): Promise<Done>;
  /** If true, this process does not exit while the sandbox process runs; true while it is in use. */
  keepAlive(keepsAlive: boolean): void;
  /** False as soon as it must not be used again. */
  isFit(): boolean;
  kill(): Promise<void>;
}

/** The host side of a run. */
export type SandboxRunDependencies = Pick<FunctionRun, "callSkill" | "signal" | "places">;

export interface Done {
  result: unknown;
  assertions: number;
  afterMain: number;
  logs: string[];
  hostCalls: number;
  durationMs: number;
}

const WORKER = new URL("./engine/engine.worker.ts", import.meta.url);
/**
 * How much later than the deadline the process is killed, in milliseconds. The engine itself stops at the deadline
 * unless it is inside one long step.
 */
const GRACE_MS = 150;

interface Running {
  onMessage(message: FromEngine): void;
  onEnd(): void;
}

const Args = z.record(z.string(), z.unknown());

/** Starts a process; usable when `ready` resolves. */
export function startSandboxProcess(): SandboxProcess {
  let fit = true;
  let running: Running | undefined;
  let becameReady: () => void = () => undefined;
  let neverReady: (error: MetahumanError) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    becameReady = resolve;
    neverReady = reject;
  });
  // Callers get the rejection, but there may be none.
  ready.catch(() => undefined);

  const child: LimitedProcess = startLimitedProcess({
    worker: WORKER,
    onMessage(received) {
      const message = FromEngine.safeParse(received);
      if (!message.success) child.kill();
      else if (message.data.kind === "ready") becameReady();
      else running?.onMessage(message.data);
    },
  });
  void child.ended.then(() => {
    fit = false;
    neverReady(toError("crashed", DEFAULT_LIMITS));
    running?.onEnd();
  });

  function run(program: Program, { callSkill, signal, places }: SandboxRunDependencies): Promise<Done> {
    const began = performance.now();
    const { limits } = program;
    const calling = new AbortController();
    let hostCalls = 0;
    const send = (message: ToEngine) => child.send(message);

    return new Promise<Done>((resolve, reject) => {
      const timer = setTimeout(() => fail(toError("timeout", limits)), limits.wallMs + GRACE_MS);
      const cancel = () => fail(signal?.reason);
      signal?.addEventListener("abort", cancel, { once: true });
      running = {
        onMessage(message) {
          if (message.kind === "call") void answer(message);
          else if (message.kind === "failed") fail(toSandboxError(message));
          else if (message.kind === "done") finish(message);
        },
        onEnd: () => fail(toError("crashed", limits)),
      };
      send({ kind: "run", program });

      function endRun(): void {
        running = undefined;
        clearTimeout(timer);
        signal?.removeEventListener("abort", cancel);
        calling.abort();
      }

      function toSandboxError(message: Extract<FromEngine, { kind: "failed" }>): MetahumanError {
        const { failure, thrown } = failureOf(message);
        return toError(failure, limits, { thrown, logs: message.logs, places });
      }

      function finish({ result, assertions, afterMain, logs }: Extract<FromEngine, { kind: "done" }>): void {
        endRun();
        const durationMs = performance.now() - began;
        try {
          resolve({ result: parseUntrusted(result), assertions, afterMain, logs, hostCalls, durationMs });
        } catch (error) {
          const message = error instanceof Error ? error.message : "it is not JSON";
          reject(
            toError("function", limits, { thrown: { name: "TypeError", message: `the result: ${message}` } }),
          );
        }
      }

      function fail(error: unknown): void {
        endRun();
        // After an exceeded limit, neither the engine's memory nor its process is used again.
        if (!(error instanceof FunctionError)) {
          fit = false;
          child.kill();
        }
        reject(error);
      }

      async function answer({ call, skill, args }: Extract<FromEngine, { kind: "call" }>): Promise<void> {
        hostCalls += 1;
        if (hostCalls > limits.hostCalls) {
          fail(toError("calls", limits));
          return;
        }
        try {
          const outputs = await callSkill(skill, argsOf(skill, args), calling.signal);
          send({ kind: "answer", call, value: JSON.stringify(outputs) });
        } catch (error) {
          send({ kind: "refusal", call, error: JSON.stringify(toErrorDetail(error)) });
        }
      }
    });
  }

  return {
    pid: child.pid,
    ready,
    run,
    keepAlive: (isKept) => child.keepAlive(isKept),
    isFit: () => fit,
    kill() {
      fit = false;
      child.keepAlive(true);
      child.kill();
      return child.ended;
    },
  };
}

function argsOf(skill: string, text: string): Record<string, unknown> {
  try {
    return Args.parse(parseUntrusted(text));
  } catch (cause) {
    throw new InvalidArgsError(`${skill} takes one object of arguments.`, { cause });
  }
}

/**
 * Parses JSON that untrusted code wrote. Throws `SyntaxError` for invalid JSON, and for a key `__proto__`, which
 * could change the prototype of an object to which it is copied.
 */
function parseUntrusted(text: string): unknown {
  const value: unknown = JSON.parse(text, (key, inner: unknown) => {
    if (key === "__proto__") throw new SyntaxError("a key may not be called __proto__");
    return inner;
  });
  return value;
}

/** The messages of the engine for its own limits. It has no error codes, and these texts are fixed in its source. */
const ENGINE_LIMITS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ["out of memory", "memory"],
  ["string too long", "memory"],
  ["stack overflow", "stack"],
  ["interrupted", "timeout"],
]);

const Described = z
  .string()
  .transform((text, problems): unknown => {
    const value = parseJson(text);
    if (value === undefined) problems.addIssue("not JSON");
    return value;
  })
  .pipe(Thrown);

/**
 * Determines why a run failed: an exceeded limit, or an error of the code. An invalid description means a broken
 * process.
 */
function failureOf({ failure, thrown, memoryRefused }: Extract<FromEngine, { kind: "failed" }>): {
  failure: FailureKind;
  thrown?: Thrown;
} {
  if (failure !== "function" || thrown === undefined) return { failure };
  const { success, data: described } = Described.safeParse(thrown);
  if (!success) return { failure: "crashed" };
  const limit = described.name === "InternalError" ? ENGINE_LIMITS.get(described.message) : undefined;
  if (limit) return { failure: limit };
  return memoryRefused ? { failure: "memory" } : { failure, thrown: described };
}
