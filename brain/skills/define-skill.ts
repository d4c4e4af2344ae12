import type { ActionPreview, ReviewedContent } from "@metahuman/core/contract/approval";
import type { CallStage, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { SkillCost } from "@metahuman/core/contract/skill";
import type { Effect, Risk } from "@metahuman/core/contract/trust";
import type {
  Finder,
  Phrase,
  Results,
  SkillGrammar,
  Slot,
  SlotType,
} from "@metahuman/core/language/grammar/phrase";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { z } from "zod";
import { argsError } from "./args-error.ts";
import { plainIssue } from "@metahuman/core/contract/plain-issue";
import { argumentFacts, structureOf } from "./markdown.ts";
import type { SkillPorts } from "./ports.ts";
import { argumentShape, readArguments, type ArgumentContext, type ArgumentShape } from "./read-arguments.ts";
import { UnexpectedError } from "@metahuman/core/errors/run-errors";

export type SkillCategory =
  | "files"
  | "tasks"
  | "schedules"
  | "memory"
  | "functions"
  | "agent"
  | "web"
  | "git"
  | "system";

/** The assessment of a call before it runs: its risk and its preview. */
export interface Assessment {
  risk: Risk;
  /** The effect of this call if it depends on the arguments. Default: the effect of the skill. */
  effect?: Effect;
  preview: ActionPreview;
  /**
   * Reads the current content that the call acts on. An approval applies to exactly this content. Absent if nothing
   * can change.
   */
  content?: (signal: AbortSignal) => Promise<ReviewedContent>;
  /** True if the call replaces something. A call without it must not replace anything. */
  overwrites?: boolean;
  /** True if the archive keeps what the call replaces. Default: whether the skill can reverse its calls. */
  canBeUndone?: boolean;
  /** True if the call creates the file that it writes. */
  creates?: boolean;
  /**
   * Every path that the call touches, canonical (`out/notes/today.md`, a folder with a trailing slash). A grant must
   * cover all of them.
   */
  paths: readonly string[];
  /**
   * The task, schedule, memory or function that the call acts on, with its title or text as it is stored. It must be named by the
   * person, whatever the run has seen of it.
   */
  record?: { id: string; title: string };
  /** Every host that the call contacts, in the form of `URL.host`. */
  hosts: readonly string[];
  /**
   * Calls of other skills inside this one, at their minimum risk. If one of them requires approval, this call asks
   * once, and `preview` shows the hosts and paths.
   */
  nested?: readonly NestedCall[];
  /** The scope of a grant for this call, no wider than the call itself. Absent: no grant is offered. */
  grant?: { pathPrefix?: string; paths?: string[]; host?: string };
}

/** A skill call inside another call, as far as it is known in advance. */
export interface NestedCall {
  skill: string;
  effect: Effect;
  risk: Risk;
  requiresApproval: boolean;
  asksPerHost: boolean;
  /** `"*"` if the code determines them at run time. */
  hosts: readonly string[];
  paths: readonly string[];
}

/** The context of a running skill besides its arguments. */
export interface SkillCall extends Region {
  ports: SkillPorts;
  /** Aborted on cancellation and time-out; pass it to every asynchronous operation. */
  signal: AbortSignal;
  /** Reports the progress of a call with stages. */
  reached(stage: CallStage): void;
  runId: string;
  conversationId: string;
  /** The schedule whose occurrence the run carries out. */
  scheduleId?: string;
  /** True if a person requested exactly this call without a planner. */
  isDirect: boolean;
  /** True for a call that code makes inside another call. */
  isNested?: boolean;
  /** The key of the step: calls with the same key are the same attempt. */
  idempotencyKey: string;
  /** The person's request, verbatim. */
  request: string;
  /** Earlier messages of the person in this conversation and their answers in this run, verbatim. */
  earlierMessages?: readonly string[];
  /** The display name of the person; absent when unknown. */
  person?: string;
  /** The scratchpad of the run, from which answers are written. */
  scratchpad: readonly ScratchpadEntry[];
  /** The result of `assess` at the time of approval. A call assessed as creating a file must not overwrite one. */
  assessment: Assessment;
  /** The hash of the approved content; the call must act on nothing else. */
  approvedContent?: string;
  now: Date;
}

/**
 * Called by ports directly before they change something. Throws `ConflictError` if the content is not the approved
 * one.
 */
export function approvedContentCheck({
  approvedContent,
  assessment,
  signal,
}: Pick<SkillCall, "approvedContent" | "assessment" | "signal">): (() => Promise<void>) | undefined {
  const { content } = assessment;
  if (approvedContent === undefined || !content) return undefined;
  return async () => {
    if ((await content(signal)).hash === approvedContent) return;
    throw new ConflictError("The target of this call changed after the approval, so nothing was done.", {
      suggestions: ["Make the call again to request approval for its current state."],
    });
  };
}

/** Asks the run to pause for a person; the loop stores the reply as the outputs. */
export class WaitForPerson extends Error {
  readonly question: string;
  readonly options: readonly string[];
  constructor(question: string, options: readonly string[]) {
    super("waiting for a person");
    this.name = "WaitForPerson";
    this.question = question;
    this.options = options;
  }
}

/** A typed tool of the operator: a description, schemas, effects and one function. */
export interface SkillDefinition<Input extends z.ZodObject, Output extends z.ZodObject> extends Omit<
  SkillGrammar,
  "reads"
> {
  summary: string;
  category: SkillCategory;
  input: Input;
  output: Output;
  effects: Effect;
  /** The usual risk, or a function of the arguments and the current state (see `assess`). */
  risk: Risk;
  /**
   * Returns what the call would do, without doing it, with moments as the clocks of the region show them. Default: `risk`
   * and a list of the arguments.
   */
  assess?: (args: z.output<Input>, ports: SkillPorts, region: Region) => Promise<Assessment>;
  requiresApproval?: boolean;
  /** Default: `low`; `medium` for skills that use the network or run programs. */
  cost?: SkillCost;
  /** True if the skill asks for each host, at every trust level. */
  asksPerHost?: boolean;
  /** True if a second identical call has no further effect. */
  idempotent?: boolean;
  /** Milliseconds. Default: 30 000. */
  timeoutMs?: number;
  notes?: string;
  /** One sentence in the past tense, based on the outputs only: "Created out/sandwich.txt." */
  narrate: (outputs: z.output<Output>, region: Region) => string;
  /** Bullets or a Markdown table, based on the outputs only. Default: a generic list. */
  structure?: (outputs: z.output<Output>, region: Region) => string;
  /** The rendering for planners, with ids for further calls. Default: `structure`. */
  observed?: (outputs: z.output<Output>, region: Region) => string;
  /**
   * Returns the call that reads the rest of an observation that was clipped after `clippedAt` characters of `rendered`.
   */
  readOn?: (outputs: z.output<Output>, rendered: string, clippedAt: number) => string | undefined;
  run: (args: z.output<Input>, call: SkillCall) => Promise<z.input<Output>>;
}

/** A skill as the tool executor calls it; it validates arguments and outputs with its own schemas. */
export interface Skill {
  readonly id: string;
  readonly summary: string;
  readonly category: SkillCategory;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly effects: Effect;
  readonly risk: Risk;
  readonly requiresApproval: boolean;
  readonly cost: SkillCost;
  readonly asksPerHost: boolean;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly notes: string | undefined;
  readonly phrases: readonly (string | Phrase)[];
  readonly slots: Record<string, SlotType | Slot>;
  readonly finds: Finder | undefined;
  readonly results: Results | undefined;
  readonly answers: string | undefined;
  readonly keeps: string | undefined;
  readonly views: SkillGrammar["views"] | undefined;
  readonly narrow: SkillGrammar["narrow"] | undefined;
  readonly reverse: SkillGrammar["reverse"] | undefined;
  readonly amend: SkillGrammar["amend"] | undefined;
  readonly moves: SkillGrammar["moves"] | undefined;
  readonly checks: SkillGrammar["checks"] | undefined;
  /**
   * Parses unknown arguments and repairs unambiguous mistakes. Throws `InvalidArgsError` with every problem and the
   * valid values. Idempotent. Without `asked`, dates are relative to the current time in the local time zone.
   */
  parse(args: unknown, asked?: ArgumentContext): Record<string, unknown>;
  /**
   * These functions accept only arguments or outputs that this skill has parsed. Times are shown as in `region`; default:
   * the region of this machine.
   */
  assess(args: Record<string, unknown>, ports: SkillPorts, region?: Region): Promise<Assessment>;
  narrate(outputs: Record<string, unknown>, region?: Region): string;
  structure(outputs: Record<string, unknown>, region?: Region): string;
  observed(outputs: Record<string, unknown>, region?: Region): string;
  readOn(outputs: Record<string, unknown>, rendered: string, clippedAt: number): string | undefined;
  /** Runs the skill and checks its output against the schema. */
  run(args: Record<string, unknown>, call: SkillCall): Promise<Record<string, unknown>>;
}

function usualCost(effects: Effect): SkillCost {
  return effects === "network" || effects === "execute" ? "medium" : "low";
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** The assessment for skills with a constant risk that touch neither files nor hosts. */
function plainAssessment(
  { summary, risk }: { summary: string; risk: Risk },
  args: Record<string, unknown>,
): Assessment {
  return { risk, preview: { title: `${summary}?`, facts: argumentFacts(args) }, paths: [], hosts: [] };
}

/**
 * Builds a skill from its definition. Arguments are repaired (see `readArguments`) and validated before a run,
 * outputs before they are returned. `input` must be a `z.strictObject`, so that misspelt arguments are rejected.
 */
export function defineSkill<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: SkillDefinition<Input, Output>,
): Skill {
  const { id, input, output, risk } = definition;
  if (input.def.catchall?._zod.def.type !== "never")
    throw new TypeError(`${id}: its input is not a strict object`);
  let shape: ArgumentShape | undefined;
  const parse = (given: unknown, asked?: ArgumentContext): z.output<Input> => {
    shape ??= argumentShape(input);
    const { args, problems, suggestions } = readArguments(given, shape, asked, asked ?? regionOf());
    const parsed = input.safeParse(args, { reportInput: true, error: plainIssue });
    if (parsed.success && problems.size === 0) return parsed.data;
    const issues = parsed.error?.issues.filter(({ path }) => !problems.has(path.join("."))) ?? [];
    throw argsError(id, input, issues, { problems: [...problems.values()], suggestions });
  };
  const structure = (outputs: Record<string, unknown>, region = regionOf()): string =>
    definition.structure?.(output.parse(outputs), region) ?? structureOf(output.parse(outputs));
  return {
    id,
    summary: definition.summary,
    category: definition.category,
    input,
    output,
    effects: definition.effects,
    risk,
    requiresApproval: definition.requiresApproval ?? false,
    cost: definition.cost ?? usualCost(definition.effects),
    asksPerHost: definition.asksPerHost ?? false,
    idempotent: definition.idempotent ?? false,
    timeoutMs: definition.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    notes: definition.notes,
    phrases: definition.phrases,
    slots: definition.slots ?? {},
    finds: definition.finds,
    results: definition.results,
    answers: definition.answers,
    keeps: definition.keeps,
    views: definition.views,
    narrow: definition.narrow,
    reverse: definition.reverse,
    amend: definition.amend,
    moves: definition.moves,
    checks: definition.checks,
    parse,
    assess: async (args, ports, region = regionOf()) =>
      (await definition.assess?.(parse(args), ports, region)) ?? plainAssessment(definition, args),
    narrate: (outputs, region = regionOf()) => definition.narrate(output.parse(outputs), region),
    structure,
    observed: (outputs, region = regionOf()) =>
      definition.observed?.(output.parse(outputs), region) ?? structure(outputs, region),
    readOn: (outputs, rendered, clippedAt) => definition.readOn?.(output.parse(outputs), rendered, clippedAt),
    run: async (args, call) => checkedOutput(id, output, await definition.run(parse(args), call)),
  };
}

/** Validates a skill's result. A mismatch is a defect of the skill and throws `UnexpectedError`. */
function checkedOutput<Output extends z.ZodObject>(
  skill: string,
  output: Output,
  result: unknown,
): z.output<Output> {
  const checked = output.safeParse(result, { error: plainIssue });
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new UnexpectedError(`${skill} returned an output that does not match its schema.`, {
    context: { skill, problems },
  });
}
