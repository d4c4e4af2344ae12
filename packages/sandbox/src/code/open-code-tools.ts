import { createHash } from "node:crypto";
import {
  FunctionError,
  SandboxCrashedError,
  SandboxTimeoutError,
} from "@metahuman/core/errors/sandbox-errors";
import { type LimitedProcess, startLimitedProcess } from "../process/limited-process.ts";
import type { CodeProblem } from "@metahuman/core/contract/code-inspection";
import type { CodeTools, CompiledModule, OnCheck, OpenedCodeTools } from "./code-tools.ts";
import { formatProblems } from "./places.ts";
import { CodeReply, type CodeWork } from "./protocol.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

export interface CodeToolsOptions {
  /** The time limit for one piece of code, in milliseconds. */
  limitMs?: number;
  /** The idle time after which the process ends, in milliseconds. */
  idleMs?: number;
}

type Answer = Exclude<CodeReply, { kind: "ready" | "found" }>;
interface Waiting {
  onFound: OnCheck | undefined;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const WORKER = new URL("./code.worker.ts", import.meta.url);
/** The maximum number of cached compiled modules. To compile one takes 11 ms (2026-11-27). */
const MAX_CACHED = 200;

/** The tools of this process. Their process ends when idle, or with this one. */
export const codeTools: CodeTools = openCodeTools();

/** Creates tools; their process starts on first use. */
export function openCodeTools({ limitMs = 30_000, idleMs = 60_000 }: CodeToolsOptions = {}): OpenedCodeTools {
  let child: LimitedProcess | undefined;
  let waiting: (Waiting & { number: number }) | undefined;
  const queue = createSerialQueue();
  let count = 0;
  let isClosed = false;
  let idleTimer: NodeJS.Timeout | undefined;

  function launchedChild(): LimitedProcess {
    if (child) return child;
    const started = startLimitedProcess({ worker: WORKER, onMessage: receive });
    child = started;
    void started.ended.then(() => {
      if (child !== started) return;
      child = undefined;
      waiting?.reject(new SandboxCrashedError("The process that checks code ended early."));
    });
    return started;
  }

  function receive(received: unknown): void {
    const reply = CodeReply.safeParse(received);
    if (!reply.success) end();
    else if (reply.data.kind === "ready" || reply.data.number !== waiting?.number) return;
    else if (reply.data.kind === "found") waiting.onFound?.(reply.data.part, reply.data.problems);
    else waiting.resolve(reply.data);
  }

  function end(): void {
    const ending = child;
    child = undefined;
    ending?.kill();
    waiting?.reject(new SandboxCrashedError("The process that checks code was ended."));
  }

  /** Sequential, because the process has one thread for this work. */
  function ask(request: CodeWork, signal: AbortSignal | undefined, onFound?: OnCheck): Promise<Answer> {
    return queue(() => askNow(request, signal, onFound));
  }

  async function askNow(
    request: CodeWork,
    signal: AbortSignal | undefined,
    onFound: OnCheck | undefined,
  ): Promise<Answer> {
    signal?.throwIfAborted();
    if (isClosed) throw new SandboxCrashedError("The sandbox is closed.");
    clearTimeout(idleTimer);
    const number = (count += 1);
    const process = launchedChild();
    process.keepAlive(true);
    const pendingAnswer = Promise.withResolvers<Answer>();
    waiting = { number, onFound, ...pendingAnswer };
    const timer = setTimeout(() => {
      pendingAnswer.reject(
        new SandboxTimeoutError(`The code could not be checked within ${limitMs / 1_000} s.`, {
          suggestions: ["Simplify its types, or split it."],
        }),
      );
      end();
    }, limitMs);
    const cancel = (): void => {
      pendingAnswer.reject(signal?.reason);
      end();
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      process.send({ ...request, number });
      return await pendingAnswer.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      waiting = undefined;
      process.keepAlive(false);
      idleTimer = setTimeout(end, idleMs);
      idleTimer.unref();
    }
  }

  const compiled = createCompileCache(ask);

  return {
    compile: ({ source, tests }, signal) =>
      compiled({ kind: "compile", sources: { source, ...(tests !== undefined && { tests }) } }, signal),
    compileSnippet: (code, signal) => compiled({ kind: "snippet", code }, signal),
    async inspect(sources, signal, onFound) {
      const answer = await ask({ kind: "inspect", sources }, signal, onFound);
      if (answer.kind !== "inspected")
        throw new SandboxCrashedError("The process that checks code did not answer.");
      return answer.report;
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      const ending = child;
      ending?.keepAlive(true);
      end();
      await ending?.ended;
    },
  };
}

/** Compiles through `ask` and keeps the newest results by content. */
function createCompileCache(
  ask: (request: CodeWork, signal: AbortSignal | undefined) => Promise<Answer>,
): (request: CodeWork, signal: AbortSignal | undefined) => Promise<CompiledModule> {
  const compiledModules = new Map<string, CompiledModule>();
  return async (request, signal) => {
    const key = createHash("sha256").update(JSON.stringify(request)).digest("base64");
    const known = compiledModules.get(key);
    if (known) return known;
    const answer = await ask(request, signal);
    if (answer.kind !== "compiled")
      throw new SandboxCrashedError("The process that checks code did not answer.");
    if (answer.problems.length > 0) throw syntaxError(answer.problems);
    const { module, places, skills, hidesSkills, tests } = answer;
    const result = { module, places, skills, hidesSkills, ...(tests && { tests }) };
    compiledModules.set(key, result);
    for (const oldest of compiledModules.keys()) {
      if (compiledModules.size <= MAX_CACHED) break;
      compiledModules.delete(oldest);
    }
    return result;
  };
}

function syntaxError(problems: readonly CodeProblem[]): FunctionError {
  return new FunctionError(`The code does not parse. ${formatProblems(problems.slice(0, 10))}`, {
    suggestions: ["Correct what does not parse."],
    context: { problems: problems.slice(0, 20) },
  });
}
