import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FunctionFixture } from "@metahuman/core/contract/function";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { createRecordFiles, recordFolders } from "@metahuman/core/memory/store/record-files";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { openTaskFiles, openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { confine } from "@metahuman/core/paths/file-names";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openLocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import type { AnswerPort, SkillPorts } from "@metahuman/skills/ports";
import { readScratchState, type ScratchState } from "./scratch-effects.ts";

/** A temporary workspace with the real implementations of files, tasks and memory; every other port refuses access. */
export interface ScratchEnvironment {
  ports: SkillPorts;
  /** The current state, for comparison with an earlier one. */
  state(): Promise<ScratchState>;
  close(): Promise<void>;
}

export interface ScratchEnvironmentOptions {
  fixture: FunctionFixture;
  /** Whether memory is used; opening it is slow. */
  usesMemory: boolean;
  embedder: Embedder;
  /** Writes the texts that a recipe composes; without it, composing is refused. */
  answerWriter?: AnswerPort;
}

const OWN_ROOTS: ReadonlySet<string> = new Set(["out", "inbox"]);

/** Opens a scratch environment in the state of the fixture. Throws `PathOutsideWorkspaceError` for a path outside it. */
export async function openScratchEnvironment({
  fixture,
  usesMemory,
  embedder,
  answerWriter,
}: ScratchEnvironmentOptions): Promise<ScratchEnvironment> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-scratch-"));
  const closers: (() => Promise<void> | void)[] = [() => rm(home, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const closer of closers.reverse()) await closer();
  };
  try {
    const paths = profilePaths(home, "scratch");
    const clock = clockFrom(fixture.at);
    const added = await createPaths(home, paths.root, fixture);
    const workspace = await openLocalWorkspace({
      out: paths.out,
      inbox: paths.inbox,
      added,
      keepOut: [join(home, "profiles")],
      archive: paths.memory.archive.files,
      now: clock,
    });
    closers.push(() => workspace.close());
    const storage = await openTaskFiles({ paths, clock });
    const tasks = await openTasks({ storage, clock });
    closers.push(() => tasks.close());
    for (const task of fixture.tasks) await storage.create(task);
    const records = createRecordFiles(paths.memory.root, recordFolders(paths.memory));
    for (const memory of fixture.memories) await records.create(memory);
    const opened = usesMemory ? await openMemory({ paths, embedder, clock }) : undefined;
    if (opened) {
      closers.push(() => opened.close());
      await opened.ready;
      await opened.embedded();
    }
    const roots = { out: paths.out, inbox: paths.inbox, ...added };
    const recorded = [...Object.values(paths.memory.tasks), paths.memory.episodic, paths.memory.actions];
    return {
      close,
      state: () => readScratchState({ roots, records: recorded }),
      ports: {
        files: workspace.files,
        activity: {
          requests: () => Promise.resolve({ requests: [], total: 0 }),
          oldest: () => Promise.resolve(undefined),
        },
        archive: workspace.archive,
        tasks,
        get memory() {
          if (!opened) throw refused("the memory");
          return opened.memory;
        },
        get agents(): SkillPorts["agents"] {
          throw refused("agents");
        },
        remindOf: async () => undefined,
        get schedules(): SkillPorts["schedules"] {
          throw refused("schedules");
        },
        get watchedPages(): SkillPorts["watchedPages"] {
          throw refused("schedules");
        },
        get code(): SkillPorts["code"] {
          throw refused("the sandbox");
        },
        get recipes(): SkillPorts["recipes"] {
          throw refused("other functions");
        },
        get web(): SkillPorts["web"] {
          throw refused("the network");
        },
        get webSearch(): SkillPorts["webSearch"] {
          throw refused("the network");
        },
        get programs(): SkillPorts["programs"] {
          throw refused("programs");
        },
        get git(): SkillPorts["git"] {
          throw refused("programs");
        },
        functions: () => {
          throw refused("other functions");
        },
        get patterns(): SkillPorts["patterns"] {
          throw refused("other functions");
        },
        get curator(): SkillPorts["curator"] {
          throw refused("the curator");
        },
        answerWriter: answerWriter ?? { respond: () => Promise.reject(refused("a model")) },
        summarizer: { summarize: async () => undefined },
        environment: { has: () => false },
        catalog: () => [],
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the files and folders of the fixture; returns its roots besides `out` and `inbox`. */
async function createPaths(
  home: string,
  profileRoot: string,
  fixture: FunctionFixture,
): Promise<Record<string, string>> {
  await mkdir(profileRoot, { recursive: true });
  const added: Record<string, string> = {};
  for (const place of fixture.paths) {
    // Recorded paths are canonical: their first segment is the root.
    const { root, segments } = confine(place.path, place.path.split("/").slice(0, 1));
    const base = OWN_ROOTS.has(root) ? join(profileRoot, root) : join(home, "roots", root);
    await mkdir(base, { recursive: true });
    if (!OWN_ROOTS.has(root)) added[root] = base;
    const path = join(base, ...segments);
    if (place.kind === "folder") await mkdir(path, { recursive: true });
    if (place.kind === "file") {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, place.content);
    }
  }
  return added;
}

/** A clock that starts at the time of the example, so that "today" means the same day. */
function clockFrom(at: string): () => Date {
  const start = Date.parse(at);
  const opened = performance.now();
  return () => new Date(start + Math.floor(performance.now() - opened));
}

function refused(what: string): PermissionDeniedError {
  return new PermissionDeniedError(`A scratch replay has no access to ${what}.`);
}
