import { regionOf } from "@metahuman/core/contract/region";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { THOUGHTS } from "../planners/built-in/phrasing.ts";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { OperatorConfig, RuntimeConfig } from "@metahuman/core/contract/config";
import type { ConversationContext } from "@metahuman/core/contract/context";
import type { RunRequest, RunStore } from "@metahuman/core/runs/run-store";

import { conversationBefore, earlierRuns } from "./conversation-context.ts";
import { type PostRun, offerPattern } from "../post-run/post-run.ts";
import type { ClaimedRun, RunStorage } from "./run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import { createRunRecorder, type Recording } from "./run-recorder.ts";
import { rememberRun, creditMemories } from "../post-run/remember.ts";
import type { Planner } from "../planner.ts";
import type { RunDependencies } from "./run-context.ts";
import { effectivePolicy, limitToGrants } from "./effective-policy.ts";
import { callsOfCode } from "@metahuman/skills/support/code-outcome";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";

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
    (loadedRuns ??= occurrence ? Promise.resolve([]) : earlierRequests(run, storage.store));
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
  return runs.map(({ goal, scratchpad, result }) => ({
    request: goal,
    ...(result !== undefined && { answer: result }),
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
            ...callsOfCode(observation.outputs),
          ]
        : [],
    ),
  }));
}
