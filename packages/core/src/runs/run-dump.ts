import { join } from "node:path";
import type { OperatorConfig, RuntimeConfig } from "../contract/config.ts";
import type { Run } from "../contract/run.ts";
import { redact } from "../log/redact.ts";
import { replaceFile } from "../memory/store/durable-file.ts";
import type { RunRequest } from "./run-store.ts";

/** Everything there is to say about a run: what it was asked with, what it did, what models were asked and replied. */
export interface RunDump {
  run: Run;
  request: RunRequest;
  config: OperatorConfig;
  flags: RuntimeConfig["operator"];
}

/** Writes `<folder>/<run id>.json`, secrets taken out; a run that went on replaces what was written when it rested. */
export async function writeRunDump(folder: string, dump: RunDump): Promise<void> {
  const text = `${JSON.stringify(redact(dump), null, 2)}\n`;
  await replaceFile(join(folder, `${dump.run.id}.json`), text, "the dump of a run");
}
