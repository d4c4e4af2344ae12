import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { ambientApi } from "@metahuman/sandbox/code/ambient-api";
import type { Skill } from "@metahuman/skills/define-skill";
import type { CodePort, CurationCall, Curator } from "@metahuman/skills/ports";
import type {
  CodeDraft,
  VerificationReport,
  CurationRequest,
  CurationStage,
} from "@metahuman/core/contract/curation";
import { isForCode } from "@metahuman/skills/execute-code/skill";
import { codeOf, registerCode, reportOf, withGrants } from "@metahuman/skills/support/register-code";
import type { Staged, Staging } from "./staging.ts";
import { createExplorer, type ExplorationDependencies } from "./explore.ts";
import { writeCode, type WriterDependencies } from "./write-code.ts";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";

export interface CuratorDependencies extends WriterDependencies, ExplorationDependencies {
  functions(): FunctionsPort;
  code: CodePort;
  skills: readonly Skill[];
  staging: Staging;
}

/** A first attempt, and a second one with the problems of the first. */
const MAX_ATTEMPTS = 2;

/**
 * Creates the curator's workflow. Every attempt is staged first: a repeated call after an interruption asks no model
 * again for a stored reply, repeats no finished check, and publishes only once.
 */
export function createCurator(parts: CuratorDependencies): Curator {
  return {
    async curate(request, call) {
      const progress = followProgress(call);
      const known = await progress.runStage("gather", async () => {
        const value = await gather(request, parts.functions(), call.signal);
        return { ok: true, detail: detailOf(value), value };
      });
      const last = await lastTry({ request, call, known, progress }, parts);
      const { draft, verification } = last;
      const published = await progress.runStage("publish", () => publish(last, call, parts));
      return {
        stages: progress.stages,
        ...(published && { published }),
        ...(draft && { draft }),
        ...(verification && { verification }),
      };
    },
  };
}

interface Curation {
  request: CurationRequest;
  call: CurationCall;
  known: Known;
  progress: Progress;
}

/** Writes and verifies until an attempt passes or none is left. */
async function lastTry(curation: Curation, parts: CuratorDependencies): Promise<Staged> {
  const { request, call, progress } = curation;
  const staged = await parts.staging.get(request.functionName);
  const tries = request.draft ? 1 : MAX_ATTEMPTS;
  let last = staged?.callKey === call.callKey ? staged : undefined;
  for (;;) {
    if (last && isDecided(last) && (last.verification?.ok === true || last.attempt >= tries)) return last;
    const attempt = last && !isDecided(last) ? last : await write(last, curation, parts);
    last = attempt.draft ? await verify(attempt, attempt.draft, call, progress, parts) : attempt;
  }
}

/** Whether an attempt is complete, so that it is either published or followed by another one. */
function isDecided({ unreadable, verification }: Staged): boolean {
  return unreadable !== undefined || verification !== undefined;
}

function write(
  failed: Staged | undefined,
  { request, call, known, progress }: Curation,
  parts: CuratorDependencies,
): Promise<Staged> {
  const { functionName: name, userRequest, draft: suppliedDraft } = request;
  const attempt = (failed?.attempt ?? 0) + 1;
  const stage = async (
    written: Pick<Staged, "reply" | "looked" | "draft" | "unreadable">,
  ): Promise<Staged> => {
    const staged = { name, callKey: call.callKey, attempt, ...written };
    await parts.staging.put(staged);
    return staged;
  };
  return progress.runStage("write", async (): Promise<StageEnd<Staged>> => {
    if (suppliedDraft)
      return {
        ok: true,
        detail: "a person wrote it",
        value: await stage({ reply: "", draft: await withGrants({ ...suppliedDraft, name }, parts.code) }),
      };
    const explorer = createExplorer(parts);
    const looked = [...(failed?.looked ?? [])];
    const task = {
      name,
      userRequest,
      api: ambientApi(parts.skills.filter(isForCode)),
      ...known,
      failed: failed && { reply: failed.reply, problems: problemsOf(failed) },
    };
    let written = await writeCode({ ...task, looked }, parts, call.signal);
    while (written.kind === "look") {
      const { look: exploration, reply } = written;
      const seen = { reply, turns: looked, request: userRequest };
      looked.push(
        await progress.runStage("look", async () => {
          const { turn, detail } = await explorer(exploration, seen, call.signal);
          return { ok: true, detail, value: turn };
        }),
      );
      written = await writeCode({ ...task, looked }, parts, call.signal);
    }
    const { reply } = written;
    if (written.kind === "unreadable")
      return {
        ok: false,
        detail: written.problems,
        value: await stage({ reply, looked, unreadable: written.problems }),
      };
    const draft = await withGrants(written.draft, parts.code);
    return {
      ok: true,
      detail: `try ${attempt}: ${draft.description}${usesOf(draft)}`,
      value: await stage({ reply, looked, draft }),
    };
  });
}

function verify(
  attempt: Staged,
  draft: CodeDraft,
  { signal }: CurationCall,
  progress: Progress,
  { code, staging }: CuratorDependencies,
): Promise<Staged> {
  return progress.runStage("verify", async () => {
    const verification = reportOf(await code.check(codeOf(draft), draft.parameters, signal, draft.name));
    const value = { ...attempt, verification };
    await staging.put(value);
    return {
      ok: verification.ok,
      detail: verification.ok ? "every check passes" : failureDetails(verification),
      value,
    };
  });
}

async function publish(
  last: Staged,
  { runId, isDirect }: CurationCall,
  { functions, staging }: CuratorDependencies,
): Promise<StageEnd<Staged["published"]>> {
  const { draft, verification } = last;
  if (!draft || verification?.ok !== true)
    return { ok: false, detail: "nothing is published; the draft stays in staging", value: undefined };
  const published =
    last.published ??
    (await registerCode(functions(), draft, {
      actor: actorOf(isDirect, runId),
      origin: "curated",
      runId,
    }));
  await staging.put({ ...last, published });
  const detail = published.proposalId === undefined ? "as a draft" : "as a proposal";
  return { ok: true, detail, value: published };
}

function problemsOf({ unreadable, verification }: Staged): string {
  return unreadable ?? (verification ? failureDetails(verification) : "");
}

function failureDetails({ checks }: VerificationReport): string {
  return checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}:\n${detail ?? "failed"}`)
    .join("\n\n");
}

/** Describes the grants that were derived from a draft. */
function usesOf({ grants = [] }: CodeDraft): string {
  return grants.length === 0 ? " It only computes." : ` It uses ${grants.join(", ")}.`;
}

/** The curator is the author of what a model wrote, even if a person requested it. */
function actorOf(isDirect: boolean, runId: string): FunctionActor {
  return { by: "curator", isPerson: false, isOwner: false, runId, ...(isDirect && { surface: "page" }) };
}

/** The existing functions that matter for a draft. */
interface Known {
  /** Similar functions that are verified and active, as examples. Unverified ones are not used. */
  similar: readonly FunctionMemory[];
  /** The function to improve. */
  existing: FunctionMemory | undefined;
}

const MAX_SIMILAR = 3;

/** Any read error stops the curation, because a function may only be created if it is known not to exist. */
async function gather(
  { userRequest, functionName }: CurationRequest,
  functions: FunctionsPort,
  signal: AbortSignal,
): Promise<Known> {
  const existing = await functions.findByName(functionName);
  const { items } = await functions.queryFunctions(userRequest, { limit: MAX_SIMILAR + 1, signal });
  const similar = items.map((item) => item.function).filter(({ id }) => id !== existing?.id);
  return { similar: similar.slice(0, MAX_SIMILAR), existing };
}

/** The detail of the stage: what was found. */
function detailOf({ similar, existing }: Known): string {
  const known = existing
    ? `“${existing.title}” exists in version ${existing.version}`
    : "the name is available";
  const titles = similar.map(({ title }) => `“${title}”`);
  return `${known}; ${titles.length === 0 ? "no similar functions" : `similar functions: ${titles.join(", ")}`}`;
}

/** The status and result of a stage. */
interface StageEnd<Value> {
  ok: boolean;
  detail: string;
  value: Value;
}

/** Reports the stages of a curation and collects them for its outcome. */
interface Progress {
  readonly stages: CurationStage[];
  /** Runs a stage. A stage that throws has failed; an aborted one has not ended. */
  runStage<Value>(name: CurationStage["name"], work: () => Promise<StageEnd<Value>>): Promise<Value>;
}

function followProgress({ reached, signal }: Pick<CurationCall, "reached" | "signal">): Progress {
  const stages: CurationStage[] = [];
  const end = (name: CurationStage["name"], ok: boolean, detail: string) => {
    stages.push({ name, ok, detail });
    reached({ name, state: ok ? "done" : "failed", detail });
  };
  return {
    stages,
    async runStage(name, work) {
      signal.throwIfAborted();
      reached({ name, state: "begun" });
      try {
        const { ok, detail, value } = await work();
        end(name, ok, detail);
        return value;
      } catch (error) {
        if (!signal.aborted) end(name, false, toErrorDetail(error).message);
        throw error;
      }
    },
  };
}
