import { join } from "node:path";
import type { FunctionMemory } from "../../contract/function.ts";
import type { UpkeepFinding, UpkeepReport } from "../../contract/function-upkeep.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import { replaceFile } from "../../files/durable-file.ts";
import { fileText } from "../../files/file-content.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import { findingsOf } from "./findings.ts";

const PAGE = 200;
/** The maximum number of examples of a function. */
const MAX_EXAMPLES = 50;

export interface UpkeepDependencies {
  functions: FunctionsPort;
  /** The folder of the functions. */
  root: string;
  clock: () => Date;
}

/**
 * Maintains the functions of a profile: disables failing ones, proposes merges of duplicates, reports unused ones. Writes
 * a snapshot first; each change can be undone separately.
 */
export async function maintain(
  { functions, root, clock }: UpkeepDependencies,
  actor: FunctionActor,
  { dryRun, signal }: { dryRun: boolean; signal?: AbortSignal },
): Promise<UpkeepReport> {
  const all = await everyFunction(functions, signal);
  const found = findingsOf(all, clock());
  const at = clock().toISOString();
  const report: UpkeepReport = { at, dryRun, checked: all.length, findings: found };
  const changing = found.filter(({ action }) => action !== "none");
  if (dryRun || changing.length === 0) return report;

  const byId = new Map(all.map((each) => [each.id, each]));
  const touched = new Set(changing.flatMap(({ functionId, otherId }) => [functionId, otherId ?? functionId]));
  const snapshot = join("snapshots", `${at.replaceAll(/[-:.]/g, "")}.json`);
  const before = [...touched].flatMap((id) => byId.get(id) ?? []);
  await replaceFile(join(root, snapshot), fileText({ version: 1, at, functions: before }), "the snapshot");

  const findings: UpkeepFinding[] = [];
  for (const finding of found) {
    signal?.throwIfAborted();
    findings.push({ ...finding, done: await applyIfPresent(finding, { functions, byId, actor }) });
  }
  return { ...report, findings, snapshot };
}

interface FindingContext {
  functions: FunctionsPort;
  byId: ReadonlyMap<string, FunctionMemory>;
  actor: FunctionActor;
}

/** False if there was nothing to do, or the function was deleted meanwhile. */
async function applyIfPresent(finding: UpkeepFinding, context: FindingContext): Promise<boolean> {
  try {
    return await applyFinding(finding, context);
  } catch (error) {
    if (error instanceof FunctionNotFoundError) return false;
    throw error;
  }
}

async function applyFinding(
  { action, functionId, otherId, reason }: UpkeepFinding,
  { functions, byId, actor }: FindingContext,
): Promise<boolean> {
  switch (action) {
    case "none":
      return false;
    case "disable":
      await functions.disableFunction(functionId, actor, reason);
      return true;
    case "propose-merge": {
      const [repeated, original] = [byId.get(functionId), byId.get(otherId ?? "")];
      if (!repeated || !original) return false;
      const known = new Set(original.examples.map(({ prompt }) => prompt));
      const added = repeated.examples.filter(({ prompt }) => !known.has(prompt));
      await functions.proposeRevision(
        original.id,
        {
          origin: "merge",
          change: { examples: [...original.examples, ...added].slice(0, MAX_EXAMPLES) },
          reason: `Adds the examples of “${repeated.title}” (${repeated.id}), which does the same; delete that one afterwards.`,
        },
        actor,
      );
      return true;
    }
    default:
      return action satisfies never;
  }
}

async function everyFunction(functions: FunctionsPort, signal?: AbortSignal): Promise<FunctionMemory[]> {
  const all: FunctionMemory[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    signal?.throwIfAborted();
    const page = await functions.listFunctions({ limit: PAGE, sort: "created", ...(cursor && { cursor }) });
    all.push(...page.items);
    cursor = page.nextCursor;
  }
  return all;
}
