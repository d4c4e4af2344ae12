import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PGlite, type Results, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { toPostgresError } from "../postgres-error.ts";
import type { Driver } from "../pg-driver.ts";

/** A start that clears 32 instead of 128 MB of memory takes half of the time. */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/** Where the files of a new cluster are kept, for each version of PGlite: making them takes as long as five starts. */
const kept = join(
  import.meta.dirname,
  "../../../../node_modules/.cache/pglite",
  `${createHash("sha256")
    .update(realpathSync(fileURLToPath(import.meta.resolve("@electric-sql/pglite"))))
    .digest("hex")
    .slice(0, 16)}.tar`,
);

let emptyCluster: Promise<Blob> | undefined;

/** The files of a new cluster: copying them takes a quarter of the time of `initdb`. */
async function loadCluster(): Promise<Blob> {
  if (!existsSync(kept)) {
    const database = await PGlite.create({ startParams });
    const files = await database.dumpDataDir("none");
    await database.close();
    await mkdir(dirname(kept), { recursive: true });
    // The other worker may read it meanwhile.
    const written = `${kept}.${String(process.pid)}`;
    await writeFile(written, Buffer.from(await files.arrayBuffer()));
    await rename(written, kept);
  }
  return new Blob([await readFile(kept)]);
}

/**
 * PostgreSQL in this process, in memory. It has one connection, so work waits for earlier work. `vectors` says whether
 * the extension pgvector is created, or could be.
 */
export async function openPGlite({
  vectors = "none",
}: { vectors?: "none" | "available" | "created" } = {}): Promise<Driver> {
  const database = await PGlite.create({
    extensions: vectors === "none" ? {} : { vector },
    loadDataDir: await (emptyCluster ??= loadCluster()),
    startParams,
    // As the driver of a server returns them. PGlite would return numbers, and hide a missing conversion.
    parsers: { [types.INT8]: (text) => text },
  });
  if (vectors === "created") await database.exec("CREATE EXTENSION vector");
  let last: Promise<unknown> = Promise.resolve();
  return {
    withConnection(work) {
      const run = async () => {
        try {
          return await work({
            async query(text, values) {
              const result =
                values === undefined
                  ? lastAnswer(await database.exec(text))
                  : await database.query(text, values.slice());
              return { rows: result?.rows ?? [], changes: result?.affectedRows ?? 0 };
            },
          });
        } catch (error) {
          throw toPostgresError(error);
        }
      };
      const result = last.then(run, run);
      last = result;
      return result;
    },
    close: () => database.close(),
  };
}

/** That of the last statement with rows. */
function lastAnswer(answers: readonly Results[]): Results | undefined {
  return answers.findLast(({ rows }) => rows.length > 0) ?? answers.at(-1);
}
