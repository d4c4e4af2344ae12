import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openLocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import { openExternalPorts } from "@metahuman/sandbox/external-ports";
import { createBuiltInEmbedder } from "@metahuman/models/embedder/built-in-embedder";
import type { Assessment, Skill } from "@metahuman/skills/define-skill";
import { sandboxCode } from "./sandbox-code.ts";
import { openTestAgents } from "../../brain/agents/testing/open-test-agents.ts";
import { openTestSchedules } from "../../brain/agents/testing/open-test-schedules.ts";
import type { ProfilePorts, AnswerPort, SkillPorts, Summarizer } from "@metahuman/skills/ports";
import type { z } from "zod";
import { afterAll, beforeAll, beforeEach } from "vitest";

/** A folder that an owner opened besides `out` and `inbox`. */
const ADDED_ROOT = "docs";
/** The time of every call and of the schedules, a Friday. */
const NOW = new Date("2026-11-20T09:30:12.123Z");
/** Outputs are rendered in this region, not in that of the machine. */
const RENDERED = { timeZone: "UTC", locale: "en-GB" };

export interface CallOptions {
  request?: string;
  /** The earlier messages of the person in the conversation. */
  earlierMessages?: readonly string[];
  answerWriter?: AnswerPort;
  /** Replaces the files of the harness, for a call during which another process changes them. */
  files?: SkillPorts["files"];
  summarizer?: Summarizer;
  scratchpad?: readonly ScratchpadEntry[];
  signal?: AbortSignal;
  runId?: string;
  isDirect?: boolean;
  /** The assessment on which the call was allowed; by default, what `assess` returns now. */
  assessment?: Assessment;
  /** The hash of the content the call was approved for. */
  approvedContent?: string;
}

export interface CallResult {
  assessment: Assessment;
  outputs: Record<string, unknown>;
  narrative: string;
  structured: string;
}

/** The real files, archive, tasks and memories of one profile on a temporary data root. */
export interface SkillHarness {
  readonly ports: SkillPorts;
  /** The real folder behind a root. */
  folder(root: "out" | "inbox" | typeof ADDED_ROOT): string;
  /** The data root. */
  readonly home: string;
  read(path: string): Promise<string>;
  /** Sets what skills may reach outside the workspace from now on. */
  configure(config: z.input<typeof SkillsConfig>): void;
  /** Validates the arguments, previews and executes the call without the policy, and returns the observation. */
  call(skill: Skill, args: unknown, options?: CallOptions): Promise<CallResult>;
}

const noModel: Summarizer = { summarize: async () => undefined };
const silent: AnswerPort = {
  respond: () => Promise.reject(new Error("this test provides no answer writer")),
};

/**
 * Opens a harness for the tests of one file. `out`, `inbox` and the added root are empty before each, or with `sharesFiles`
 * before the first.
 */
export function skillHarness({
  catalog = [],
  sharesFiles = false,
}: { catalog?: readonly SkillCard[]; sharesFiles?: boolean } = {}): SkillHarness {
  let opened:
    | {
        home: string;
        ports: ProfilePorts & Pick<SkillPorts, "code" | "recipes" | "functions" | "curator">;
        close: () => Promise<void>;
      }
    | undefined;
  let config = SkillsConfig.parse({});
  const current = () => {
    if (!opened) throw new Error("the harness opens before the first test");
    return opened;
  };
  const folder = (root: string): string =>
    root === ADDED_ROOT ? join(current().home, ADDED_ROOT) : join(current().home, "profiles/ada", root);

  beforeAll(async () => {
    const home = await mkdtemp(join(tmpdir(), "mh-skills-"));
    await mkdir(join(home, ADDED_ROOT));
    const paths = profilePaths(home, "ada");
    await mkdir(paths.root, { recursive: true });
    const workspace = await openLocalWorkspace({
      out: paths.out,
      inbox: paths.inbox,
      archive: paths.memory.archive.files,
      added: { [ADDED_ROOT]: join(home, ADDED_ROOT) },
      keepOut: [join(home, "profiles")],
    });
    const memory = await openMemory({ paths, embedder: createBuiltInEmbedder() });
    const tasks = await openTasks({ paths });
    const agents = openTestAgents(home);
    const schedules = await openTestSchedules(home, { clock: () => NOW });
    opened = {
      home,
      ports: {
        files: workspace.files,
        archive: workspace.archive,
        memory: memory.memory,
        tasks,
        agents: agents.agents,
        schedules: schedules.schedules,
        watchedPages: schedules.watchedPages,
        remindOf: (task, region) => schedules.schedules.remindOf(task, region),
        activity: {
          requests: () => Promise.resolve({ requests: [], total: 0 }),
          oldest: () => Promise.resolve(undefined),
        },
        patterns: { makeFunction: () => Promise.reject(new Error("this harness has no patterns")) },
        catalog: () => catalog,
        code: sandboxCode,
        recipes: { run: () => Promise.reject(new Error("this harness runs no recipes")) },
        functions: () => {
          throw new Error("this harness has no functions");
        },
        curator: { curate: () => Promise.reject(new Error("this harness has no curator")) },
        ...openExternalPorts({
          files: workspace.files,
          folders: workspace.folders,
          env: process.env,
          config: () => config,
        }),
      },
      close: async () => {
        await agents.close();
        await schedules.close();
        workspace.close();
        await memory.close();
        tasks.close();
        await rm(home, { recursive: true, force: true });
      },
    };
  });
  beforeEach(async () => {
    if (sharesFiles) return;
    for (const root of ["out", "inbox", ADDED_ROOT]) {
      for (const name of await readdir(folder(root))) await rm(join(folder(root), name), { recursive: true });
    }
  });
  afterAll(async () => {
    await opened?.close();
  });

  return {
    get ports() {
      return { ...current().ports, answerWriter: silent, summarizer: noModel };
    },
    get home() {
      return current().home;
    },
    folder,
    configure: (given) => {
      config = SkillsConfig.parse(given);
    },
    read: (path) => readFile(join(current().home, "profiles/ada", path), "utf8"),
    call: async (skill, given, options = {}) => {
      const ports = {
        ...current().ports,
        ...(options.files && { files: options.files }),
        answerWriter: options.answerWriter ?? silent,
        summarizer: options.summarizer ?? noModel,
      };
      const now = NOW;
      const region = { timeZone: "Europe/Oslo", locale: "en-GB" };
      const mentions = (date: string) => (options.request ?? "").includes(date);
      const args = skill.parse(given, { now, ...region, mentions });
      const assessment = options.assessment ?? (await skill.assess(args, ports));
      const outputs = await skill.run(args, {
        ports,
        signal: options.signal ?? new AbortController().signal,
        runId: options.runId ?? "run-01jd0000000000000000000000",
        conversationId: "conv-01jd0000000000000000000000",
        idempotencyKey: "run-01jd0000000000000000000000/1",
        request: options.request ?? "",
        earlierMessages: options.earlierMessages ?? [],
        isDirect: options.isDirect ?? false,
        reached: () => undefined,
        scratchpad: options.scratchpad ?? [],
        assessment,
        ...(options.approvedContent !== undefined && { approvedContent: options.approvedContent }),
        now,
        ...region,
      });
      return {
        assessment,
        outputs,
        narrative: skill.narrate(outputs, RENDERED),
        structured: skill.structure(outputs, RENDERED),
      };
    },
  };
}
