import { parentPort } from "node:worker_threads";
import type { FromEngine, ToEngine } from "../protocol.ts";
import { runProgram } from "./run-program.ts";
import type { SkillCalls } from "./skill-calls.ts";

/** The thread that carries programs out, one after another, each in an engine of its own. */
let calls: SkillCalls | undefined;

const post = (message: FromEngine): void => parentPort?.postMessage(message);

parentPort?.on("message", (message: ToEngine) => {
  switch (message.kind) {
    case "run":
      void runProgram(message.program, post, (opened) => {
        calls = opened;
      }).then(post);
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
