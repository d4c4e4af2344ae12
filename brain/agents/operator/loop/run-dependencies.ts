import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { ConversationContext } from "@metahuman/core/contract/context";
import type { RunRequest, RunStore } from "@metahuman/core/runs/run-store";
import { noComposer } from "../composer.ts";
import { conversationBefore } from "./conversation-context.ts";
import { creditMemories } from "../post-run/credit-memories.ts";
import type { PostRun } from "../post-run/post-run.ts";
import type { ClaimedRun, RunStorage } from "./run-scheduler.ts";
import type { OperatorOptions } from "../operator-options.ts";
import { recordingOf } from "./recording.ts";
import { rememberRun } from "../post-run/remember.ts";
import type { RunDependencies } from "./run-context.ts";
import { effectivePolicy } from "./effective-policy.ts";
import { noSummarizer } from "./summarizer.ts";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";

/** Gathers what one run is carried out with; configuration and flags are those of this moment. */
export async function createRunDependencies(
  run: Run,
  carried: ClaimedRun,
  storage: RunStorage,
  options: OperatorOptions,
  postRun: PostRun | undefined,
): Promise<RunDependencies> {
  const { ports, logger, memory, skills, clock, persistent, ephemeral } = options;
  const request = await storage.store.request(run.id);
  const { operator: config, runtime } = await options.config.refresh();
  const conversationOnly = storage === options.ephemeral;
  const { direct } = request;
  let known: Promise<readonly EarlierRequest[]> | undefined;
  const earlier = () => (known ??= earlierRuns(run, storage.store));
  let said: Promise<ConversationContext> | undefined;
  const budgetTokens = config.budgets.conversation;
  const conversation = () =>
    (said ??= conversationBefore(run, request, storage, { persistent, ephemeral, budgetTokens }));
  const planner = await options.choosePlanner({
    request: request.request,
    conversationOnly,
    agentId: run.agentId,
    requestedAt: new Date(run.createdAt),
    earlier,
    ...(direct && { direct }),
  });
  const recording = recordingOf(carried, request, storage, options);
  const { sessionId } = request.request;
  const modeNow = async () => effectivePolicy(request.identity, await options.settings()).mode;

  return {
    ...carried,
    ...recording,
    request,
    planner,
    skills: conversationOnly ? [] : skills,
    ports,
    wording: options.wording,
    composer: options.composer ?? noComposer,
    summarizerFor: options.summarizerFor ?? (() => noSummarizer),
    code: options.code,
    functionsOf: options.functionsOf,
    curatorFor: options.curatorFor,
    critic: runtime.operator.useReasoningService ? options.critic : undefined,
    config,
    persona: async () => (request.identity.role === "guest" ? options.persona?.() : undefined),
    // A guest may talk, and knows nothing of what the profile knows.
    flags: {
      ...runtime.operator,
      useContextPackage: runtime.operator.useContextPackage && request.identity.role !== "guest",
    },
    earlier,
    conversation,
    continued: await continuedSteps(request, storage),
    workspace: async () => (conversationOnly ? [] : workspaceRoots(options)),
    async buildContext(signal) {
      const began = performance.now();
      const built = await options.buildContext({
        message: run.goal,
        mode: await modeNow(),
        conversationId: run.conversationId,
        conversation: await conversation(),
        sessionId,
        agentId: run.agentId,
        useFunctions: runtime.operator.useFunctions && !conversationOnly,
        signal,
      });
      recording.auditLater("context_package_built", {
        memories: built.memories.map((recalled) => recalled.memory.id),
        functions: built.relevantFunctions.map((offered) => offered.id),
        tasks: built.activeTasks.length,
        tokens: built.budget.used,
        durationMs: Math.round(performance.now() - began),
      });
      return built;
    },
    async policyNow() {
      const settings = await options.settings();
      return {
        ...effectivePolicy(request.identity, settings),
        overrides: settings.skillOverrides,
        grants: await storage.store.grants(),
      };
    },
    approvals: () => storage.store.approvalsOf(run.id),
    confirmClaim: () => storage.store.confirmClaim(carried.claim),
    actionStarted: (step) => storage.store.actionStarted(run.id, step),
    async remember(ending) {
      if (conversationOnly) return;
      const mode = await modeNow();
      await rememberRun(memory, { ...ending, mode, sessionId, skills });
      await creditMemories(memory, { ...ending, mode, skills });
    },
    async settleFunctions(outcome, answer) {
      if (conversationOnly || !runtime.operator.useFunctions || !postRun) return [];
      return postRun.settle({
        run: carried.run(),
        outcome,
        answer,
        usage: recording.usage(),
        request,
        planner,
        storage,
      });
    },
    answerGrew: (text, offset) => storage.feed.answerGrew(run.id, text, offset),
    async leave() {
      if (carried.run().status === "ended")
        options.conversationSummaries.update(run, storage.store, recording.modelCalled);
      if (!config.logging.enableScratchpadDump || conversationOnly) return;
      const modelCalls = await storage.store.modelCalls(run.id);
      await options.dumpRun({
        run: { ...carried.run(), modelCalls },
        request,
        config,
        flags: runtime.operator,
      });
    },
    logError: (message, cause) =>
      logger.error({ err: cause, runId: run.id, code: toErrorDetail(cause).code }, message),
    now: clock,
  };
}

/** How many runs back a continued run reaches. */
const MOST_CONTINUED = 20;

/** The observed steps of the runs that this one continues, oldest first. */
async function continuedSteps({ continues }: RunRequest, { store }: RunStorage): Promise<ScratchpadEntry[]> {
  let steps: ScratchpadEntry[] = [];
  let before = continues;
  for (let count = 0; before !== undefined && count < MOST_CONTINUED; count += 1) {
    const { scratchpad } = await store.run(before);
    steps = [...scratchpad.filter(({ action, observation }) => action && observation), ...steps];
    before = (await store.request(before)).continues;
  }
  return steps.filter(({ action }) => action?.tool !== ANSWER_SKILL);
}

/** The roots of the workspace with how many entries each holds; one that cannot be listed is left out. */
async function workspaceRoots({
  ports,
  settings,
}: OperatorOptions): Promise<{ root: string; entries: number }[]> {
  const roots = ["out", "inbox", ...Object.keys((await settings()).workspaceRoots)];
  const listed = await Promise.allSettled(
    roots.map((root) => ports.files.list(root, { recursive: false, limit: 1 })),
  );
  return listed.flatMap((result, place) =>
    result.status === "fulfilled" ? [{ root: roots[place] ?? "", entries: result.value.total }] : [],
  );
}

/** How far back words such as "it" can reach, in runs. */
const MOST_EARLIER = 6;

/**
 * What was asked before a run in its conversation, and what was done for it, the newest first. Only what had ended when
 * the run was asked for: so a run that is carried on later reads the same.
 */
async function earlierRuns(run: Run, store: Pick<RunStore, "run" | "runs">): Promise<EarlierRequest[]> {
  const { conversationId } = run;
  const { items } = await store.runs({ conversationId, limit: MOST_EARLIER + 1 });
  const before = items.filter(
    ({ id, endedAt }) => id !== run.id && endedAt !== undefined && endedAt <= run.createdAt,
  );
  const runs = await Promise.all(before.slice(0, MOST_EARLIER).map(({ id }) => store.run(id)));
  return runs.map(({ goal, scratchpad }) => ({
    request: goal,
    calls: scratchpad.flatMap(({ action, observation }) =>
      action && observation
        ? [
            {
              skill: action.tool,
              args: action.args,
              outputs: observation.success ? observation.outputs : undefined,
            },
          ]
        : [],
    ),
  }));
}
