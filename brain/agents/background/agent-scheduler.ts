import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentStore } from "@metahuman/core/agents/open-agent-store";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type {
  AgentCard,
  AgentName,
  AgentRun,
  AgentsConfig,
  AgentSettings,
  AgentTrigger,
  QuietHours,
} from "@metahuman/core/contract/agents";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { executeAgentRun, type ActiveAgentRun } from "./agent-run.ts";
import type { BackgroundAgent } from "./background-agent.ts";
import { Cron } from "croner";

/** How often schedules are checked, in milliseconds. */
const LOOK_MS = 10_000;
/** How often the state of a run in another process is read, in milliseconds. */
const ASK_MS = 200;

export interface AgentSchedulerOptions {
  username: string;
  agents: readonly BackgroundAgent[];
  store: AgentStore;
  /** Read at every check, so that a changed file applies to the next one. */
  settings: () => AgentsConfig;
  /** In emulation, nothing is written, so no agent starts by itself. */
  mode: () => Promise<CognitiveMode>;
  audit: AuditLog;
  clock: () => Date;
  /** Receives errors that no caller waits for. */
  onProblem: (message: string, cause: unknown) => void;
  /** Whether this process starts agents by schedule; true for a long-lived process. */
  keepsSchedules: boolean;
  /** The interval between two checks of the schedules, in milliseconds. */
  lookMs?: number;
}

export interface AgentScheduler extends AgentsPort {
  /** Stops running agents and starts no more. */
  close(): Promise<void>;
}

/** Runs the agents of one profile by schedule and on request, one run of each at a time. */
export function createAgentScheduler(options: AgentSchedulerOptions): AgentScheduler {
  const { username, agents, store, settings, audit, clock, onProblem } = options;
  const carried = new Map<string, ActiveAgentRun>();
  /** Agents that were stopped but whose work has not ended. */
  const lingering = new Set<AgentName>();
  let closing = false;

  function agentOf(name: AgentName): BackgroundAgent {
    const found = agents.find((agent) => agent.name === name);
    if (!found) throw new NotFoundError(`There is no agent ${name} here.`);
    return found;
  }

  async function begin(agent: BackgroundAgent, trigger: AgentTrigger, surface?: string): Promise<AgentRun> {
    if (closing) throw new ConflictError("MetaHuman OS is shutting down.");
    if (lingering.has(agent.name)) throw new ConflictError(`The ${agent.name} is still stopping.`);
    const run = await store.begin(agent.name, trigger);
    const carry = executeAgentRun(agent, run, { store, clock, onProblem });
    carried.set(run.id, carry);
    lingering.add(agent.name);
    void carry.letGo.then(() => lingering.delete(agent.name));
    if (trigger !== "schedule") await note("agent_started", run, surface);
    void carry.ended
      .then(async ({ run: ended, changed }) => {
        // A scheduled run without changes is only in the agent's own log; the audit log records what was done.
        if (changed || trigger !== "schedule") await note("agent_ended", ended, surface);
      })
      .catch((error: unknown) => onProblem(`the end of the ${agent.name} could not be written down`, error))
      .finally(() => carried.delete(run.id));
    return run;
  }

  async function note(event: string, run: AgentRun, surface?: string): Promise<void> {
    const { agent, id, trigger, status, summary } = run;
    const details = { agent, agentRunId: id, trigger, status, ...(summary !== undefined && { summary }) };
    await audit.append({
      event,
      ...(trigger !== "schedule" && { actor: username }),
      ...(surface !== undefined && { surface }),
      details,
    });
  }

  async function cardOf({ name, title, about, needsModel }: BackgroundAgent): Promise<AgentCard> {
    const [current, last, since] = await Promise.all([
      store.current(name),
      store.last(name),
      store.waitingSince(name),
    ]);
    const own = settings()[name];
    return {
      name,
      title,
      about,
      needsModel,
      ...own,
      running: current !== undefined,
      currentRun: current ?? null,
      lastRun: last ?? null,
      nextRun: nextStart(own, since, clock())?.toISOString() ?? null,
    };
  }

  async function lookAtSchedules(): Promise<void> {
    if ((await options.mode()) === "emulation") return;
    for (const agent of agents) {
      const due = nextStart(settings()[agent.name], await store.waitingSince(agent.name), clock());
      if (closing || due === null || due > clock()) continue;
      if (lingering.has(agent.name) || (await store.current(agent.name))) continue;
      try {
        const { id } = await begin(agent, "schedule");
        // One after the other, so that the load stays low.
        await carried.get(id)?.ended;
      } catch (error) {
        // Another process started it first.
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }

  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= lookAtSchedules()
      .catch((error: unknown) => onProblem("the agents' schedules could not be looked at", error))
      .finally(() => (looking = undefined));
  };
  const timer = options.keepsSchedules ? setInterval(look, options.lookMs ?? LOOK_MS).unref() : undefined;

  return {
    list: () => Promise.all(agents.map(cardOf)),
    run: (name, { trigger, surface }) => begin(agentOf(name), trigger, surface),
    async settled(runId, signal) {
      for (;;) {
        signal?.throwIfAborted();
        const mine = carried.get(runId);
        if (mine) await withSignal(mine.ended, signal);
        const run = await store.run(runId);
        if (run.status !== "running") return run;
        // Reading the current run also detects that its process has ended.
        await store.current(run.agent);
        await delay(ASK_MS, undefined, signal ? { signal } : {});
      }
    },
    async stop(name, { surface } = {}) {
      const run = await store.requestStop(agentOf(name).name);
      if (!run) return null;
      carried.get(run.id)?.stop("A person stopped it.");
      await audit.append({
        event: "agent_stopped",
        actor: username,
        ...(surface !== undefined && { surface }),
        details: { agent: name, agentRunId: run.id },
      });
      return run;
    },
    log: (name, query) => store.log(agentOf(name).name, query),
    async close() {
      closing = true;
      clearInterval(timer);
      for (const carry of carried.values()) carry.stop("MetaHuman OS was shut down.");
      await Promise.allSettled([...carried.values()].map(({ ended }) => ended));
      await looking;
    },
  };
}

/** Resolves with `promise`, or rejects with the signal's reason if that comes first. */
async function withSignal(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const left = signal
    ? // Its own `AbortError` after the race is ignored.
      once(signal, "abort", { signal: over.signal }).then(
        () => signal.throwIfAborted(),
        () => undefined,
      )
    : promise;
  try {
    await Promise.race([promise, left]);
  } finally {
    over.abort();
  }
}

/**
 * Returns the next scheduled start: the first time of the schedule after `since`. A time that was missed while nothing
 * ran is made up for. A start in the quiet hours moves to their end. Null if there is none.
 */
export function nextStart(settings: AgentSettings, since: Date, now: Date): Date | null {
  if (!settings.enabled) return null;
  const due = new Cron(settings.schedule, { paused: true }).nextRun(since);
  if (!due) return null;
  const late = due <= now;
  const end = quietUntil(settings.quietHours, late ? now : due);
  return end ?? due;
}

/** Returns the end of the quiet hours that contain `time`; undefined if none do. Uses the machine's local time. */
export function quietUntil(hours: QuietHours | null, time: Date): Date | undefined {
  if (!hours || hours.from === hours.to) return undefined;
  const minute = time.getHours() * 60 + time.getMinutes();
  const from = minutes(hours.from);
  const to = minutes(hours.to);
  const inside = from < to ? from <= minute && minute < to : from <= minute || minute < to;
  if (!inside) return undefined;
  const end = new Date(time);
  end.setHours(Math.floor(to / 60), to % 60, 0, 0);
  if (end <= time) end.setDate(end.getDate() + 1);
  return end;
}

function minutes(timeOfDay: string): number {
  const [hours, past] = timeOfDay.split(":");
  return Number(hours) * 60 + Number(past);
}
