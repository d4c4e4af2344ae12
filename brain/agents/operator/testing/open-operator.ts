import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { openConfig } from "@metahuman/core/config/config-source";
import { ProfileSettings } from "@metahuman/core/contract/profile";
import type { Run } from "@metahuman/core/contract/run";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { createLogger, type Logger } from "@metahuman/core/log/logger";
import type { Identity } from "@metahuman/core/policy/security-policy";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { writeRunDump } from "@metahuman/core/runs/run-dump";
import { createRunFeed } from "@metahuman/core/runs/run-feed";
import type { Skill } from "@metahuman/skills/define-skill";
import type { RunStorage } from "../loop/run-scheduler.ts";
import { openTestFunctions } from "../../testing/open-test-functions.ts";
import { createBuiltInAnswerWriter } from "../answer/built-in-answer-writer.ts";
import { createOperator, type OperatorService } from "../operator.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { noComposer } from "../composer.ts";
import { createConversationSummaries } from "../loop/conversation-context.ts";
import { noSummarizer } from "../loop/summarizer.ts";
import { createNoModelConversation } from "../planners/conversation.ts";
import { testSkills } from "./test-skills.ts";
import type { TestPorts } from "./test-ports.ts";

export const ada: Identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" };

/** One process's view of a profile: a real operator on real stores, with skills and a planner made for the test. */
export interface TestOperator {
  operator: OperatorService;
  functions: FunctionsOfProfile["of"];
  persistent: RunStorage;
  /** The profile's `state.db`. */
  database: Database;
  /** Sets the permissions of the profile from now on. */
  settle(settings: Partial<ProfileSettings>): void;
  audited(event: string): Promise<Record<string, unknown>[]>;
  /** Starts a run as Ada and waits until it pauses or ends. */
  ask(goal: string, identity?: Partial<Identity>, conversationId?: string): Promise<Run>;
  close(graceMs?: number): Promise<void>;
}

export interface TestHome {
  folder: string;
  /** The journal in which the test skills record their calls. */
  journal: string;
  open(planner: Planner, options?: Partial<OpenOptions>): Promise<TestOperator>;
  remove(): Promise<void>;
}

interface OpenOptions {
  skills: readonly Skill[];
  /** The planner for requests that are only conversation. */
  talks: Planner;
  config: OperatorOptions["config"];
  clock: () => Date;
  critic: OperatorOptions["critic"];
  adopt: boolean;
  /** The secrets that functions may be granted by name. */
  secrets: Readonly<Record<string, string>>;
  /** The learner of ended runs; absent: nothing is learned. */
  learner: OperatorOptions["learner"];
  logger: Logger;
  /** Opens the real functions of Ada, which is slow. */
  withFunctions: boolean;
  /** Puts a fault between the operator and its store. */
  faulty: (store: RunStore) => RunStore;
  /** False leaves out the work of every start: interrupting lost runs and claiming queued ones. */
  start: boolean;
}

export function makeTestHome(ports: TestPorts, folder = mkdtempSync(join(tmpdir(), "operator-"))): TestHome {
  const opened: TestOperator[] = [];
  const journal = join(folder, "journal.txt");
  return {
    folder,
    journal,
    async open(planner, options = {}) {
      const made = await openOperator(folder, planner, ports, { skills: testSkills(journal), ...options });
      opened.push(made);
      return made;
    },
    async remove() {
      for (const operator of opened.splice(0)) await operator.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openOperator(
  home: string,
  planner: Planner,
  ports: TestPorts,
  options: Partial<OpenOptions> & Pick<OpenOptions, "skills">,
): Promise<TestOperator> {
  const clock = options.clock ?? (() => new Date());
  const databases = [join(home, "state.db"), ":memory:"].map((path) =>
    openDatabase(path, stateMigrations, { title: "the state database" }),
  );
  const [persistent, ephemeral] = databases.map((database, index): RunStorage => {
    const sound = openRunStore(database, { clock, unknownConversations: index === 0 ? "refuse" : "make" });
    const store = index === 0 && options.faulty ? options.faulty(sound) : sound;
    return { store, feed: createRunFeed(store) };
  });
  if (!persistent || !ephemeral) throw new Error("unreachable");
  const config = options.config ?? openConfig({ home, shippedEtc: join(home, "shipped") });
  const audit = openAuditLog(join(home, "audit"));
  let settings = ProfileSettings.parse({ displayName: "Ada" });

  const [state] = databases;
  if (!state) throw new Error("unreachable");
  const opened = options.withFunctions
    ? await openTestFunctions({ home, state, skills: options.skills, code: ports.code })
    : undefined;
  const functionsOf: FunctionsOfProfile["of"] = (agentId) => {
    if (!opened) throw new Error("this test asked for no functions");
    return opened.functions.of(agentId);
  };
  const logger = options.logger ?? createLogger({ level: "silent" });
  const operator = createOperator({
    username: "ada",
    persistent,
    ephemeral,
    skills: options.skills,
    cards: [],
    services: {
      ports: ports.ports,
      answerWriter: createBuiltInAnswerWriter(options.skills),
      composer: noComposer,
      summarizerFor: () => noSummarizer,
      code: { ...ports.code, secret: (name) => options.secrets?.[name] },
      functionsOf,
      curatorFor: () => ({ curate: () => Promise.reject(new Error("this test has no curator")) }),
    },
    conversationSummaries: createConversationSummaries(undefined, logger),
    critic: options.critic ?? { unsupported: async () => [], verdicts: async () => new Map() },
    choosePlanner: async ({ conversationOnly }) =>
      conversationOnly ? (options.talks ?? createNoModelConversation()) : planner,
    buildContext: async ({ message, mode }) => ({
      request: message,
      memories: [],
      relevantFunctions: [],
      recentTools: [],
      persona: { name: "Operator", role: "", values: [], voice: "", goals: [] },
      activeTasks: [],
      recentTopics: [],
      patterns: [],
      mode,
      budget: { tokens: 0, used: 0 },
      explanation: { memories: [], functions: [], warnings: [], patterns: [], timingsMs: {} },
    }),
    settings: async () => settings,
    expectChanges: () => undefined,
    dumpRun: (dump) => writeRunDump(join(home, dump.config.logging.logDirectory), dump),
    memory: ports.memory,
    config,
    audit,
    logger,
    ...(options.learner && { learner: options.learner }),
    clock,
    adopt: options.adopt ?? true,
  });
  if (options.start !== false) await operator.open();

  let isClosed = false;
  return {
    operator,
    functions: functionsOf,
    persistent,
    database: state,
    settle(changed) {
      settings = { ...settings, ...changed };
    },
    async audited(event) {
      return (await audit.search({ event, limit: 100 })).items.map((entry) => entry.details);
    },
    async ask(goal, identity, conversationId) {
      const request = { goal, ...(conversationId !== undefined && { conversationId }) };
      const run = await operator.start(request, { identity: { ...ada, ...identity }, surface: "api" });
      return operator.settled(run.id);
    },
    async close(graceMs = 1_000) {
      if (isClosed) return;
      isClosed = true;
      await operator.close(graceMs);
      await opened?.close();
      await audit.close();
      config.close();
      databases.forEach((database) => database.close());
    },
  };
}
