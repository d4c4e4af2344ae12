import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentStore } from "@metahuman/core/agents/open-agent-store";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type {
  AgentCard,
  AgentName,
  AgentRun,
  AgentSettings,
  AgentTrigger,
} from "@metahuman/core/contract/agents";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { executeAgentRun, type ActiveAgentRun } from "./agent-run.ts";
import type { BackgroundAgent } from "./background-agent.ts";

/** How often the state of a run in another process is read, in milliseconds. */
const ASK_MS = 200;

/** The settings of an agent, and whether a person paused it. */
export type ProfileAgentSettings = AgentSettings & { paused: boolean };

export interface ProfileAgentsOptions {
  username: string;
  agents: readonly BackgroundAgent[];
  store: AgentStore;
  /** Read whenever they are needed, so that a changed file applies at once. */
  settings(agent: AgentName): Promise<ProfileAgentSettings>;
  setPaused(agent: AgentName, paused: boolean): Promise<void>;
  /** The next scheduled start of the agent; null if it has none. */
  nextRun(agent: AgentName): Promise<string | null>;
  audit: AuditLog;
  clock: () => Date;
  /** Receives errors that no caller waits for. */
  onProblem: (message: string, cause: unknown) => void;
}

export interface ProfileAgents extends AgentsPort {
  /** Starts a run by schedule and resolves when it has ended. Throws `ConflictError` while the agent runs in any process. */
  runScheduled(agent: AgentName): Promise<AgentRun>;
  /** Stops running agents and starts no more. */
  close(): Promise<void>;
}

/** Runs the agents of one profile, one run of each at a time. The scheduler starts the scheduled runs. */
export function createProfileAgents(options: ProfileAgentsOptions): ProfileAgents {
  const { username, agents, store, audit, clock, onProblem } = options;
  const activeRuns = new Map<string, ActiveAgentRun>();
  /** Agents that were stopped but whose work has not ended. */
  const endingRuns = new Set<AgentName>();
  let isClosing = false;

  function agentOf(name: AgentName): BackgroundAgent {
    const found = agents.find((agent) => agent.name === name);
    if (!found) throw new NotFoundError(`This profile has no agent named ${name}.`);
    return found;
  }

  async function begin(agent: BackgroundAgent, trigger: AgentTrigger, surface?: string): Promise<AgentRun> {
    if (isClosing) throw new ConflictError("MetaHuman OS is shutting down.");
    if (endingRuns.has(agent.name)) throw new ConflictError(`The ${agent.name} is still stopping.`);
    const run = await store.begin(agent.name, trigger);
    const activeRun = executeAgentRun(agent, run, { store, clock, onProblem });
    activeRuns.set(run.id, activeRun);
    endingRuns.add(agent.name);
    void activeRun.workEnded.then(() => endingRuns.delete(agent.name));
    if (trigger !== "schedule") await note("agent_started", run, surface);
    void activeRun.ended
      .then(async ({ run: ended, changed }) => {
        // A scheduled run without changes is only in the agent's own log; the audit log records what was done.
        if (changed || trigger !== "schedule") await note("agent_ended", ended, surface);
      })
      .catch((error: unknown) => onProblem(`the end of the ${agent.name} could not be written down`, error))
      .finally(() => activeRuns.delete(run.id));
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
    const [current, last, own, nextRun] = await Promise.all([
      store.current(name),
      store.last(name),
      options.settings(name),
      options.nextRun(name),
    ]);
    return {
      name,
      title,
      about,
      needsModel,
      ...own,
      running: current !== undefined,
      currentRun: current ?? null,
      lastRun: last ?? null,
      nextRun,
    };
  }

  return {
    list: () => Promise.all(agents.map(cardOf)),
    run: (name, { trigger, surface }) => begin(agentOf(name), trigger, surface),
    async runScheduled(name) {
      const { id } = await begin(agentOf(name), "schedule");
      await activeRuns.get(id)?.ended;
      return store.run(id);
    },
    async setPaused(name, paused, { surface } = {}) {
      const agent = agentOf(name);
      await options.setPaused(name, paused);
      await audit.append({
        event: paused ? "agent_paused" : "agent_resumed",
        actor: username,
        ...(surface !== undefined && { surface }),
        details: { agent: name },
      });
      return cardOf(agent);
    },
    async settled(runId, signal) {
      for (;;) {
        signal?.throwIfAborted();
        const ownRun = activeRuns.get(runId);
        if (ownRun) await withSignal(ownRun.ended, signal);
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
      activeRuns.get(run.id)?.stop("A person stopped it.");
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
      isClosing = true;
      for (const activeRun of activeRuns.values()) activeRun.stop("MetaHuman OS was shut down.");
      await Promise.allSettled([...activeRuns.values()].map(({ ended }) => ended));
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
