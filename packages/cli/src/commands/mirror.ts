import { resolve } from "node:path";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { table } from "../output.ts";
import type { AddCommand } from "../session.ts";

/** `mh mirror` writes the records of a database, or of one profile with `-u`, as files into a folder. */
export const addMirrorCommand: AddCommand = (program, context) => {
  program
    .command("mirror")
    .description(
      "write the records of a PostgreSQL database as files into a folder, and keep the files up to date",
    )
    .requiredOption("--to <folder>", "the folder of the files: empty, missing, or from an earlier mirror")
    .option("--from <url>", "postgres://… (default: METAHUMAN_DATABASE_URL)")
    .action(async ({ from, to }: { from?: string; to: string }) => {
      const { output, signal, options, env } = context();
      const url = from ?? env["METAHUMAN_DATABASE_URL"]?.trim();
      if (!url)
        throw new InvalidRequestError("There is no database to mirror.", {
          suggestions: [
            "Set METAHUMAN_DATABASE_URL, or name the database: --from postgres://user@host:5432/database",
          ],
        });
      const { mirrorDatabase } = await import("@metahuman/boot/migration/mirror-database");
      const mirrored = await mirrorDatabase(url, {
        folder: resolve(to),
        profile: options.profile,
        signal,
        onProgress: (line) => output.progress(line),
      });
      output.endProgress();
      output.result(
        { profiles: mirrored },
        table([
          ["", "written", "removed", "unchanged"],
          ...mirrored.map(({ username, written, removed, unchanged }) => [
            username,
            String(written),
            String(removed),
            String(unchanged),
          ]),
        ]),
      );
    });
};
