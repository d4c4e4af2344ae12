import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { ambientApi } from "@metahuman/sandbox/code/ambient-api";
import type { Skill } from "@metahuman/skills/define-skill";
import type { CodePort } from "@metahuman/skills/ports";
import type {
  CodeDraft,
  CodeReport,
  CurationOutcome,
  CurationRequest,
  CurationStage,
} from "@metahuman/core/contract/curation";
import type { Curator } from "@metahuman/skills/support/curation";
import { codeOf, registerCode, reportOf } from "@metahuman/skills/support/register-code";
import type { Staging } from "./staging.ts";
import { writeCode, type WriterMeans, type Written } from "./write-code.ts";

export interface CuratorParts extends WriterMeans {
  functions(): FunctionsPort;
  code: CodePort;
  skills: readonly Skill[];
  staging: Staging;
}

/** A first try, and one more that knows what was wrong with it. */
const TRIES = 2;
const SIMILAR = 3;

/** The workflow of design 5.8. Its drafts are staged, so that a run that is resumed goes on from the last of them. */
export function createCurator(parts: CuratorParts): Curator {
  const { code, staging } = parts;

  return {
    async curate(request, { runId, isDirect, signal }) {
      const stages: CurationStage[] = [];
      const reached = (name: CurationStage["name"], ok: boolean, detail: string) =>
        stages.push({ name, ok, detail });
      const { functionName: name } = request;

      const { similar, existing } = await gather(request, parts, signal);
      reached("gather", true, gathered(similar, existing));

      let draft: CodeDraft | undefined;
      let verification: CodeReport | undefined;
      let failed: { reply: string; problems: string } | undefined;
      const staged = await staging.get(name);
      const goesOn = staged?.runId === runId ? staged : undefined;
      const tries = request.draft ? 1 : TRIES;
      for (let attempt = goesOn?.attempt ?? 1; attempt <= tries; attempt += 1) {
        const written =
          goesOn?.attempt === attempt
            ? { draft: goesOn.draft, reply: JSON.stringify(goesOn.draft) }
            : await write(request, { similar, existing, failed }, signal);
        if (!written.draft) {
          reached("write", false, written.problems);
          failed = written;
          continue;
        }
        ({ draft } = written);
        await staging.put({ runId, attempt, draft });
        reached("write", true, request.draft ? "a person wrote it" : `try ${attempt}: ${draft.description}`);

        verification = reportOf(await code.check(codeOf(draft), draft.parameters, signal));
        const problems = problemsOf(verification);
        reached("verify", verification.ok, verification.ok ? "every check passes" : problems);
        if (verification.ok) {
          const published = await registerCode(parts.functions(), draft, {
            actor: actorOf(isDirect, runId),
            origin: "curated",
            runId,
          });
          await staging.remove(name);
          reached("publish", true, published.proposalId === undefined ? "as a draft" : "as a proposal");
          return { published, stages, draft, verification };
        }
        failed = { reply: written.reply, problems };
      }
      reached("publish", false, "nothing is published; the draft stays in staging");
      return outcome(stages, draft, verification);
    },
  };

  async function write(
    request: CurationRequest,
    known: {
      similar: FunctionMemory[];
      existing: FunctionMemory | undefined;
      failed: { reply: string; problems: string } | undefined;
    },
    signal: AbortSignal,
  ): Promise<Written> {
    const { functionName: name, userRequest, draft } = request;
    if (draft) return { draft: { ...draft, name }, reply: "" };
    const callable = parts.skills.filter(({ category }) => category !== "agent" && category !== "functions");
    return writeCode({ name, userRequest, api: ambientApi(callable), ...known }, parts, signal);
  }
}

/** What fails to be read stops everything: only what is known to be absent may be created. */
async function gather(
  { userRequest, functionName }: CurationRequest,
  parts: CuratorParts,
  signal: AbortSignal,
): Promise<{ similar: FunctionMemory[]; existing: FunctionMemory | undefined }> {
  const functions = parts.functions();
  const existing = await functions.findByName(functionName);
  const { items } = await functions.queryFunctions(userRequest, { limit: SIMILAR + 1, trust: "any", signal });
  const similar = items.map((item) => item.function).filter(({ id }) => id !== existing?.id);
  return { similar: similar.slice(0, SIMILAR), existing };
}

function gathered(similar: readonly FunctionMemory[], existing: FunctionMemory | undefined): string {
  const known = existing ? `“${existing.title}” is there in version ${existing.version}` : "the name is free";
  return `${known}; like it: ${similar.map(({ title }) => `“${title}”`).join(", ") || "nothing"}`;
}

function problemsOf({ checks }: CodeReport): string {
  return checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name}:\n${detail ?? "failed"}`)
    .join("\n\n");
}

/** Also when a person asked for it, what a model wrote is the curator's. */
function actorOf(isDirect: boolean, runId: string): FunctionActor {
  return { by: "curator", isPerson: false, isOwner: false, runId, ...(isDirect && { surface: "page" }) };
}

function outcome(
  stages: CurationStage[],
  draft: CodeDraft | undefined,
  verification: CodeReport | undefined,
): CurationOutcome {
  return { stages, ...(draft && { draft }), ...(verification && { verification }) };
}
