import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { FunctionFixture } from "@metahuman/core/contract/function";
import type { Run, RunOutcome, Usage } from "@metahuman/core/contract/run";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { Identity } from "@metahuman/core/policy/security-policy";
import type { Skill } from "@metahuman/skills/define-skill";

/** A run at its end, as those who learn from it see it. Functions take part in it, else nobody is asked. */
export interface EndedRun {
  run: Run;
  outcome: RunOutcome;
  /** The text of the answer, where there is one. */
  answer: string | undefined;
  usage: Usage;
  role: Identity["role"];
  mode: CognitiveMode;
  trustLevel: TrustLevel;
  config: OperatorConfig["functions"];
  skills: readonly Skill[];
  functions: FunctionsPort;
  /** The function whose recipe was begun, and why it was not followed to its end. */
  replay?: { id: string; values: Record<string, unknown>; deviation?: string };
  /** What the run touched, as it was before; absent when some of it is not known. */
  fixture: () => Promise<FunctionFixture | undefined>;
  /** True when a person asked for exactly one call. */
  isDirect: boolean;
  /** A schedule set it off. */
  isScheduled?: boolean;
  /** True when the built-in planner had to carry out what a model was to plan. */
  fellBack: () => Promise<boolean>;
  timeZone: string;
}
