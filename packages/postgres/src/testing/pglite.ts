import { PGlite, type Results, types } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { toPostgresError } from "../postgres-error.ts";
import type { Driver } from "../pg-driver.ts";

let emptyCluster: Promise<File | Blob> | undefined;

/** The files of a new cluster. Made once for all tests of a worker: copying them takes a quarter of the time of `initdb`. */
async function createCluster(): Promise<File | Blob> {
  const database = await PGlite.create();
  try {
    return await database.dumpDataDir("none");
  } finally {
    await database.close();
  }
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
    loadDataDir: await (emptyCluster ??= createCluster()),
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
