import type { AuditEvent } from "@metahuman/core/contract/audit";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ConversationContext } from "@metahuman/core/contract/context";
import type { ModelCallRecord } from "@metahuman/core/contract/model-call";
import { regionOf } from "@metahuman/core/contract/region";
import type { Run, ScratchpadEntry, Usage } from "@metahuman/core/contract/run";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { RunRequest, RunStore } from "@metahuman/core/runs/run-store";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import { callsInOutputs } from "@metahuman/skills/support/code-outcome";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import type { OperatorOptions } from "../operator-options.ts";
import type { Planner } from "../planner.ts";
import { THOUGHTS } from "../planners/built-in/phrasing.ts";
import { offerPattern, type PostRun } from "../post-run/post-run.ts";
import { creditMemories, rememberRun } from "../post-run/remember.ts";
import { beginsConversation, conversationBefore, earlierRuns } from "./conversation-context.ts";
import { effectivePolicy, limitToGrants } from "./effective-policy.ts";
import type { RunDependencies } from "./run-context.ts";
import type { ClaimedRun, RunStorage } from "./run-scheduler.ts";

/** Builds the dependencies of one claimed run from the profile's services and the current configuration and flags. */
export async function createRunDependencies(
  run: Run,
  claimed: ClaimedRun,
  storage: RunStorage,
  options: OperatorOptions,
  postRun: PostRun | undefined,
): Promise<RunDependencies> {
  const { logger, skills, clock, persistent, ephemeral } = options;
  const request = await storage.store.request(run.id);
  const { operator: config, runtime } = await options.config.refresh();
  const isConversationOnly = storage === options.ephemeral;
  const { direct } = request;
  let loadedRuns: Promise<readonly EarlierRequest[]> | undefined;
  const { occurrence } = request;
  // Occurrences are independent: earlier ones must not change how the request is interpreted.
  const earlier = () =>
    (loadedRuns ??=
      occurrence || beginsConversation(request) ? Promise.resolve([]) : earlierRequests(run, storage.store));
  let loadedConversation: Promise<ConversationContext> | undefined;
  const budgetTokens = config.budgets.conversation;
  const conversation = () =>
    (loadedConversation ??= occurrence
      ? Promise.resolve(EMPTY_CONVERSATION)
      : conversationBefore(run, request, storage, {
          persistent,
          ephemeral,
          budgetTokens,
        }));
  const planner = await options.choosePlanner({
    request: request.request,
    conversationOnly: isConversationOnly,
    agentId: run.agentId,
    requestedAt: new Date(run.createdAt),
    earlier,
    ...(direct && { direct }),
    ...(occurrence && { isScheduled: true }),
  });
  const recorder = createRunRecorder(claimed, request, storage, options);
  const { sessionId } = request.request;
  const currentMode = async () => effectivePolicy(request.identity, await options.settings()).mode;

  return {
    ...options.services,
    ...claimed,
    ...recorder,
    request,
    planner,
    skills: isConversationOnly ? [] : skills,
    critic: options.critic,
    config,
    persona: async () => (request.identity.role === "guest" ? options.persona?.() : undefined),
    // A guest gets a conversation without any context of the profile.
    flags: {
      ...runtime.operator,
      useContextPackage: runtime.operator.useContextPackage && request.identity.role !== "guest",
    },
    earlier,
    conversation,
    continued: await continuedSteps(request, storage),
    workspace: async () => (isConversationOnly ? [] : workspaceRoots(options)),
    async buildContext(signal) {
      const startedAt = performance.now();
      const contextPackage = await options.buildContext({
        message: run.goal,
        mode: await currentMode(),
        conversationId: run.conversationId,
        conversation: await conversation(),
        sessionId,
        agentId: run.agentId,
        useFunctions: runtime.operator.useFunctions && !isConversationOnly,
        signal,
      });
      recorder.auditLater("context_package_built", {
        memories: contextPackage.memories.map((recalled) => recalled.memory.id),
        functions: contextPackage.relevantFunctions.map((offered) => offered.id),
        tasks: contextPackage.activeTasks.length,
        tokens: contextPackage.budget.used,
        durationMs: Math.round(performance.now() - startedAt),
      });
      return contextPackage;
    },
    async currentPolicy() {
      options.expectChanges();
      // Permissions are always read from the store, which then also knows whether the settings are still current.
      const grants = await storage.store.grants();
      const settings = await options.settings();
      const policy = {
        ...effectivePolicy(request.identity, settings),
        overrides: settings.skillOverrides,
        grants,
      };
      return occurrence
        ? limitToGrants(policy, occurrence, { skills, goal: run.goal, now: clock() })
        : policy;
    },
    approvals: () => storage.store.approvalsOf(run.id),
    confirmClaim: () => storage.store.confirmClaim(claimed.claim),
    actionStarted: (step) => storage.store.actionStarted(run.id, step),
    onAnswerText: (text, offset) => storage.feed.publishAnswerPart(run.id, text, offset),
    logError: (message, cause) =>
      logger.error({ err: cause, runId: run.id, code: toErrorDetail(cause).code }, message),
    now: clock,
    ...afterRun(
      {
        claimed,
        request,
        planner,
        storage,
        recorder,
        conversationOnly: isConversationOnly,
        config,
        flags: runtime.operator,
      },
      options,
      postRun,
    ),
  };
}

/** Stores and learns from a run when its loop ends. */
function afterRun(
  {
    claimed,
    request,
    planner,
    storage,
    recorder,
    conversationOnly,
    config,
    flags,
  }: {
    claimed: ClaimedRun;
    request: RunRequest;
    planner: Planner;
    storage: RunStorage;
    recorder: Recording;
    conversationOnly: boolean;
    config: OperatorConfig;
    flags: RuntimeConfig["operator"];
  },
  options: OperatorOptions,
  postRun: PostRun | undefined,
): Pick<RunDependencies, "remember" | "offerPattern" | "recordFunctionResults" | "onLoopEnd"> {
  const { memory, skills, clock } = options;
  const { direct, occurrence, identity } = request;
  return {
    async remember(ending) {
      // A scheduled repetition is not a habit of the person.
      if (conversationOnly || occurrence) return;
      const { mode } = effectivePolicy(identity, await options.settings());
      await rememberRun(memory, {
        ...ending,
        mode,
        sessionId: request.request.sessionId,
        region: regionOf(request.request),
        isDirect: direct !== undefined,
        skills,
      });
      await creditMemories(memory, { ...ending, mode, region: regionOf(request.request), skills });
    },
    async offerPattern() {
      if (conversationOnly || direct !== undefined || !flags.useFunctions) return undefined;
      // Nobody reads the answer of a scheduled run, so the only offer is kept for a person.
      if (occurrence !== undefined) return undefined;
      return offerPattern(
        claimed.run(),
        memory,
        options.services.functionsOf(claimed.run().agentId),
        clock(),
      );
    },
    async recordFunctionResults(outcome, answer) {
      if (conversationOnly || !flags.useFunctions || !postRun) return [];
      return postRun.recordResults({
        run: claimed.run(),
        outcome,
        answer,
        usage: recorder.usage(),
        request,
        planner,
        storage,
      });
    },
    async onLoopEnd() {
      const run = claimed.run();
      if (run.status === "ended") {
        options.conversationSummaries.update(run, storage.store, recorder.onModelCall);
        if (storage === options.persistent) options.conversationTitles?.update(run, storage.store);
      }
      if (!config.logging.enableScratchpadDump || conversationOnly) return;
      const modelCalls = await storage.store.modelCalls(run.id);
      await options.dumpRun({
        run: { ...run, modelCalls },
        request,
        config,
        flags,
      });
    },
  };
}

const EMPTY_CONVERSATION: ConversationContext = { turns: [], topics: [], omittedTurns: 0 };

/** How many predecessors a continued run reads. */
const MAX_CONTINUED_RUNS = 20;

/** The observed steps of the runs that this one continues, oldest first. */
async function continuedSteps({ continues }: RunRequest, { store }: RunStorage): Promise<ScratchpadEntry[]> {
  let steps: ScratchpadEntry[] = [];
  let before = continues;
  for (let count = 0; before !== undefined && count < MAX_CONTINUED_RUNS; count += 1) {
    const { scratchpad } = await store.run(before);
    steps = [...scratchpad.filter(({ action, observation }) => action && observation), ...steps];
    before = (await store.request(before)).continues;
  }
  return steps.filter(({ action }) => action?.tool !== ANSWER_SKILL);
}

/** The roots of the workspace with their entry counts; a root that cannot be listed is left out. */
async function workspaceRoots({
  services,
  settings,
}: OperatorOptions): Promise<{ root: string; entries: number }[]> {
  const roots = ["out", "inbox", ...Object.keys((await settings()).workspaceRoots)];
  const listed = await Promise.allSettled(
    roots.map((root) => services.ports.files.list(root, { recursive: false, limit: 1 })),
  );
  return listed.flatMap((result, index) =>
    result.status === "fulfilled" ? [{ root: roots[index] ?? "", entries: result.value.total }] : [],
  );
}

/** The earlier requests of the conversation and their calls, newest first. */
async function earlierRequests(run: Run, store: Pick<RunStore, "run" | "runs">): Promise<EarlierRequest[]> {
  const runs = await earlierRuns(run, store);
  return runs.map(({ goal, scratchpad, result, suggestions, offers, ...run }) => ({
    request: goal,
    ...functionOf({ offers, ...run }),
    ...(result !== undefined && { answer: result }),
    ...(suggestions !== undefined && { suggestions }),
    ...(offers !== undefined && { offers }),
    calls: scratchpad.flatMap(({ thought, action, observation }) =>
      // The person did not request the list of files for a name in words, so "it" refers to none of them.
      action && observation && thought !== THOUGHTS.fileInWords
        ? [
            {
              skill: action.tool,
              args: action.args,
              outputs: observation.success ? observation.outputs : undefined,
              observed: observation.content,
            },
            ...callsInOutputs(observation.outputs),
          ]
        : [],
    ),
  }));
}

/** The function that an answer was about: the one that was followed, learned, or offered alone. */
function functionOf({
  functionsUsed,
  learnedFunction,
  offers = [],
}: Pick<Run, "functionsUsed" | "learnedFunction" | "offers">): { functionId?: string } {
  const followed = functionsUsed.find((use) => use.followed);
  const offered = offers.length === 1 ? offers[0] : undefined;
  const functionId = followed?.id ?? learnedFunction?.id ?? offered?.functionId;
  return functionId === undefined ? {} : { functionId };
}

export type Recording = Pick<RunDependencies, "audit" | "auditLater" | "audited" | "onModelCall" | "usage">;

/** Records what is not an event of a run: audit entries, model calls and usage. */
function createRunRecorder(
  { run: currentRun, claim }: Pick<ClaimedRun, "run" | "claim">,
  { surface }: RunRequest,
  { store }: RunStorage,
  { audit, username, logger, clock }: Pick<OperatorOptions, "audit" | "username" | "logger" | "clock">,
): Recording {
  const { id: runId, usage: before } = currentRun();
  const usage = startUsage(before);
  const pending = new Set<Promise<void>>();
  /** Tracks background work; only the end of the run awaits it. */
  const track = (work: Promise<void>, failure: string): void => {
    const done = work
      .catch((error: unknown) => logger.error({ err: error, runId }, failure))
      .finally(() => pending.delete(done));
    pending.add(done);
  };
  const record: Recording["audit"] = (event, details) =>
    audit.append({ event, runId, actor: username, surface, details });
  const auditLater = (event: AuditEvent["event"], details: Record<string, unknown>): void =>
    track(record(event, details), "the audit log could not be written");

  return {
    audit: record,
    auditLater,
    async audited() {
      await Promise.all(pending);
    },
    onModelCall(call) {
      usage.add(call);
      auditLater("llm_call", callMetrics(call));
      track(
        store.recordModelCall(claim, recordOf(call, currentRun(), clock())),
        "a model call could not be stored for the run inspector",
      );
    },
    usage: () => usage.total(),
  };
}

/** How much of a model's thinking is stored, in characters. */
const MAX_THINKING = 50_000;

function recordOf({ messages, thinking, ...call }: ModelCall, run: Run, at: Date): ModelCallRecord {
  return {
    ...call,
    ...(thinking !== undefined && { thinking: thinking.slice(0, MAX_THINKING).toWellFormed() }),
    step: currentStep(run),
    messages: messages.map(({ role, content }) => ({ role, content })),
    at: at.toISOString(),
  };
}

/** The current step: the first one without an observation, or the one being planned. */
function currentStep({ scratchpad }: Run): number {
  const open = scratchpad.find(({ action, observation }) => action && !observation);
  return open?.step ?? (scratchpad.at(-1)?.step ?? 0) + 1;
}

/** Adds to the usage that the run had when this process claimed it. */
function startUsage(before: Usage) {
  const startedAt = performance.now();
  const sum = { ...before };
  return {
    add({ purpose, promptTokens, completionTokens }: ModelCall): void {
      sum.modelCalls += 1;
      if (purpose === "plan" || purpose === "choose") sum.planningCalls += 1;
      sum.promptTokens += promptTokens;
      sum.completionTokens += completionTokens;
    },
    total: (): Usage => ({
      ...sum,
      durationMs: before.durationMs + Math.round(performance.now() - startedAt),
    }),
  };
}
