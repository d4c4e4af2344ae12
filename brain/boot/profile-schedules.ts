import type { createFindRecipe } from "@metahuman/agents/operator/planners/replay/find-recipe";
import { interpretRequest } from "@metahuman/agents/operator/planners/built-in/interpret-request";
import type { OperatorService } from "@metahuman/agents/operator/operator";
import {
  createNoticeDeliverer,
  type DelivererOptions,
  type NoticeDeliverer,
} from "@metahuman/agents/notices/deliver-notices";
import { agentDelay } from "@metahuman/agents/scheduler/scheduled-agents";
import { createScheduler, type Scheduler } from "@metahuman/agents/scheduler/scheduler";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import { EVERY_AGENT, type FunctionMemory } from "@metahuman/core/contract/function";
import type { TrustLevel } from "@metahuman/core/contract/trust";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import { assertUsablePaths } from "@metahuman/agents/operator/planners/replay/load-accepted-offer";
import { parseParameters, requireParameters, withReadValues } from "@metahuman/core/functions/parameters";
import { confine } from "@metahuman/core/paths/file-names";
import { decide } from "@metahuman/core/policy/decide";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { RunStore } from "@metahuman/core/runs/run-store";
import { createSchedules } from "@metahuman/core/schedules/create-schedules";
import type { OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import type { ScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import type { GoalNeeds, SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { WatchedPages } from "@metahuman/core/schedules/watched-pages";
import type { ModelRouter } from "@metahuman/models/router";
import type { Changes } from "./changes.ts";
import { openChannels, type ProfileChannelParts } from "./profile-channels.ts";
import type { OpenedAgents } from "./profile-agents.ts";
import type { ProfileState } from "./installation.ts";
import { offeredSkills } from "./offered-skills.ts";

/**
 * How long agents that are due when a profile opens wait, in milliseconds, and the period over which those of several profiles are
 * spread: the person who opened the profile waits for an answer, and after the start of a server many people do.
 */
const AGENTS_WAIT_MS = 10_000;
const AGENTS_SPREAD_MS = 20_000;

/** A placeholder for hosts that are not known yet. */
const ANY_HOST = "*";

interface ScheduleParts {
  username: string;
  state: Pick<ProfileState, "ledger" | "watchedPages" | "channels" | "openNotices">;
  config: ConfigSource;
  store: ProfileStore;
  functions: FunctionsOfProfile;
  findRecipe: ReturnType<typeof createFindRecipe>;
  audit: AuditLog;
  changes: Changes;
  clock: () => Date;
  /** Encrypts the secrets of channels. */
  channelSealer: SecretSealer;
  records: ScheduleRecords;
}

/** The schedules and notices of a profile, without the operator that runs them. */
export interface OpenedSchedules {
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  schedules: SchedulesPort;
  notices: NoticePort;
  watchedPages: WatchedPages;
  channels: ProfileChannelParts;
  /** Called after every change of a schedule; the scheduler sets it. */
  onChange: { listener: () => void };
  /** Called after every change of a notice; the deliverer sets it. */
  onNotice: { listener: () => void };
}

export async function openSchedules(parts: ScheduleParts): Promise<OpenedSchedules> {
  const { username, state, config, store, functions, audit, changes, clock, records } = parts;
  const { ledger, watchedPages } = state;
  const onChange = { listener: () => {} };
  const skills = () => offeredSkills(config.current()).skills;
  const schedules = createSchedules({
    username,
    records,
    ledger,
    settings: () => store.settings(),
    needsOf: (goal, region) => needsOf(goal, region.timeZone, parts),
    async functionOf(id) {
      const found = await functions.of(EVERY_AGENT).loadFunction(id);
      requireRunnable(found);
      return {
        title: found.title,
        skills: found.skillsUsed,
        needsModel: found.recipe !== undefined && composeSteps(found.recipe).size > 0,
      };
    },
    async checkValues(id, given, region) {
      const found = await functions.of(EVERY_AGENT).loadFunction(id);
      const read = withReadValues(found.parameters, given, { now: clock(), ...region });
      requireParameters(found, read);
      const values = parseParameters(found.parameters, read);
      assertUsablePaths({ function: found, values }, (path) => confine(path, []));
    },
    async skillsAllowedAt(trustLevel: TrustLevel) {
      const { mode, skillOverrides } = await store.settings();
      const isAllowed = ({
        id,
        effects,
        risk,
        requiresApproval,
        asksPerHost,
      }: ReturnType<typeof skills>[number]) =>
        effects !== "read" &&
        decide(
          {
            skill: id,
            effect: effects,
            risk,
            requiresApproval,
            asksPerHost,
            paths: [],
            hosts: asksPerHost ? [ANY_HOST] : [],
          },
          { mode, trustLevel, override: skillOverrides[id], grants: [], now: clock() },
        ).decision === "allow";
      return skills()
        .filter(isAllowed)
        .map(({ id }) => id);
    },
    audit,
    clock,
    onChange: () => {
      changes.note("schedules");
      onChange.listener();
    },
  });
  const channels = openChannels({
    username,
    store: state.channels,
    sealer: parts.channelSealer,
    config,
    audit,
    clock,
  });
  const onNotice = { listener: () => {} };
  const notices = state.openNotices({
    channels: channels.channelsFor,
    onChange: () => onNotice.listener(),
  });
  return { records, ledger, schedules, notices, watchedPages, channels, onChange, onNotice };
}

/** Starts the scheduler of a profile, and with it the delivery of its notices. */
export function createProfileScheduler(
  opened: OpenedSchedules,
  parts: Pick<ScheduleParts, "username" | "config" | "store" | "functions" | "changes" | "clock"> & {
    state: Pick<
      ProfileState,
      "deletesOldRows" | "opensForAgents" | "mayBeDue" | "onlyAgentsAreDue" | "newRegularCheck"
    >;
    openedAgents: OpenedAgents;
    operator: OperatorService;
    runs: RunStore;
    tasks: TasksPort;
    router: ModelRouter;
    onProblem: (message: string, cause: unknown) => void;
    onNextChanged: (next: string | null) => void;
    runsTimers: boolean;
  },
): Scheduler {
  const { config, store, functions, router, tasks, changes } = parts;
  const { records, ledger, schedules, notices, watchedPages, onChange } = opened;
  const nextMoment = earliestOf(parts.onNextChanged);
  const deliverer = startDelivering(opened, {
    ...parts,
    onNextChanged: nextMoment.of("delivery"),
    mayFindWork: parts.state.newRegularCheck(),
    mayBeDue: () => parts.state.mayBeDue() && !parts.state.onlyAgentsAreDue(),
  });
  const scheduler = createScheduler({
    username: parts.username,
    records,
    ledger,
    schedules,
    notices,
    watchedPages,
    agents: {
      schedules: parts.openedAgents.schedules,
      run: (agent) => parts.openedAgents.agents.runScheduled(agent),
    },
    operator: parts.operator,
    clock: parts.clock,
    ownZone: async () => (await store.settings()).timeZone,
    mode: async () => (await store.settings()).mode,
    hasModel: async () =>
      (await router.modelsFor(config.current().operator.models.planningModel)).models.length > 0,
    checkFunction: async (id) => requireRunnable(await functions.of(EVERY_AGENT).loadFunction(id)),
    taskStatus: async (id) => (await tasks.get(id)).status,
    hasConversation: (id) => parts.runs.hasConversation(id),
    config: () => config.current().schedules,
    onProblem: parts.onProblem,
    onNextChanged: nextMoment.of("occurrence"),
    onChange: () => changes.note("schedules"),
    runsTimers: parts.runsTimers,
    mayFindWork: parts.state.newRegularCheck(),
    mayBeDue: () => parts.state.mayBeDue(),
    deletesOldRows: parts.state.deletesOldRows,
    opensForAgents: parts.state.opensForAgents,
  });
  onChange.listener = () => scheduler.notify();
  const { username, state } = parts;
  scheduler.start(
    state.onlyAgentsAreDue() ? AGENTS_WAIT_MS + agentDelay(username, "ingestor", AGENTS_SPREAD_MS) : 0,
  );
  return {
    ...scheduler,
    async close() {
      await Promise.all([deliverer.close(), scheduler.close()]);
    },
  };
}

/** Starts to deliver the notices of a profile on its channels. */
function startDelivering(
  { notices, channels, onNotice }: OpenedSchedules,
  {
    config,
    clock,
    onProblem,
    onNextChanged,
    runsTimers,
    mayFindWork,
    mayBeDue,
  }: Pick<
    DelivererOptions,
    "clock" | "onProblem" | "onNextChanged" | "runsTimers" | "mayFindWork" | "mayBeDue"
  > & {
    config: ConfigSource;
  },
): NoticeDeliverer {
  const deliverer = createNoticeDeliverer({
    notices,
    clock,
    onProblem,
    onNextChanged,
    runsTimers,
    ...(mayFindWork && { mayFindWork }),
    ...(mayBeDue && { mayBeDue }),
    deliver: ({ notice, channel }, signal) => channels.deliver(notice, channel, signal),
    limits: () => config.current().channels,
  });
  onNotice.listener = deliverer.notify;
  deliverer.notify();
  return deliverer;
}

/** Reports the earlier of the next occurrence and the next delivery, after each change of one. */
function earliestOf(onChange: (next: string | null) => void) {
  const known: { occurrence: string | null; delivery: string | null } = { occurrence: null, delivery: null };
  let reported: string | null | undefined;
  return {
    of: (part: keyof typeof known) => (next: string | null) => {
      known[part] = next;
      const earliest = [known.occurrence, known.delivery].filter((at) => at !== null).toSorted()[0] ?? null;
      if (earliest === reported) return;
      reported = earliest;
      onChange(earliest);
    },
  };
}

/** Wraps the tasks of a profile: each change also updates the reminder of the task. */
export function withReminders<Tasks extends TasksPort>(
  tasks: Tasks,
  schedules: () => Pick<SchedulesPort, "updateRemindersOf" | "endRemindersOf"> | undefined,
): Tasks {
  return {
    ...tasks,
    async edit(id, edit) {
      const task = await tasks.edit(id, edit);
      await schedules()?.updateRemindersOf(task);
      return task;
    },
    async remove(id, options) {
      const entry = await tasks.remove(id, options);
      await schedules()?.endRemindersOf(id);
      return entry;
    },
    async restore(archiveId) {
      const task = await tasks.restore(archiveId);
      await schedules()?.updateRemindersOf(task);
      return task;
    },
  };
}

/** Throws `ConflictError` for a function that a schedule may not run. */
function requireRunnable({ title, trust, status, recipe, code }: FunctionMemory): void {
  if (!recipe && !code)
    throw new ConflictError(`“${title}” is a guide, which cannot run by itself.`, {
      suggestions: ["Schedule a recipe or a function with code, or a request in words."],
    });
  if (trust !== "verified")
    throw new ConflictError(`“${title}” is not verified, so no schedule may run it.`, {
      suggestions: ["Promote it on the Functions page."],
    });
  if (status !== "active")
    throw new ConflictError(`“${title}” is ${status}, so no schedule may run it.`, {
      suggestions: ["Enable it on the Functions page."],
    });
}

/** The calls of a request that the built-in planner or a recipe can execute; any other request needs a model. */
async function needsOf(
  goal: string,
  timeZone: string,
  { config, findRecipe, clock }: Pick<ScheduleParts, "config" | "findRecipe" | "clock">,
): Promise<GoalNeeds> {
  const { skills } = offeredSkills(config.current());
  const requestedAt = clock();
  const { match } = await findRecipe({
    request: { goal, timeZone },
    conversationOnly: false,
    agentId: "operator",
    requestedAt,
  });
  if (match) {
    const { skillsUsed, recipe } = match.function;
    return { needsModel: composeSteps(recipe).size > 0, skills: skillsUsed };
  }
  const reading = await interpretRequest({ request: goal, requestedAt, timeZone, skills });
  if (reading.kind === "plan") return { needsModel: false, skills: reading.calls.map(({ skill }) => skill) };
  return { needsModel: reading.kind !== "clock" && reading.kind !== "capabilities", skills: [] };
}
