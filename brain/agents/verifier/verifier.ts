import type { FunctionContent } from "@metahuman/core/contract/function";
import type { CheckEvent, FunctionCheck } from "@metahuman/core/contract/verification";
import type { FunctionVerifier, VerifyOptions } from "@metahuman/core/functions/functions-port";
import { contentHash } from "@metahuman/core/functions/store/content-hash";
import { check, staticChecks } from "@metahuman/core/functions/verify/static-checks";
import {
  CHANGED_RESULT_CHECK,
  REPLAY_CHECK,
  NOT_REPLAYABLE_CHECK,
  VARIATION_CHECK,
  VERIFICATION_RULES,
} from "@metahuman/core/functions/verify/proof";
import { truncate } from "@metahuman/core/text/format";
import { differenceInResult } from "./compare-results.ts";
import { pairedTrials, type TrialDependencies } from "./paired-trial.ts";
import { replayExample, type ReplayOutcome, type ReplayDependencies } from "./replay-example.ts";
import { varyExample, type VariationOutcome } from "./vary-example.ts";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import type { SkillShapes } from "@metahuman/core/functions/verify/argument-shapes";
import type { Skill } from "@metahuman/skills/define-skill";

/** Reports the start and end of each check. */
export type ReportCheck = (event: CheckEvent) => void;

/** Type-checks, lints and tests code functions in a limited process; exit codes decide. */
export interface CodeChecks {
  check(
    content: FunctionContent,
    options: { signal: AbortSignal; report: ReportCheck; agentId?: string | undefined },
  ): Promise<FunctionCheck[]>;
}

export interface VerifierDependencies extends ReplayDependencies, TrialDependencies {
  /** Missing: code cannot be verified here. */
  code?: CodeChecks;
}

/** The time limit for all checks of one function, in milliseconds. */
const TIME_LIMIT_MS = 120_000;
/** How many of the newest examples are varied; each takes several replays. */
const MAX_VARIED = 8;
const TIMED_OUT: FunctionCheck = {
  name: "time limit",
  ok: false,
  detail: `The checks were not finished within ${TIME_LIMIT_MS / 1_000} s. This does not affect the verdict.`,
  inconclusive: true,
};

/**
 * Verifies functions by their behavior: static checks first, then a replay of every example in a scratch environment for
 * recipes, and paired trials for guides where there is a model. Never rejects because of the content of a function;
 * rejects with the reason of the signal.
 */
export function createVerifier(parts: VerifierDependencies): FunctionVerifier {
  const shapes = skillShapes(parts.skill);

  async function behavior(
    content: FunctionContent,
    signal: AbortSignal,
    report: ReportCheck,
    { agentId, before }: Pick<VerifyOptions, "agentId" | "before">,
  ): Promise<FunctionCheck[]> {
    switch (content.kind) {
      case "guide":
        return pairedTrials(content, parts, signal, report);
      case "recipe":
        return replays(content, signal, report, before);
      case "code":
        return parts.code
          ? await parts.code.check(content, { signal, report, agentId })
          : reportEnds([check("code", ["Code cannot be checked here: there is no sandbox."])], report);
      default:
        return content.kind satisfies never;
    }
  }

  /** One after another: they are background work, and the machine stays responsive. */
  async function replays(
    content: FunctionContent,
    signal: AbortSignal,
    report: ReportCheck,
    before: FunctionContent | undefined,
  ): Promise<FunctionCheck[]> {
    const checks: FunctionCheck[] = [];
    for (const [index, example] of content.examples.entries()) {
      report({ type: "check-started", name: `${REPLAY_CHECK} ${index + 1}` });
      const outcome = await replayExample(content, example, parts, signal);
      const { recipe } = content;
      const { fixture } = example;
      const isVaried = recipe && fixture && index >= content.examples.length - MAX_VARIED;
      const variation =
        outcome.kind === "passed" && isVaried
          ? await varyExample(
              { content, recipe, example: { ...example, fixture }, calls: outcome.calls },
              parts,
              signal,
            )
          : { tried: [], problems: [] };
      const difference =
        before && outcome.kind === "passed"
          ? await differenceInResult({ before, after: content, example, replayed: outcome }, parts, signal)
          : undefined;
      const found = [
        checkOf(index + 1, example.prompt, outcome, { variations: variation.tried, difference }),
        ...(difference === undefined
          ? []
          : [{ name: `${CHANGED_RESULT_CHECK} ${index + 1}`, ok: true, detail: difference }]),
        ...variationFailures(index + 1, variation),
      ];
      checks.push(...reportEnds(found, report));
    }
    return checks;
  }

  return {
    async verify(content, { signal: callerSignal, onCheck: report = () => undefined, ...about } = {}) {
      const limit = AbortSignal.timeout(TIME_LIMIT_MS);
      const signal = callerSignal ? AbortSignal.any([callerSignal, limit]) : limit;
      const checks = reportEnds(staticChecks(content, shapes), report);
      // A function that fails its static checks is not run.
      if (checks.every(({ ok }) => ok)) {
        try {
          checks.push(...(await behavior(content, signal, report, about)));
        } catch (error) {
          callerSignal?.throwIfAborted();
          if (!limit.aborted) throw error;
          checks.push(...reportEnds([TIMED_OUT], report));
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

function reportEnds(checks: FunctionCheck[], report: ReportCheck): FunctionCheck[] {
  for (const check of checks) report({ type: "check-ended", check });
  return checks;
}

/** Failed variations only; passed ones are listed in the check of their example. */
function variationFailures(number: number, { problems, inconclusive }: VariationOutcome): FunctionCheck[] {
  const name = `${VARIATION_CHECK} ${number}`;
  if (problems.length > 0) return [check(name, problems)];
  if (inconclusive === undefined) return [];
  const detail = `Not tried with ${inconclusive} This does not affect the verdict.`;
  return [{ name, ok: false, detail, inconclusive: true }];
}

function checkOf(
  number: number,
  prompt: string,
  outcome: ReplayOutcome,
  { variations, difference }: { variations: readonly string[]; difference: string | undefined },
): FunctionCheck {
  const example = `“${truncate(prompt, 100)}”`;
  switch (outcome.kind) {
    case "passed":
      return {
        name: `${REPLAY_CHECK} ${number}`,
        ok: true,
        detail: [
          `${example} ${difference === undefined ? "did the same again" : "worked"} in ${Math.round(outcome.durationMs)} ms.`,
          ...(variations.length > 0 ? [`Varied: ${variations.join(", ")}.`] : []),
        ].join(" "),
      };
    case "failed":
    case "unexpected-effect":
      return { name: `${REPLAY_CHECK} ${number}`, ok: false, detail: `${example}: ${outcome.problem}` };
    case "not-replayable":
      return {
        name: `${NOT_REPLAYABLE_CHECK} ${number}`,
        ok: true,
        detail: `${example} is not replayable: ${outcome.reason}. This does not affect the verdict.`,
      };
    case "inconclusive":
      return {
        name: `${REPLAY_CHECK} ${number}`,
        ok: false,
        detail: `${example} could not be replayed: ${outcome.reason} This does not affect the verdict.`,
        inconclusive: true,
      };
    default:
      return outcome satisfies never;
  }
}

/** The shapes of the installed skills, from their schemas, as the static checks use them. */
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
