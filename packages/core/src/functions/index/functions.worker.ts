import { workerData } from "node:worker_threads";
import { serveCalls } from "../../workers/serve-calls.ts";
import { openFunctionIndex } from "./open-function-index.ts";
import { FunctionIndexSettings } from "./protocol.ts";
import type { FunctionIndexCalls } from "./protocol.ts";

/** The thread that owns `functions.db`: whatever it does keeps no request waiting. */
serveCalls<FunctionIndexCalls>((onFailure) =>
  openFunctionIndex(FunctionIndexSettings.parse(workerData), onFailure),
);
