import type { CodeDraft, VerificationReport, RegistrationResult } from "@metahuman/core/contract/curation";
import type { FunctionCode, FunctionMemory, NewFunction } from "@metahuman/core/contract/function";
import { grantsNeeded, skillGrants } from "@metahuman/core/contract/code-grants";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";
import type { CodePort } from "../ports.ts";
import { grantsWith } from "./code-effects.ts";

/** Returns the code of a draft. A draft without grants may use nothing: see `withGrants`. */
export function codeOf({ code, tests, grants = [] }: CodeDraft): FunctionCode {
  return {
    language: "typescript",
    entry: "main",
    source: code,
    tests,
    grants,
  };
}

/**
 * Returns a draft with the grants that its code and the functions it calls need, unless it names grants. Code that
 * cannot be read gets none: its verification says why.
 */
export async function withGrants(
  draft: CodeDraft,
  code: Pick<CodePort, "calledSkills" | "calledFunctions">,
): Promise<CodeDraft> {
  if (draft.grants) return draft;
  const saved = { source: draft.code, isSaved: true };
  const skills = await code.calledSkills(saved).catch(noneIfInvalid);
  const called = await code.calledFunctions(saved).catch(noneIfInvalid);
  const own = grantsNeeded(draft.code, draft.parameters, skills);
  return { ...draft, grants: grantsWith(own, called) };
}

/** Invalid code is reported by the verification. */
function noneIfInvalid(error: unknown): [] {
  if (error instanceof MetahumanError) return [];
  throw error;
}

export function reportOf(checks: VerificationReport["checks"]): VerificationReport {
  return { ok: checks.every(({ ok }) => ok), checks };
}

/** Converts a draft to the content of a function. */
function contentOf(draft: CodeDraft): NewFunction {
  const code = codeOf(draft);
  return {
    name: draft.name,
    title: draft.title ?? titleFrom(draft.name),
    summary: draft.description,
    steps: [draft.description],
    skillsUsed: skillGrants(code.grants),
    examples: draft.examplePrompts.map((prompt) => ({ prompt })),
    parameters: draft.parameters,
    kind: "code",
    code,
  };
}

/**
 * Saves a draft. If a function with this name exists, the draft becomes a proposal; only a person or the approval
 * policy changes the active version.
 */
export async function registerCode(
  functions: FunctionsPort,
  draft: CodeDraft,
  { actor, origin, runId }: { actor: FunctionActor; origin: "written" | "curated"; runId?: string },
): Promise<Omit<RegistrationResult, "verification">> {
  const content = contentOf(draft);
  const source = runId !== undefined && { sourceOperatorRunId: runId };
  const live = await functions.findByName(draft.name);
  if (!live) return factsOf(await functions.saveFunction(content, actor, { origin, ...source }));
  // A previous attempt of this run saved the draft before its process ended.
  if (
    runId !== undefined &&
    live.sourceOperatorRunId === runId &&
    canonicalJson(live.code) === canonicalJson(content.code)
  )
    return factsOf(live);
  const { name: _name, examples, ...change } = content;
  const proposal = await functions.proposeRevision(
    live.id,
    {
      change: { ...change, ...(examples?.length && { examples }) },
      origin: origin === "curated" ? "curated" : "edit",
      reason: `${actor.by} rewrote it: ${draft.description}`.slice(0, 2_000),
      ...source,
    },
    actor,
  );
  return { ...factsOf(live), proposalId: proposal.id };
}

function factsOf({ id, name, title, trust, status }: FunctionMemory) {
  return { id, name, title, trust, status };
}

function titleFrom(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
