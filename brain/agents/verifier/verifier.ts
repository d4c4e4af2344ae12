import type { FunctionContent } from "@metahuman/core/contract/function";
import type { CheckEvent, FunctionCheck } from "@metahuman/core/contract/verification";
import type { FunctionVerifier } from "@metahuman/core/functions/functions-port";
import { contentHash } from "@metahuman/core/functions/store/content-hash";
import { check, staticChecks } from "@metahuman/core/functions/verify/static-checks";
import {
  REPLAY_CHECK,
  UNPLAYABLE_CHECK,
  VARIATION_CHECK,
  VERIFICATION_RULES,
} from "@metahuman/core/functions/verify/proof";
import { pairedTrials, type TrialDependencies } from "./paired-trial.ts";
import { replayExample, type ReplayOutcome, type ReplayDependencies } from "./replay-example.ts";
import { varyExample, type VariationOutcome } from "./vary-example.ts";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import type { SkillShapes } from "@metahuman/core/functions/verify/argument-shapes";
import type { Skill } from "@metahuman/skills/define-skill";

/** Says of each check that it began and ended. */
export type ReportCheck = (event: CheckEvent) => void;

/** Type-checks, lints and tests code functions in a limited process; exit codes decide. */
export interface CodeChecks {
  check(
    content: FunctionContent,
    options: { signal: AbortSignal; tell: ReportCheck; agentId?: string | undefined },
  ): Promise<FunctionCheck[]>;
}

export interface VerifierDependencies extends ReplayDependencies, TrialDependencies {
  /** Missing: code cannot be verified here. */
  code?: CodeChecks;
}

/** All checks of one function take no longer. */
const LONGEST_MS = 120_000;
/** Only the newest examples are varied: each takes several replays. */
const MOST_VARIED = 8;
const TIMED_OUT: FunctionCheck = {
  name: "time limit",
  ok: false,
  detail: `The checks were not finished within ${LONGEST_MS / 1_000} s. This decides nothing.`,
  inconclusive: true,
};

/**
 * Proves functions by what they do (design 5.5): the checks of their text, then, for recipes, a replay of every example
 * in a scratch workspace of its own, and for guides, where there is a model, a run of examples with and without them. Never rejects for what stands in a function; rejects with the signal's reason.
 */
export function createVerifier(parts: VerifierDependencies): FunctionVerifier {
  const shapes = skillShapes(parts.skill);

  async function behaviour(
    content: FunctionContent,
    signal: AbortSignal,
    tell: ReportCheck,
    agentId: string | undefined,
  ): Promise<FunctionCheck[]> {
    switch (content.kind) {
      case "guide":
        return pairedTrials(content, parts, signal, tell);
      case "recipe":
        return replays(content, signal, tell);
      case "code":
        return parts.code
          ? await parts.code.check(content, { signal, tell, agentId })
          : ended([check("code", ["Code cannot be checked here: there is no sandbox."])], tell);
      default:
        return content.kind satisfies never;
    }
  }

  /** One after another: they are real work, and nobody waits for them. */
  async function replays(
    content: FunctionContent,
    signal: AbortSignal,
    tell: ReportCheck,
  ): Promise<FunctionCheck[]> {
    const checks: FunctionCheck[] = [];
    for (const [at, example] of content.examples.entries()) {
      tell({ type: "check-started", name: `${REPLAY_CHECK} ${at + 1}` });
      const outcome = await replayExample(content, example, parts, signal);
      const { recipe } = content;
      const { fixture } = example;
      const isVaried = recipe && fixture && at >= content.examples.length - MOST_VARIED;
      const variation =
        outcome.kind === "held" && isVaried
          ? await varyExample(
              { content, recipe, example: { ...example, fixture }, calls: outcome.calls },
              parts,
              signal,
            )
          : { tried: [], problems: [] };
      const found = [
        checkOf(at + 1, example.prompt, outcome, variation.tried),
        ...variationFailures(at + 1, variation),
      ];
      checks.push(...ended(found, tell));
    }
    return checks;
  }

  return {
    async verify(content, { signal: given, onCheck: tell = () => undefined, agentId } = {}) {
      const limit = AbortSignal.timeout(LONGEST_MS);
      const signal = given ? AbortSignal.any([given, limit]) : limit;
      const checks = ended(staticChecks(content, shapes), tell);
      // What cannot be trusted as text is not run.
      if (checks.every(({ ok }) => ok)) {
        try {
          checks.push(...(await behaviour(content, signal, tell, agentId)));
        } catch (error) {
          given?.throwIfAborted();
          if (!limit.aborted) throw error;
          checks.push(...ended([TIMED_OUT], tell));
        }
      }
      return {
        at: parts.clock().toISOString(),
        contentHash: contentHash(content),
        ok: checks.every(({ ok }) => ok),
        rules: VERIFICATION_RULES,
        checks,
      };
    },
  };
}

function ended(checks: FunctionCheck[], tell: ReportCheck): FunctionCheck[] {
  for (const check of checks) tell({ type: "check-ended", check });
  return checks;
}

/** What a variation that passed tells stands in the check of its example. */
function variationFailures(number: number, { problems, inconclusive }: VariationOutcome): FunctionCheck[] {
  const name = `${VARIATION_CHECK} ${number}`;
  if (problems.length > 0) return [check(name, problems)];
  if (inconclusive === undefined) return [];
  const detail = `Not tried with ${inconclusive} It decides nothing.`;
  return [{ name, ok: false, detail, inconclusive: true }];
}

function checkOf(
  number: number,
  prompt: string,
  outcome: ReplayOutcome,
  variations: readonly string[],
): FunctionCheck {
  const example = `“${prompt.length > 100 ? `${prompt.slice(0, 100)}…` : prompt}”`;
  switch (outcome.kind) {
    case "held":
      return {
        name: `${REPLAY_CHECK} ${number}`,
        ok: true,
        detail: [
          `${example} did the same again in ${Math.round(outcome.durationMs)} ms.`,
          ...(variations.length > 0 ? [`Varied: ${variations.join(", ")}.`] : []),
        ].join(" "),
      };
    case "broken":
    case "unnamed-effect":
      return { name: `${REPLAY_CHECK} ${number}`, ok: false, detail: `${example}: ${outcome.problem}` };
    case "unplayable":
      return {
        name: `${UNPLAYABLE_CHECK} ${number}`,
        ok: true,
        detail: `${example} is not replayable: ${outcome.reason}. It decides nothing.`,
      };
    case "inconclusive":
      return {
        name: `${REPLAY_CHECK} ${number}`,
        ok: false,
        detail: `${example} could not be replayed: ${outcome.reason} It decides nothing.`,
        inconclusive: true,
      };
    default:
      return outcome satisfies never;
  }
}

/** What checks need to know of the installed skills, from their own schemas. */
export function skillShapes(skill: (id: string) => Skill | undefined): SkillShapes {
  return {
    has: (id) => skill(id) !== undefined,
    problems(id, args) {
      const parsed = skill(id)?.input.safeParse(args, { error: plainIssue });
      if (!parsed || parsed.success) return [];
      return parsed.error.issues.map(({ path, message }) => ({ path, message }));
    },
    hasOutput(id, field) {
      const [first = field] = field.split(".");
      return Object.hasOwn(skill(id)?.output.shape ?? {}, first);
    },
  };
}
