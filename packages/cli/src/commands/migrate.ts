import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { MigrationReport } from "@metahuman/boot/migration/migrate-installation";
import type { MigrationSource, MigrationTarget } from "@metahuman/boot/migration/migration-places";
import { ConflictError, InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { dataRoot } from "@metahuman/core/paths/data-root";
import { table } from "../output.ts";
import { serverState } from "../server-health.ts";
import type { AddCommand, CommandContext } from "../session.ts";

interface MigrateOptions {
  from?: string;
  to?: string;
  dryRun?: boolean;
}

/** `mh migrate` moves an installation, or one profile with `-u`, from files into a database or back. */
export const addMigrateCommand: AddCommand = (program, context) => {
  program
    .command("migrate")
    .description("move everything from files into a PostgreSQL database, or back; the source stays as it is")
    .option("--from <place>", "postgres://… or a data root (default: METAHUMAN_HOME)")
    .option("--to <place>", "postgres://… or a data root (default: METAHUMAN_HOME)")
    .option("--dry-run", "say what would be moved, and change nothing")
    .action(async (options: MigrateOptions) => {
      const { output, signal, options: global, env } = context();
      const { migrate, previewMigration } = await import("@metahuman/boot/migration/migrate-installation");
      const preview = options.dryRun === true;
      const { source, target } = await openPlaces(options, env, preview);
      try {
        const settings = {
          profile: global.profile,
          signal,
          onProgress: (line: string) => output.progress(line),
        };
        const report =
          preview || !target
            ? await previewMigration(source, target, settings)
            : await migrate(source, target, settings);
        output.endProgress();
        output.result(report, describeMigration(report, preview));
      } finally {
        await target?.close();
        await source.close();
      }
    });
};

type Environment = CommandContext["env"];

async function openPlaces(
  { from, to }: MigrateOptions,
  env: Environment,
  preview: boolean,
): Promise<{ source: MigrationSource; target: MigrationTarget | undefined }> {
  const home = dataRoot(env);
  const [source, target] = [placeOf(from, home), placeOf(to, home)];
  if (source.kind === target.kind)
    throw new InvalidRequestError("A migration goes from files into a database, or back.", {
      suggestions: [
        "Into a database: mh migrate --to postgres://user@host:5432/database",
        "Back: mh migrate --from postgres://user@host:5432/database --to /path/of/a/new/data/root",
      ],
    });
  const files = source.kind === "files" ? source : target;
  await assertNoServer(files.place, env);
  const { openFileSource, openFileTarget } = await import("@metahuman/boot/migration/open-file-place");
  const { openPostgresSource, openPostgresTarget } =
    await import("@metahuman/boot/migration/open-postgres-place");
  if (source.kind === "files") {
    const opened = await openFileSource(source.place, env);
    return {
      source: opened,
      target: await closing(opened, () => openPostgresTarget(target.place, { home, env }, { preview })),
    };
  }
  const opened = await openPostgresSource(source.place, { home, env });
  return {
    source: opened,
    target: await closing(opened, async () => openFileTarget(target.place, { preview })),
  };
}

/** Opens the target; closes the source if that fails. */
async function closing<Result>(source: MigrationSource, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    await source.close();
    throw error;
  }
}

function placeOf(text: string | undefined, home: string): { kind: "files" | "database"; place: string } {
  if (text === undefined) return { kind: "files", place: home };
  const url = URL.parse(text);
  if (url?.protocol === "file:" && url.hostname === "") return { kind: "files", place: fileURLToPath(url) };
  if (text.includes("://")) return { kind: "database", place: text };
  return { kind: "files", place: resolve(text) };
}

async function assertNoServer(home: string, env: Environment): Promise<void> {
  const state = await serverState(home, env);
  if (state.running)
    throw new ConflictError(`A server of ${home} is running at ${state.url}.`, {
      suggestions: ["Stop it, then start the migration again."],
    });
}

const STATES = {
  moved: "moved, and the same in both places",
  "already-there": "already there, and the same in both places",
  "would-move": "would be moved",
} as const;

function describeMigration({ profiles, installation, notes }: MigrationReport, preview: boolean): string {
  return [
    ...profiles.flatMap(({ username, state, kinds, notes: own }) => [
      `${username}: ${STATES[state]}`,
      table(
        Object.entries(kinds).map(([kind, { count, hash }]) => ["", kind, String(count), hash.slice(0, 12)]),
      ),
      ...own.map((note) => `  ${note}`),
    ]),
    ...(installation.length > 0
      ? [`The installation: ${installation.join(", ")}${preview ? " would be moved" : ""}.`]
      : []),
    ...notes,
  ].join("\n");
}
