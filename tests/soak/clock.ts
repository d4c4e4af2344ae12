import type { ClockReport } from "./clock-report.ts";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as realDelay } from "node:timers/promises";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { createLogger } from "@metahuman/core/log/logger";
import { createBrain } from "@metahuman/boot/create-brain";
import type { Run } from "@metahuman/core/contract/run";
import { listBackups } from "@metahuman/core/database/backup";
import { NotSignedInError, SessionExpiredError } from "@metahuman/core/errors/access-errors";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { seededRandom } from "../bench/statistics.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";
import { startModelServer, type ModelServer } from "../support/model-server/server.ts";
import { chatModel } from "../support/model-harness.ts";
import { pick, type Random } from "./chaos-model.ts";
import { inspectApprovals, inspectSummaries } from "./clock-inspection.ts";
import { Growth } from "./growth.ts";
import { installSimulatedClock, type SimulatedClock } from "./simulated-clock.ts";

export interface ClockOptions {
  seed: number;
  /** The simulated time in hours. The date is set back after a third of it, and forward after two thirds. */
  hours: number;
  progress?: (line: string) => void;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP = 5 * MINUTE;
const ADA = { username: "ada", password: "correct horse battery" };
const from = { address: "127.0.0.1" };
const asAda = {
  identity: { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
  surface: "api",
} as const;

/** Short, so that a day contains several of each. */
const APPROVAL = 3 * HOUR;
const GRANT = 7 * HOUR;
const IDLE = 2 * HOUR;
const ABSOLUTE = 10 * HOUR;
/** The maximum delay of recording the use of a session. */
const TOLERANCE = IDLE / 10 + STEP;

/** Approved permanently, denied, or left until it expires. */
const DECISIONS = ["always", "deny", "wait"] as const;

/** The maximum time to wait, in milliseconds of real time; anything longer counts as hanging. */
const HANGS_AFTER_MS = 30_000;
const LOOK_AGAIN_MS = 5;
const MAX_BACKUPS = 5;

const SUMMARIZES = "summarizes:4b";
const SUMMARY = "Boxes were packed.";
/** Enough long turns for a summary. */
const TURNS_TO_SUMMARIZE = 14;

interface Session {
  token: string;
  began: number;
  used: number;
}

interface LifeOptions {
  home: string;
  clock: SimulatedClock;
  models: ModelServer;
  random: Random;
  report: ClockReport;
}

interface IssuedGrant {
  path: string;
  expires: number;
}

/**
 * Simulates hours of one person's profile: the real brain with its databases and files, agents on their schedules,
 * restarts, a date that is set back and forward. Reports everything that hangs, leaks, expires at the wrong time or
 * twice, and every error in the log.
 */
export async function simulatedDays(options: ClockOptions): Promise<ClockReport> {
  const home = await mkdtemp(join(tmpdir(), "clock-"));
  const models = await startModelServer({ models: [chatModel(SUMMARIZES)], answer: summarizeSometimes });
  const clock = installSimulatedClock();
  const report: ClockReport = { done: {}, problems: [] };
  const noteUnhandled = (reason: unknown) => void report.problems.push(`unhandled: ${String(reason)}`);
  process.on("unhandledRejection", noteUnhandled);
  try {
    await live(new Life({ home, clock, models, random: seededRandom(options.seed), report }), options);
  } catch (error) {
    if (!(error instanceof HangError)) throw error;
    report.problems.push(error.message);
  } finally {
    process.off("unhandledRejection", noteUnhandled);
    clock.remove();
    await models.close();
    await rm(home, { recursive: true, force: true });
  }
  return report;
}

/** A third of the conversation's summaries come from the model; the rest are extracted after an error or a timeout. */
const summarizeSometimes: Answer = ({ messages }, index): ChatScript => {
  const isConversation = messages[0]?.content.includes("conversation") === true;
  if (isConversation && index % 3 === 1) return { fault: "silent" };
  return index % 3 === 0 ? { say: SUMMARY } : { fault: "server-error" };
};

async function live(life: Life, { hours, progress }: ClockOptions): Promise<void> {
  await life.bounded("the first start", () => life.begin());
  const steps = Math.round((hours * HOUR) / STEP);
  let restartAt = life.nextRestart(0);
  for (let step = 0; step < steps; step += 1) {
    if (step === Math.floor(steps / 3)) life.setDate(-HOUR);
    if (step === Math.floor((2 * steps) / 3)) life.setDate(24 * HOUR);
    await life.bounded("waiting for runs and agents", () => life.pass(STEP));
    await life.bounded("a request", () => life.act());
    if (step >= restartAt) {
      await life.bounded("a restart", () => life.restart());
      restartAt = life.nextRestart(step);
    }
    if (step % 72 === 0) progress?.(`hour ${String(Math.round((step * STEP) / HOUR))}`);
  }
  for (let passed = 0; passed <= APPROVAL; passed += STEP)
    await life.bounded("waiting for runs and agents", () => life.pass(STEP));
  await life.bounded("the inspection", () => life.inspect());
}

/** Something took longer than `HANGS_AFTER_MS`; later results are not reliable. */
class HangError extends Error {}

class Life {
  readonly #home: string;
  readonly #clock: SimulatedClock;
  readonly #random: Random;
  readonly #report: ClockReport;
  readonly #models: ModelServer;
  /** The operation that is being awaited. */
  #doing = "";
  #conversation: string | undefined;
  #brain: Brain | undefined;
  #profile: Profile | undefined;
  /** The monotonic time that expiry uses. */
  #steady: number;
  #sessions: Session[] = [];
  #grants: IssuedGrant[] = [];
  #days = new Set<string>();
  #made = 0;
  readonly #growth = new Growth();

  constructor({ home, clock, models, random, report }: LifeOptions) {
    this.#home = home;
    this.#clock = clock;
    this.#models = models;
    this.#random = random;
    this.#report = report;
    this.#steady = clock.now();
  }

  /** Throws `HangError` with the name of the operation if `work` takes longer than `HANGS_AFTER_MS` of real time. */
  async bounded(doing: string, work: () => Promise<void>): Promise<void> {
    this.#doing = doing;
    const inTime = new AbortController();
    const late = realDelay(HANGS_AFTER_MS, undefined, { signal: inTime.signal }).then(() => {
      throw new HangError(`${this.#doing} hangs at ${new Date().toISOString()}`);
    });
    try {
      await Promise.race([work(), late]);
    } finally {
      inTime.abort();
    }
  }

  async begin(): Promise<void> {
    const etc = join(this.#home, "etc");
    await mkdir(etc);
    const files = {
      operator: { approvals: { expireAfterMs: APPROVAL, grantExpireAfterMs: GRANT } },
      server: { session: { idleTimeoutMs: IDLE, absoluteTimeoutMs: ABSOLUTE } },
      models: {
        providers: {
          ollama: { kind: "ollama", baseUrl: this.#models.url },
          none: { kind: "ollama", baseUrl: "http://127.0.0.1:9" },
        },
        roles: {
          ...Object.fromEntries(["planner", "persona", "curator"].map((role) => [role, ["none/none"]])),
          summarizer: [`ollama/${SUMMARIZES}`],
        },
      },
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(etc, `${name}.json`), JSON.stringify(content));
    const brain = await this.#open();
    await brain.accounts.setup(ADA, { ...from, fromLoopback: true });
    this.#profile = (await brain.holdProfile("ada")).profile;
    // Ensures that something of each kind expires even in a short simulation.
    await this.#signIn();
    for (const decision of DECISIONS) await this.#askForApproval(`notes/${decision}.md`, decision);
    for (let turn = 0; turn < TURNS_TO_SUMMARIZE; turn += 1)
      await this.#talk(`in the beginning ${String(turn)}`);
  }

  nextRestart(step: number): number {
    return step + Math.round(((2 + 4 * this.#random()) * HOUR) / STEP);
  }

  setDate(byMs: number): void {
    this.#clock.setDate(byMs);
    this.#count(byMs < 0 ? "times the date was set back" : "times the date was set forward");
  }

  async pass(ms: number): Promise<void> {
    this.#clock.advance(ms);
    this.#steady = Math.max(this.#steady + ms, this.#clock.now());
    this.#days.add(new Date().toISOString().slice(0, 10));
    await this.#runsIdle();
    await this.#agentsIdle();
  }

  /** Performs what a person does in five minutes: mostly nothing. */
  async act(): Promise<void> {
    const random = this.#random();
    this.#made += 1;
    const n = String(this.#made);
    if (random < 0.06) await this.#ask(`create a file called notes/${n}.md with the text "number ${n}"`);
    else if (random < 0.1) await this.#ask(`remember that box ${n} stands in row ${n}`);
    else if (random < 0.14) await this.#ask(`add a task to call person ${n} by tomorrow`);
    else if (random < 0.17) await this.#ask("list my tasks");
    else if (random < 0.21) await this.#askForApproval(`notes/doomed-${n}.md`, pick(DECISIONS, this.#random));
    else if (random < 0.25) await this.#useGrant();
    else if (random < 0.28) await this.#signIn();
    else if (random < 0.4) await this.#useSessions();
    else if (random < 0.5) await this.#talk(n);
  }

  async restart(): Promise<void> {
    await this.#close();
    await this.#growth.measure();
    this.#profile = (await (await this.#open()).holdProfile("ada")).profile;
    this.#count("restarts");
    await this.#resumeInterrupted();
  }

  async inspect(): Promise<void> {
    const { problems } = this.#report;
    const profile = this.#opened();
    // Everything that waited for a person has expired by now.
    for (const status of ["queued", "running", "waiting", "interrupted"] as const)
      for (const { goal } of (await profile.runs.list({ status, limit: 50 })).items)
        problems.push(`"${goal}" is ${status} at the end`);
    await inspectApprovals(profile, this.#report);
    await this.#useGrant();
    for (let round = 0; round < 10; round += 1) await this.#useSessions();
    for (const { name, needsModel, lastRun } of await profile.agents.list())
      if (!needsModel && lastRun?.status !== "finished")
        problems.push(`agent ${name}: ${lastRun?.status ?? "never ran"}`);
    const audit = await profile.audit.verify();
    if (!audit.ok) problems.push(`the audit log does not hold: ${audit.message}`);
    await this.#close();
    const paths = profilePaths(this.#home, "ada");
    for (const path of [paths.stateDatabase, homePaths(this.#home).systemDatabase]) {
      const backups = listBackups(path);
      if (backups.length === 0 || backups.length > MAX_BACKUPS)
        problems.push(`${path} has ${String(backups.length)} backups`);
    }
    const logs = (await readdir(paths.logs.audit)).filter((file) => /^\d{4}-\d\d-\d\d\.ndjson$/u.test(file));
    for (const file of logs)
      if (!this.#days.has(file.slice(0, 10))) problems.push(`${file} is of a day that never was`);
    this.#report.done["days of audit"] = logs.length;
    if (this.#conversation !== undefined)
      await inspectSummaries(paths.stateDatabase, this.#conversation, problems);
    this.#report.done["summaries asked of a model"] = this.#models.chats().length;
    this.#growth.inspect(this.#report);
  }

  async #open(): Promise<Brain> {
    const { problems } = this.#report;
    const logger = createLogger({
      level: "error",
      to: { write: (line: string) => void problems.push(`in the log: ${line.trim().slice(0, 400)}`) },
    });
    return (this.#brain = await createBrain({
      home: this.#home,
      env: { OLLAMA_HOST: "http://127.0.0.1:9" },
      logger,
    }));
  }

  #opened(): Profile {
    if (!this.#profile) throw new Error("The profile is not open.");
    return this.#profile;
  }

  async #close(): Promise<void> {
    this.#doing = "closing";
    await this.#brain?.close({ graceMs: 1_000 });
  }

  async #ask(goal: string, conversationId?: string): Promise<Run> {
    const { operator } = this.#opened();
    this.#doing = `the start of "${goal}"`;
    const { id } = await operator.start(
      { goal, ...(conversationId !== undefined && { conversationId }) },
      asAda,
    );
    this.#count("requests");
    this.#doing = `"${goal}"`;
    const run = await operator.settled(id);
    if (run.outcome === "failed") this.#report.problems.push(`"${goal}" failed: ${run.error?.message ?? ""}`);
    return run;
  }

  /** Continues a conversation that lasts for days. */
  async #talk(about: string): Promise<void> {
    const goal = `remember that box ${about} holds ${"a rope, a lamp, a stove, ".repeat(20)}and a map`;
    this.#conversation = (await this.#ask(goal, this.#conversation)).conversationId;
    this.#count("turns of a conversation");
  }

  async #askForApproval(path: string, decision: (typeof DECISIONS)[number]): Promise<void> {
    await this.#ask(`create a file called ${path} with the text "x"`);
    const run = await this.#ask(`delete ${path}`);
    if (run.pending?.kind !== "approval")
      return void this.#report.problems.push(`"delete ${path}" did not ask: ${run.result ?? ""}`);
    const { operator } = this.#opened();
    if (decision === "wait") return;
    this.#doing = `"delete ${path}", ${decision}`;
    await operator.decide(run.pending.approvalId, decision);
    if (decision === "always") this.#grants.push({ path, expires: this.#clock.now() + GRANT });
    await operator.settled(run.id);
  }

  /** Checks that a grant applies until its expiry and not after it. */
  async #useGrant(): Promise<void> {
    const issued = this.#grants.shift();
    if (!issued) return;
    await this.#ask(`create a file called ${issued.path} with the text "again"`);
    const run = await this.#ask(`delete ${issued.path}`);
    const asked = run.status === "waiting";
    const isOver = this.#clock.now() >= issued.expires;
    if (Math.abs(this.#clock.now() - issued.expires) > MINUTE && asked !== isOver)
      this.#report.problems.push(`"delete ${issued.path}" ${asked ? "asked" : "did not ask"} out of turn`);
    this.#count(isOver ? "grants that expired" : "grants that were used");
    if (!asked && !isOver) this.#grants.push(issued);
  }

  async #signIn(): Promise<void> {
    this.#doing = "a sign-in";
    const { token } = (await this.#brain?.accounts.signIn(ADA, from)) ?? {};
    if (token === undefined) return;
    this.#sessions.push({ token, began: this.#steady, used: this.#steady });
    this.#count("sign-ins");
  }

  async #useSessions(): Promise<void> {
    this.#doing = "the use of a session";
    for (const session of this.#sessions.filter(() => this.#random() < 0.6)) {
      const left = Math.min(session.began + ABSOLUTE, session.used + IDLE) - this.#steady;
      const isGood = await this.#isSignedIn(session.token);
      if (Math.abs(left) > TOLERANCE && isGood !== left > 0)
        this.#report.problems.push(
          `a session ${isGood ? "lasts too long" : "ended early"} (${String(left)} ms left)`,
        );
      if (isGood) session.used = this.#steady;
      else {
        this.#sessions = this.#sessions.filter((other) => other !== session);
        this.#count("sessions that expired");
      }
    }
  }

  async #isSignedIn(token: string): Promise<boolean> {
    try {
      await this.#brain?.accounts.session(token);
      return true;
    } catch (error) {
      if (error instanceof SessionExpiredError || error instanceof NotSignedInError) return false;
      throw error;
    }
  }

  /** Resumes runs that were active when the process ended. */
  async #resumeInterrupted(): Promise<void> {
    const { operator, runs } = this.#opened();
    for (const { id } of (await runs.list({ status: "interrupted", limit: 50 })).items) {
      this.#doing = `run ${id}, resumed`;
      await operator.resume(id, asAda);
      await operator.settled(id);
      this.#count("runs that were resumed");
    }
  }

  /** Waits in real time for runs that expiry has continued, such as those with an expired approval. */
  async #runsIdle(): Promise<void> {
    const { approvals, runs } = this.#opened();
    for (;;) {
      const { items } = await approvals.list({ status: "pending", limit: 100 });
      const overdue = items.filter(
        ({ expiresAt = "9999" }) => Date.parse(expiresAt) + MINUTE < this.#clock.now(),
      );
      const busy = (await runs.unfinishedRuns(100)).filter(
        ({ status }) => status === "queued" || status === "running",
      );
      if (overdue.length + busy.length === 0) return;
      this.#doing = [
        ...overdue.map(({ id }) => `overdue ${id}`),
        ...busy.map(({ goal }) => `"${goal}"`),
      ].join(", ");
      await realDelay(LOOK_AGAIN_MS);
    }
  }

  async #agentsIdle(): Promise<void> {
    const { agents } = this.#opened();
    // Due timers start work in later turns of the event loop.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    for (const { currentRun } of await agents.list()) {
      if (!currentRun) continue;
      this.#doing = `agent ${currentRun.agent}`;
      await agents.settled(currentRun.id);
      this.#count("agents that were waited for");
    }
  }

  #count(what: string): void {
    const { done } = this.#report;
    done[what] = (done[what] ?? 0) + 1;
  }
}
