import { join } from "node:path";
import type { OperatorConfig, RuntimeConfig } from "../contract/config.ts";
import type { Run } from "../contract/run.ts";
import { redact } from "../log/redact.ts";
import { replaceFile } from "../files/durable-file.ts";
import type { RunRequest } from "./run-store.ts";

/** A complete record of a run: its request, its events and its model calls. */
export interface RunDump {
  run: Run;
  request: RunRequest;
  config: OperatorConfig;
  flags: RuntimeConfig["operator"];
}

/** Writes `<folder>/<run id>.json` without secrets. A resumed run replaces its earlier file. */
export async function writeRunDump(folder: string, dump: RunDump): Promise<void> {
  const text = `${JSON.stringify(redact(dump), null, 2)}\n`;
  await replaceFile(join(folder, `${dump.run.id}.json`), text, "the dump of a run");
}
