import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { createLogger } from "@metahuman/core/log/logger";
import type { Driver } from "@metahuman/postgres/pg-driver";
import { openPGlite } from "@metahuman/postgres/testing/pglite";
import { createBrain } from "../create-brain.ts";
import type { Brain } from "../brain.ts";
import { migrate, previewMigration } from "./migrate-installation.ts";
import type { MigrationTarget, PreviewTarget } from "./migration-places.ts";
import { openFilePreview, openFileSource, openFileTarget } from "./open-file-place.ts";
import { openPostgresPreview, openPostgresSource, openPostgresTarget } from "./open-postgres-place.ts";

const URL = "postgres://ada@db.example/mh";
const logger = createLogger({ level: "silent" });
const quiet = { signal: new AbortController().signal, onProgress: () => undefined };
const here = { address: "test", fromLoopback: true };
const password = "correct horse battery";

/** A place to which an installation moves. */
interface Place {
  target(): Promise<MigrationTarget>;
  preview(): Promise<PreviewTarget | undefined>;
  /** Opens it as a server does. */
  serve(): Promise<Brain>;
  remove(): Promise<void>;
}

let root: string;
/** An installation on files with the owner ada and the member ben, and the same in a database. */
let home: string;
let database: Place & { asSource(): ReturnType<typeof openPostgresSource> };

async function openDatabasePlace() {
  const memory = await openPGlite();
  const folder = await mkdtemp(join(root, "database-"));
  const open = (): Driver => ({
    withConnection: (work) => memory.withConnection(work),
    close: async () => undefined,
  });
  const env = {
    METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    METAHUMAN_WORKSPACE: pathToFileURL(join(folder, "shared")).href,
  };
  const options = { home: join(folder, "node"), env, open };
  return {
    target: () => openPostgresTarget(URL, options),
    preview: () => openPostgresPreview(URL, options),
    asSource: () => openPostgresSource(URL, options),
    serve: () =>
      createBrain({
        ...options,
        env: { ...env, METAHUMAN_DATABASE_URL: URL },
        logger,
        connect: open,
        adoptsQueuedRuns: false,
      }),
    remove: () => memory.close(),
  };
}

async function openFilePlace(): Promise<Place> {
  const folder = await mkdtemp(join(root, "files-"));
  return {
    target: async () => openFileTarget(folder),
    preview: () => openFilePreview(folder),
    serve: () => createBrain({ home: folder, env: {}, logger, adoptsQueuedRuns: false }),
    remove: () => rm(folder, { recursive: true }),
  };
}

async function moveInto(
  place: Place,
  { from, profile, change = (target) => target }: Move,
): Promise<Awaited<ReturnType<typeof migrate>>> {
  const [source, target] = [await from(), await place.target()];
  try {
    return await migrate(source, change(target), { ...quiet, profile });
  } finally {
    await source.close();
    await target.close();
  }
}

interface Move {
  from: () => ReturnType<typeof openFileSource>;
  profile?: string;
  change?: (target: MigrationTarget) => MigrationTarget;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "half-migrated-"));
  home = join(root, "home");
  const brain = await createBrain({ home, env: {}, logger, adoptsQueuedRuns: false });
  await brain.accounts.setup({ username: "ada", password }, here);
  await brain.accounts.add({ username: "ben", password, role: "member" });
  for (const username of ["ada", "ben"]) await brain.profile(username);
  await brain.close({ graceMs: 0 });
  database = await openDatabasePlace();
  await moveInto(database, { from: () => openFileSource(home, {}) });
}, 60_000);
afterAll(async () => {
  await database.remove();
  await rm(root, { recursive: true, force: true });
});

const directions = [
  { name: "into a database", openPlace: openDatabasePlace, from: () => openFileSource(home, {}) },
  { name: "into files", openPlace: openFilePlace, from: () => database.asSource() },
];

describe.each(directions)("a migration $name", ({ openPlace, from }) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace();
  });
  afterAll(() => place.remove());

  it("that was interrupted lets nobody create an owner until it is complete", async () => {
    const cutOff = (target: MigrationTarget): MigrationTarget => ({
      ...target,
      begin: () => Promise.reject(new RangeError("killed")),
    });
    await expect(moveInto(place, { from, change: cutOff })).rejects.toThrow("killed");
    const half = await place.serve();
    expect(await half.accounts.setupProblem()).toBeInstanceOf(ConflictError);
    expect(await half.accounts.setupCode()).toBeUndefined();
    for (const at of [here, { address: "203.0.113.9", fromLoopback: false }])
      await expect(half.accounts.setup({ username: "zoe", password }, at)).rejects.toThrow(
        "A migration into this installation has not ended",
      );
    expect(await half.accounts.isEmpty()).toBe(true);
    await half.close({ graceMs: 0 });

    const { profiles } = await moveInto(place, { from });
    expect(profiles.map(({ state }) => state)).toEqual(["moved", "moved"]);
    const complete = await place.serve();
    expect(await complete.accounts.setupProblem()).toBeUndefined();
    expect((await complete.accounts.list()).map(({ username }) => username).toSorted()).toEqual([
      "ada",
      "ben",
    ]);
    await complete.close({ graceMs: 0 });
  }, 60_000);
});

describe.each(directions)("a migration $name that has an owner", ({ openPlace, from }) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace();
    const brain = await place.serve();
    await brain.accounts.setup({ username: "zoe", password }, here);
    await brain.close({ graceMs: 0 });
  });
  afterAll(() => place.remove());

  it("is refused before anything is written, also in a preview", async () => {
    const sentence = "The target already belongs to zoe, who is no owner in the source. Nothing was moved.";
    await expect(moveInto(place, { from })).rejects.toThrow(sentence);
    const [source, preview] = [await from(), await place.preview()];
    await expect(previewMigration(source, preview, quiet)).rejects.toThrow(sentence);
    await source.close();
    await preview?.close();
    const brain = await place.serve();
    expect((await brain.accounts.list()).map(({ username }) => username)).toEqual(["zoe"]);
    expect(await readdir(join(brain.profilesHome, "profiles"))).not.toContain("ada");
    await brain.close({ graceMs: 0 });
  });

  it("moves one profile next to them, and reports that there are two owners", async () => {
    expect((await moveInto(place, { from, profile: "ben" })).notes).toEqual([]);
    expect((await moveInto(place, { from, profile: "ada" })).notes).toEqual([
      "ada is an owner there, beside zoe.",
    ]);
  }, 60_000);
});
