import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { zipOf } from "@metahuman/core/transfer/testing/open-space";
import type { Client } from "./client.ts";
import { OWNER, startOwnedProcess } from "./server.ts";

/** The number of files in the imported archive. */
export const IMPORTED_FILES = 300;
const LOOK_AGAIN_MS = 1;

export interface KilledImport {
  /** The data root, which the caller removes with `dispose`. */
  home: string;
  owner: Client;
  zip: Blob;
  /** The number of files that were written. */
  written: number;
  dispose(): Promise<void>;
}

/** Starts a server, imports an archive, and kills the server after it has written the first files. */
export async function killImport(): Promise<KilledImport> {
  const { server, owner } = await startOwnedProcess();
  const { home } = server;
  const files = Array.from({ length: IMPORTED_FILES }, (_, index): [string, string] => [
    `out/${String(index)}.txt`,
    `number ${String(index)}`,
  ]);
  const archive = Uint8Array.from(await zipOf(Object.fromEntries(files)));
  const zip = new Blob([archive], { type: "application/zip" });
  const writtenFiles = async () =>
    (await readdir(join(home, "profiles", OWNER.username, "out"))).filter((name) => name.endsWith(".txt"))
      .length;
  const importing = owner.upload("/api/import", zip).catch(() => undefined);
  while ((await writtenFiles()) <= 20) await delay(LOOK_AGAIN_MS);
  await server.end("SIGKILL");
  await importing;
  return { home, owner, zip, written: await writtenFiles(), dispose: () => server.dispose() };
}
