import type { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import {
  NewFunction,
  type FunctionContent,
  type FunctionMemory,
  EVERY_AGENT,
} from "@metahuman/core/contract/function";
import type {
  FunctionExport,
  FunctionImport,
  FunctionImportReport,
  ImportedFunction,
} from "@metahuman/core/contract/function-exchange";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { plainIssue, plainReason } from "@metahuman/core/contract/plain-issue";
import type {
  FunctionActor,
  FunctionsOfProfile,
  FunctionsPort,
} from "@metahuman/core/functions/functions-port";
import { contentHoldsSecret, withDefaults } from "@metahuman/core/functions/store/content-rules";
import { contentOf } from "@metahuman/core/functions/store/stored-function";
import { withFieldsOfCalls } from "@metahuman/core/functions/store/fields-of-calls";
import type { SkillShapes } from "@metahuman/core/functions/verify/argument-shapes";
import { staticChecks } from "@metahuman/core/functions/verify/static-checks";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";
import type { FunctionAnalytics, UpkeepReport } from "@metahuman/core/contract/function-upkeep";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { EvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import { analyzeFunctions, type RunCost } from "@metahuman/core/functions/upkeep/analytics";
import { maintain } from "@metahuman/core/functions/upkeep/maintain";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import { type FunctionApproval, toFunctionApproval } from "@metahuman/core/contract/function-approval";
import type { CodeDraft, RegistrationResult } from "@metahuman/core/contract/curation";
import { grantsNeeded, skillGrants } from "@metahuman/core/contract/code-grants";
import { skillShapes } from "@metahuman/agents/verifier/verifier";
import { registerCode } from "@metahuman/skills/support/register-code";

/** Exports and imports functions. */
export interface FunctionExchange {
  /** Exports these functions, or all. Throws `FunctionNotFoundError` for an unknown id. */
  export(ids: readonly string[] | undefined): Promise<FunctionExport>;
  /**
   * Imports the functions of a file, each as a new draft without trust, status, report, counters and provenance. Steps of a
   * recipe and the skills that a function uses are written from its calls, because the file may state others. Executes nothing. With `apply: false`, only reports the outcome for each.
   */
  import(
    file: FunctionImport,
    actor: FunctionActor,
    options: { apply: boolean },
  ): Promise<FunctionImportReport>;
}

const AT_ONCE = 200;
/** The placeholder name of a function without one, until the store chooses a name. */
const UNNAMED = "unnamed";
const SECRET = "It contains something that looks like a password, key or token.";

export function createFunctionExchange(parts: {
  functions: FunctionsPort;
  skill: Parameters<typeof skillShapes>[0];
  clock: () => Date;
}): FunctionExchange {
  const { functions, skill, clock } = parts;
  const shapes = skillShapes(skill);

  async function everyFunction(): Promise<FunctionMemory[]> {
    const all: FunctionMemory[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await functions.listFunctions({
        limit: AT_ONCE,
        sort: "created",
        ...(cursor !== undefined && { cursor }),
      });
      all.push(...page.items);
      cursor = page.nextCursor;
    }
    return all;
  }

  async function importFunction(
    entry: unknown,
    actor: FunctionActor,
    apply: boolean,
  ): Promise<ImportedFunction> {
    const read = NewFunction.safeParse(contentIn(entry), { error: plainIssue });
    if (!read.success) {
      const reason = `It cannot be imported: ${plainReason(read.error)}.`;
      return { title: titleIn(entry), outcome: "refused", reason, warnings: [] };
    }
    const { name } = read.data;
    const given = withDefaults(read.data, name ?? UNNAMED);
    const about = { title: given.title, content: given, warnings: [] };
    if (contentHoldsSecret(given)) return { ...about, outcome: "refused", reason: SECRET };
    const there = name === undefined ? undefined : await functions.findByName(name);
    if (there && canonicalJson(contentOf(there)) === canonicalJson(given))
      return { ...about, outcome: "unchanged", id: there.id };
    try {
      const content = withFieldsOfCalls(
        { ...given, steps: given.kind === "recipe" ? [] : given.steps },
        { summaryOf: (id) => skill(id)?.summary },
      );
      if (there && canonicalJson(contentOf(there)) === canonicalJson(content))
        return { ...about, content, outcome: "unchanged", id: there.id };
      const warnings = warningsOf(content, shapes);
      const added = { ...about, content, outcome: "added" as const, warnings };
      if (!apply) return added;
      const draft = { ...read.data, steps: content.steps };
      const { name: _taken, ...unnamed } = draft;
      const saved = await functions.saveFunction(there ? unnamed : draft, actor, { origin: "imported" });
      return { ...added, id: saved.id };
    } catch (error) {
      if (!(error instanceof MetahumanError)) throw error;
      return { ...about, outcome: "refused", reason: error.message };
    }
  }

  return {
    async export(ids) {
      return {
        format: 1,
        exportedAt: clock().toISOString(),
        functions: ids
          ? await Promise.all(ids.map((id) => functions.loadFunction(id)))
          : await everyFunction(),
      };
    },
    async import(file, actor, { apply }) {
      const items: ImportedFunction[] = [];
      // Sequential, so that the second of two functions with the same name finds the first.
      for (const entry of file.functions) items.push(await importFunction(entry, actor, apply));
      return { applied: apply, items };
    },
  };
}

/** Returns the content of an entry. Its other fields (trust, status, reports, ids) are ignored. */
function contentIn(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(
    Object.keys(NewFunction.shape).flatMap((field) =>
      Object.hasOwn(entry, field) ? [[field, Reflect.get(entry, field)]] : [],
    ),
  );
}

function titleIn(entry: unknown): string {
  const title: unknown =
    typeof entry === "object" && entry !== null ? Reflect.get(entry, "title") : undefined;
  return typeof title === "string" && title !== "" ? title.slice(0, 200) : "A function without a title";
}

/** Returns the verification checks that the text would fail, worded as in the report. */
function warningsOf(content: FunctionContent, shapes: SkillShapes): string[] {
  return staticChecks(content, shapes).flatMap(({ ok, detail }) => (ok ? [] : (detail ?? "").split("\n")));
}

/** Maintains functions and reports their results. */
export interface FunctionUpkeep {
  /** Disables failing functions, proposes merges of duplicates, and reports unused ones. A dry run only reports. */
  maintain(actor: FunctionActor, options: { dryRun: boolean; signal?: AbortSignal }): Promise<UpkeepReport>;
  analytics(query: { since: string; functionId?: string }): Promise<FunctionAnalytics>;
}

/** Maintains a profile's functions and reports their results. */
export function createFunctionUpkeep(parts: {
  functions: FunctionsOfProfile;
  evidence: EvidenceTable;
  /** The folder of the functions. */
  root: string;
  runs: Pick<RunStore, "run">;
  clock: () => Date;
}): FunctionUpkeep {
  const { functions, evidence, root, runs, clock } = parts;

  async function costOf(runId: string): Promise<RunCost | undefined> {
    try {
      const { usage } = await runs.run(runId);
      return {
        planningCalls: usage.planningCalls,
        tokens: usage.promptTokens + usage.completionTokens,
      };
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  return {
    maintain: (actor: FunctionActor, options): Promise<UpkeepReport> =>
      maintain({ functions: functions.of(EVERY_AGENT), root, clock }, actor, options),
    analytics: (query): Promise<FunctionAnalytics> =>
      analyzeFunctions({ functions: functions.of(EVERY_AGENT), evidence, costOf }, query),
  };
}

/** Functions that wait for approval. */
export interface FunctionApprovals {
  /** Returns at most 100, newest first. */
  list(): Promise<FunctionApproval[]>;
  /** Throws `FunctionNotFoundError`. */
  get(id: string): Promise<FunctionApproval>;
  /**
   * `once` approves the function, `deny` rejects it. Throws `InvalidArgsError` for another decision, and
   * `ConflictError` for a function that does not wait for approval.
   */
  decide(
    id: string,
    decision: ApprovalDecision,
    actor: FunctionActor,
    reason?: string,
  ): Promise<FunctionApproval>;
}

const MAX_LISTED = 100;

/** `functions` must contain the functions of every agent. */
export function createFunctionApprovals(functions: FunctionsPort): FunctionApprovals {
  return {
    async list() {
      const { items } = await functions.listFunctions({
        status: "pending_approval",
        sort: "created",
        limit: MAX_LISTED,
      });
      return items.map(toFunctionApproval);
    },
    get: async (id) => toFunctionApproval(await functions.loadFunction(id)),
    async decide(id, decision, actor, reason) {
      if (decision === "run" || decision === "always")
        throw new InvalidArgsError("A function cannot be approved for one run or always.", {
          suggestions: ["Decide once to approve it, or deny to reject it."],
        });
      const { title, status } = await functions.loadFunction(id);
      if (status !== "pending_approval") throw new ConflictError(`“${title}” does not wait for approval.`);
      const decided =
        decision === "once"
          ? await functions.approveFunction(id, actor, reason)
          : await functions.rejectFunction(id, actor, reason);
      return toFunctionApproval(decided);
    },
  };
}

type InspectCode = (code: CodeToInspect) => Promise<CodeInspection>;

/**
 * Stores code that a person wrote. A new function is verified; an existing name gets a proposal, which is verified when
 * it is accepted.
 */
export async function registerFunction(
  { functions, inspectCode }: { functions: FunctionsPort } & { inspectCode: InspectCode },
  draft: CodeDraft,
  actor: FunctionActor,
): Promise<Omit<RegistrationResult, "verification"> & Partial<Pick<RegistrationResult, "verification">>> {
  const grants = draft.grants ?? (await grantsOf(draft, inspectCode));
  const registered = await registerCode(functions, { ...draft, grants }, { actor, origin: "written" });
  if (registered.proposalId !== undefined) return registered;
  const { ok, checks } = await functions.verifyFunction(registered.id, actor);
  return { ...registered, verification: { ok, checks } };
}

/** The grants that the code needs: every skill, host and secret that it uses. */
async function grantsOf({ code, tests, parameters }: CodeDraft, inspectCode: InspectCode): Promise<string[]> {
  const { ungranted } = await inspectCode({ source: code, tests, parameters, grants: [] });
  return grantsNeeded(code, parameters, skillGrants(ungranted));
}
