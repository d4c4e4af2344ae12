import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { MigrationReport } from "@metahuman/boot/migration/migrate-installation";
import type { MigrationSource } from "@metahuman/boot/migration/migration-places";
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
    .description("move everything from files into a PostgreSQL database, or back; the source is not changed")
    .option("--from <place>", "postgres://… or a data root (default: METAHUMAN_HOME)")
    .option("--to <place>", "postgres://… or a data root (default: METAHUMAN_HOME)")
    .option("--dry-run", "report what would be moved; change nothing")
    .action(async (options: MigrateOptions) => {
      const { output, signal, options: global, env } = context();
      const { migrate, previewMigration } = await import("@metahuman/boot/migration/migrate-installation");
      const { openFilePreview, openFileTarget } = await import("@metahuman/boot/migration/open-file-place");
      const { openPostgresPreview, openPostgresTarget } =
        await import("@metahuman/boot/migration/open-postgres-place");
      const isPreview = options.dryRun === true;
      const settings = {
        profile: global.profile,
        signal,
        onProgress: (line: string) => output.progress(line),
      };
      const report = isPreview
        ? await betweenPlaces(
            { options, env, openFiles: openFilePreview, openDatabase: openPostgresPreview },
            (source, target) => previewMigration(source, target, settings),
          )
        : await betweenPlaces(
            {
              options,
              env,
              openFiles: async (home) => openFileTarget(home),
              openDatabase: openPostgresTarget,
            },
            (source, target) => migrate(source, target, settings),
          );
      output.endProgress();
      output.result(report, describeMigration(report, isPreview));
    });
};

type Environment = CommandContext["env"];

interface Places<Target> {
  options: MigrateOptions;
  env: Environment;
  /** Opens the target: a data root or a database. */
  openFiles(home: string): Promise<Target>;
  openDatabase(url: string, options: { home: string; env: Environment }): Promise<Target>;
}

/** Opens the source and the target, works, and closes both. */
async function betweenPlaces<Target extends { close(): Promise<void> } | undefined>(
  { options: { from, to }, env, openFiles, openDatabase }: Places<Target>,
  work: (source: MigrationSource, target: Target) => Promise<MigrationReport>,
): Promise<MigrationReport> {
  const home = dataRoot(env);
  const [here, there] = [placeOf(from, home), placeOf(to, home)];
  if (here.kind === there.kind)
    throw new InvalidRequestError("A migration goes from files into a database, or back.", {
      suggestions: [
        "Into a database: mh migrate --to postgres://user@host:5432/database",
        "Back: mh migrate --from postgres://user@host:5432/database --to /path/of/a/new/data/root",
      ],
    });
  await assertNoServer((here.kind === "files" ? here : there).place, env);
  const { openFileSource } = await import("@metahuman/boot/migration/open-file-place");
  const { openPostgresSource } = await import("@metahuman/boot/migration/open-postgres-place");
  const source =
    here.kind === "files"
      ? await openFileSource(here.place, env)
      : await openPostgresSource(here.place, { home, env });
  try {
    const target = await (there.kind === "files"
      ? openFiles(there.place)
      : openDatabase(there.place, { home, env }));
    try {
      return await work(source, target);
    } finally {
      await target?.close();
    }
  } finally {
    await source.close();
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

function describeMigration({ profiles, installation, notes }: MigrationReport, isPreview: boolean): string {
  return [
    ...profiles.flatMap(({ username, state, kinds, notes: own }) => [
      `${username}: ${STATES[state]}`,
      table(
        Object.entries(kinds).map(([kind, { count, hash }]) => ["", kind, String(count), hash.slice(0, 12)]),
      ),
      ...own.map((note) => `  ${note}`),
    ]),
    ...(installation.length > 0
      ? [`The installation: ${installation.join(", ")}${isPreview ? " would be moved" : ""}.`]
      : []),
    ...notes,
  ].join("\n");
}
