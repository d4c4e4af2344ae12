import { workerData } from "node:worker_threads";
import { serveCalls } from "../../workers/serve-calls.ts";
import { openIndex } from "./open-index.ts";
import { IndexSettings } from "./protocol.ts";
import type { IndexCalls } from "./protocol.ts";

/** The thread that owns `memory.db`: whatever it does keeps no request waiting. */
serveCalls<IndexCalls>((onFailure) => openIndex(IndexSettings.parse(workerData), onFailure));
