import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditEvent } from "../../contract/audit.ts";
import { OperatorConfig } from "../../contract/config.ts";
import type { FunctionContent, NewFunction } from "../../contract/function.ts";
import { openDatabase } from "../../database/open-database.ts";
import { createTestEmbedder } from "../../memory/testing/test-embedder.ts";
import { profilePaths, type ProfilePaths } from "../../paths/profile-paths.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import type { FunctionActor, FunctionsPort, FunctionVerifier } from "../functions-port.ts";
import { openFunctions, type FunctionsOptions, type OpenedFunctions } from "../open-functions.ts";
import { openEvidenceTable } from "../upkeep/evidence-table.ts";
import { contentHash } from "../store/content-hash.ts";
import type { SkillShapes } from "../verify/argument-shapes.ts";
import { staticChecks } from "../verify/static-checks.ts";

export const ADA: FunctionActor = { by: "ada", isPerson: true, isOwner: false, surface: "cli" };
export const OWNER: FunctionActor = { ...ADA, isOwner: true };
export const OPERATOR: FunctionActor = { by: "operator", isPerson: false, isOwner: false };

export const SANDWICH: NewFunction = {
  title: "Create a file in the kitchen",
  summary: "Makes an empty text file under out/kitchen.",
  steps: ["Write the file out/kitchen/<name>.md with fs_write."],
  skillsUsed: ["fs_write"],
  tags: ["files"],
  examples: [{ prompt: "make sandwich file" }],
};

export const RECIPE: NewFunction = {
  title: "Look into the kitchen",
  summary: "",
  steps: ["Read out/kitchen.md."],
  skillsUsed: ["fs_read"],
  recipe: {
    promptTemplates: ["look into the kitchen"],
    actions: [{ skill: "fs_read", args: { path: "out/kitchen.md" }, expect: [] }],
  },
};

const SKILLS = new Set(["fs_write", "fs_read", "task_create"]);
const shapes: SkillShapes = {
  has: (skill) => SKILLS.has(skill),
  problems: () => [],
  hasOutput: () => true,
};

/** The real checks of a function's text. */
const textVerifier: FunctionVerifier = {
  async verify(content: FunctionContent) {
    const checks = staticChecks(content, shapes);
    const isOk = checks.every((each) => each.ok);
    return { at: "2026-11-22T00:00:00.000Z", contentHash: contentHash(content), ok: isOk, checks };
  },
};

export interface TestFunctions {
  paths: ProfilePaths;
  audited: AuditEvent[];
  warnings: string[];
  settings: OperatorConfig["functions"];
  /** Done before each verification: what others do while the checks run. */
  meanwhile: () => Promise<unknown>;
  /** The problem that one more check finds in a function; undefined lets it pass. */
  refuses: (content: FunctionContent) => string | undefined;
  /** Why one more check of a function cannot be carried out; undefined if it can. */
  interrupts: (content: FunctionContent) => string | undefined;
  /** Moves the clock on. */
  pass(milliseconds: number): void;
  /** Opens the functions, as another process would; index and files agree on return. */
  open(userId?: string, more?: { reverifies?: boolean }): Promise<OpenedFunctions>;
  /** Closes what was opened. */
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** A profile in a folder of its own, or in another storage. */
export async function createTestFunctions(
  stored: Partial<Pick<FunctionsOptions, "storage" | "evidence">> = {},
): Promise<TestFunctions> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-functions-"));
  const paths = profilePaths(home, "ada");
  const state = openDatabase(paths.stateDatabase, stateMigrations, { title: "the state" });
  const opened: OpenedFunctions[] = [];
  let now = Date.parse("2026-11-20T09:30:00.000Z");
  const test: TestFunctions = {
    paths,
    audited: [],
    warnings: [],
    settings: OperatorConfig.parse({}).functions,
    meanwhile: async () => undefined,
    refuses: () => undefined,
    interrupts: () => undefined,
    pass(milliseconds) {
      now += milliseconds;
    },
    async open(userId = "ada", more = {}) {
      const functions = await openFunctions({
        ...more,
        userId,
        paths,
        evidence: openEvidenceTable(state),
        ...stored,
        embedder: createTestEmbedder(),
        verifier: {
          async verify(content) {
            await test.meanwhile();
            const report = await textVerifier.verify(content);
            const interrupted = test.interrupts(content);
            const problem = interrupted ?? test.refuses(content);
            if (problem === undefined) return report;
            const inconclusive = interrupted !== undefined && ({ inconclusive: true } as const);
            return {
              ...report,
              ok: false,
              checks: [...report.checks, { name: "tests", ok: false, detail: problem, ...inconclusive }],
            };
          },
        },
        settings: async () => test.settings,
        audit: async (event) => void test.audited.push(event),
        clock: () => new Date((now += 1)),
        onWarning: (message) => test.warnings.push(message),
      });
      opened.push(functions);
      await functions.ready;
      return functions;
    },
    async close() {
      await Promise.all(opened.splice(0).map((functions) => functions.close()));
    },
    async remove() {
      await test.close();
      state.close();
      await rm(home, { recursive: true });
    },
  };
  return test;
}

/** The titles of what a planner finds for a request, best first. */
export async function titlesFor(functions: FunctionsPort, query: string): Promise<string[]> {
  return (await functions.queryFunctions(query)).items.map((item) => item.function.title);
}

/** The error of an attempt; undefined if it succeeds. */
export async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
}
