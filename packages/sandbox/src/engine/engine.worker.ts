import { setFlagsFromString } from "node:v8";
import { parentPort } from "node:worker_threads";
import type { FromEngine, Program, ToEngine } from "../protocol.ts";
import { USUAL_LIMITS } from "../sandbox.ts";
import { type ReadyEngine, readyEngine } from "./ready-engine.ts";
import { runProgram } from "./run-program.ts";
import type { SkillCalls } from "./skill-calls.ts";

// Most programs are over before a better translation of the engine would be done: only long ones are worth making it.
setFlagsFromString("--wasm-tiering-budget=100000000");

/** The thread that carries programs out, one after another, each in an engine of its own. */
const post = (message: FromEngine): void => parentPort?.postMessage(message);
let calls: SkillCalls | undefined;
/** Made while nothing runs, so that a run need not wait for it. */
let next: ReadyEngine | undefined = await readyEngine(USUAL_LIMITS);

async function run(program: Program): Promise<void> {
  const { memoryBytes, stackBytes } = program.limits;
  const isUsual = memoryBytes === USUAL_LIMITS.memoryBytes && stackBytes === USUAL_LIMITS.stackBytes;
  const engine = (isUsual && next) || (await readyEngine(program.limits));
  if (engine === next) next = undefined;
  post(
    await runProgram(program, engine, post, (opened) => {
      calls = opened;
    }),
  );
  next ??= await readyEngine(USUAL_LIMITS);
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
