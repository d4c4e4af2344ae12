import { setFlagsFromString } from "node:v8";
import { parentPort } from "node:worker_threads";
import type { FromEngine, Program, ToEngine } from "../protocol.ts";
import { DEFAULT_LIMITS } from "../sandbox.ts";
import { type ReadyEngine, readyEngine } from "./ready-engine.ts";
import { runProgram } from "./run-program.ts";
import type { SkillCalls } from "./skill-calls.ts";

// Most programs end before an optimized compilation of the engine would be ready, so only long ones trigger it.
setFlagsFromString("--wasm-tiering-budget=100000000");

/** The thread that executes programs, one after another, each in a new engine. */
const post = (message: FromEngine): void => parentPort?.postMessage(message);
let calls: SkillCalls | undefined;
/** Created while idle, so that a run does not wait for it. */
let next: ReadyEngine | undefined = await readyEngine(DEFAULT_LIMITS);

async function run(program: Program): Promise<void> {
  const { memoryBytes, stackBytes } = program.limits;
  const isUsual = memoryBytes === DEFAULT_LIMITS.memoryBytes && stackBytes === DEFAULT_LIMITS.stackBytes;
  const engine = (isUsual && next) || (await readyEngine(program.limits));
  if (engine === next) next = undefined;
  post(
    await runProgram(program, engine, post, (opened) => {
      calls = opened;
    }),
  );
  // Late answers belong to the closed engine.
  calls = undefined;
  engine.close();
  next ??= await readyEngine(DEFAULT_LIMITS);
}

parentPort?.on("message", (message: ToEngine) => {
  switch (message.kind) {
    case "run":
      void run(message.program);
      break;
    case "answer":
      calls?.answer(message.call, message.value);
      break;
    case "refusal":
      calls?.refuse(message.call, message.error);
      break;
    default:
      message satisfies never;
  }
});

post({ kind: "ready" });
