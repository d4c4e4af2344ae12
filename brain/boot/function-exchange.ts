import { NewFunction } from "@metahuman/core/contract/function";
import type { FunctionContent, FunctionMemory } from "@metahuman/core/contract/function";
import type {
  FunctionExport,
  FunctionImport,
  FunctionImportReport,
  ImportedFunction,
} from "@metahuman/core/contract/function-exchange";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { plainIssue, plainReason } from "@metahuman/core/contract/plain-issue";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { completed, contentHoldsSecret } from "@metahuman/core/functions/store/content-rules";
import { contentOf } from "@metahuman/core/functions/store/stored-function";
import type { SkillShapes } from "@metahuman/core/functions/verify/argument-shapes";
import { staticChecks } from "@metahuman/core/functions/verify/static-checks";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";

/** Exports and imports functions. */
export interface FunctionExchange {
  /** Exports these functions, or all. Throws `FunctionNotFoundError` for an unknown id. */
  export(ids: readonly string[] | undefined): Promise<FunctionExport>;
  /**
   * Imports the functions of a file, each as a new draft without trust, status, report, counters and provenance.
   * Executes nothing. With `apply: false`, only reports the outcome for each.
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
const SECRET = "It holds something that looks like a password, key or token.";

export function createFunctionExchange(parts: {
  functions: FunctionsPort;
  shapes: SkillShapes;
  clock: () => Date;
}): FunctionExchange {
  const { functions, shapes, clock } = parts;

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

  async function take(entry: unknown, actor: FunctionActor, apply: boolean): Promise<ImportedFunction> {
    const read = NewFunction.safeParse(contentIn(entry), { error: plainIssue });
    if (!read.success) {
      const reason = `It cannot be taken in: ${plainReason(read.error)}.`;
      return { title: titleIn(entry), outcome: "refused", reason, warnings: [] };
    }
    const { name } = read.data;
    const content = completed(read.data, name ?? UNNAMED);
    const about = { title: content.title, content, warnings: [] };
    if (contentHoldsSecret(content)) return { ...about, outcome: "refused", reason: SECRET };
    const there = name === undefined ? undefined : await functions.findByName(name);
    if (there && canonicalJson(contentOf(there)) === canonicalJson(content))
      return { ...about, outcome: "unchanged", id: there.id };
    const added = { ...about, outcome: "added" as const, warnings: warningsOf(content, shapes) };
    if (!apply) return added;
    try {
      const { name: _taken, ...unnamed } = read.data;
      const saved = await functions.saveFunction(there ? unnamed : read.data, actor, { origin: "imported" });
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
      for (const entry of file.functions) items.push(await take(entry, actor, apply));
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
