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
import { listing, structureOf } from "./markdown.ts";
import type { SkillPorts } from "./ports.ts";
import { argumentShape, readArguments, type ArgumentContext, type ArgumentShape } from "./read-arguments.ts";
import { UnexpectedError } from "@metahuman/core/errors/run-errors";

export type SkillCategory = "files" | "tasks" | "memory" | "functions" | "agent" | "web" | "git" | "system";

/** What a call is about to do, judged before it runs: its risk, and how to show it to a person. */
export interface Assessment {
  risk: Risk;
  /** What this call does to the world, where it depends on the call; the skill's own effect when left out. */
  effect?: Effect;
  preview: ActionPreview;
  /** Looks at what the call acts on, whenever it is called: an approval counts for exactly that. Missing: nothing that could change. */
  content?: (signal: AbortSignal) => Promise<ReviewedContent>;
  /** True when something that is there now would be replaced; a call judged without it must not replace anything. */
  overwrites?: boolean;
  /**
   * Every path the call touches, canonical (`out/notes/today.md`, a folder with a slash at its end): what a standing
   * permission has to cover.
   */
  paths: readonly string[];
  /** Every host it talks to, as `URL.host` spells it. */
  hosts: readonly string[];
  /**
   * The calls of skills that are made inside this one, at their least risk. What one of them would have to ask a person
   * is asked for this call, once, with `preview` showing their hosts and paths.
   */
  nested?: readonly NestedCall[];
  /** What a standing permission for this call would cover, no more than the call itself touches; absent: none can be given. */
  grant?: { pathPrefix?: string; paths?: string[]; host?: string };
}

/** A call of a skill inside another call, as far as it is known before it is made. */
export interface NestedCall {
  skill: string;
  effect: Effect;
  risk: Risk;
  requiresApproval: boolean;
  asksPerHost: boolean;
  /** `"*"` where the code decides while it runs. */
  hosts: readonly string[];
  paths: readonly string[];
}

/** What a running skill gets besides its arguments. */
export interface SkillCall extends Region {
  ports: SkillPorts;
  /** Aborted by cancel and by the time-out; pass it on to everything that waits. */
  signal: AbortSignal;
  /** Tells those who follow the run how far a call has come that goes through stages. */
  reached(stage: CallStage): void;
  runId: string;
  conversationId: string;
  /** True when a person asked for exactly this call, and no planner had a say in it. */
  isDirect: boolean;
  /** True for a call that code makes inside of another call. */
  isNested?: boolean;
  /** The step's own key: the same key means the same attempt. */
  idempotencyKey: string;
  /** What the person wrote, word for word: text found in it is their own. */
  request: string;
  /** What the person wrote before in this conversation and answered in this run, word for word. */
  earlierMessages?: readonly string[];
  /** The run so far; what an answer is worded from. */
  scratchpad: readonly ScratchpadEntry[];
  /** What `assess` found when the call was allowed: what was judged a new file must not become an overwrite. */
  assessment: Assessment;
  /** The hash of the content a person approved this call for; the call must act on nothing else. */
  approvedContent?: string;
  now: Date;
}

/** For the ports to call just before they change something: throws `ConflictError` when it is not what a person approved. */
export function approvedContentCheck({
  approvedContent,
  assessment,
  signal,
}: Pick<SkillCall, "approvedContent" | "assessment" | "signal">): (() => Promise<void>) | undefined {
  const { content } = assessment;
  if (approvedContent === undefined || !content) return undefined;
  return async () => {
    if ((await content(signal)).hash === approvedContent) return;
    throw new ConflictError("What this call acts on has changed since it was approved; nothing was done.", {
      suggestions: ["Make the call again: the person is asked about it as it is now."],
    });
  };
}

/** Asks the run to pause for a person; the loop turns the person's reply into the outputs. */
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

/** One typed tool of the operator: a description, schemas, effects and one verb. */
export interface SkillDefinition<Input extends z.ZodObject, Output extends z.ZodObject> extends Omit<
  SkillGrammar,
  "reads"
> {
  summary: string;
  category: SkillCategory;
  input: Input;
  output: Output;
  effects: Effect;
  /** The usual risk, or one that depends on the arguments and the state of the world (see `assess`). */
  risk: Risk;
  /** Looks before the call and says what exactly it would do. Missing: `risk` and a plain listing of the arguments. */
  assess?: (args: z.output<Input>, ports: SkillPorts) => Promise<Assessment>;
  requiresApproval?: boolean;
  /** `low` when missing; `medium` for what uses the network or runs programs. */
  cost?: SkillCost;
  /** True for a skill that asks a person once for each host, whatever the trust level. */
  asksPerHost?: boolean;
  /** True when running it twice does no more than running it once. */
  idempotent?: boolean;
  /** Milliseconds; 30 000 when missing. */
  timeoutMs?: number;
  notes?: string;
  /** One sentence in the past tense: "Wrote out/sandwich.txt (12 bytes)." Only what the outputs show. */
  narrate: (outputs: z.output<Output>) => string;
  /** Bullets or a Markdown table of the outputs only. Missing: a generic list. */
  structure?: (outputs: z.output<Output>) => string;
  /** The same for whoever plans the next call, with the ids it takes. Missing: `structure`. */
  observed?: (outputs: z.output<Output>) => string;
  /** How to get at what an observation leaves out that ends after `shown` characters of `rendered`. */
  readOn?: (outputs: z.output<Output>, rendered: string, shown: number) => string | undefined;
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
  /**
   * Parses unknown arguments, repaired where only one thing can be meant; throws `InvalidArgsError` with every problem
   * and the valid values. Parsing its result again gives the same. Without `asked`, dates are read as of now, here.
   */
  parse(args: unknown, asked?: ArgumentContext): Record<string, unknown>;
  /** All four take arguments or outputs that have been parsed by this skill. */
  assess(args: Record<string, unknown>, ports: SkillPorts): Promise<Assessment>;
  narrate(outputs: Record<string, unknown>): string;
  structure(outputs: Record<string, unknown>): string;
  observed(outputs: Record<string, unknown>): string;
  readOn(outputs: Record<string, unknown>, rendered: string, shown: number): string | undefined;
  /** Runs the verb and checks its output against the schema. */
  run(args: Record<string, unknown>, call: SkillCall): Promise<Record<string, unknown>>;
}

function usualCost(effects: Effect): SkillCost {
  return effects === "network" || effects === "execute" ? "medium" : "low";
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** For skills whose risk does not depend on the call and which touch neither files nor hosts. */
function plainAssessment(
  { summary, risk }: { summary: string; risk: Risk },
  args: Record<string, unknown>,
): Assessment {
  return { risk, preview: { title: `${summary}?`, facts: listing(args) }, paths: [], hosts: [] };
}

/**
 * Completes a definition: arguments are repaired (see `readArguments`) and checked before anything runs, outputs before
 * anybody sees them. `input` must be a `z.strictObject`, so that a misspelled argument is refused rather than dropped.
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
  const structure = (outputs: Record<string, unknown>): string =>
    definition.structure?.(output.parse(outputs)) ?? structureOf(output.parse(outputs));
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
    parse,
    assess: async (args, ports) =>
      (await definition.assess?.(parse(args), ports)) ?? plainAssessment(definition, args),
    narrate: (outputs) => definition.narrate(output.parse(outputs)),
    structure,
    observed: (outputs) => definition.observed?.(output.parse(outputs)) ?? structure(outputs),
    readOn: (outputs, rendered, shown) => definition.readOn?.(output.parse(outputs), rendered, shown),
    run: async (args, call) => checkedOutput(id, output, await definition.run(parse(args), call)),
  };
}

/** A skill's result as its schema promises it. A mismatch is our own mistake and throws `UnexpectedError`. */
function checkedOutput<Output extends z.ZodObject>(
  skill: string,
  output: Output,
  result: unknown,
): z.output<Output> {
  const checked = output.safeParse(result, { error: plainIssue });
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new UnexpectedError(`${skill} returned something other than it promises.`, {
    context: { skill, problems },
  });
}
