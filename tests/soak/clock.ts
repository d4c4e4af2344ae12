import { Session as InspectorSession } from "node:inspector/promises";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { createLogger } from "@metahuman/boot/log";
import { wake } from "@metahuman/boot/wake";
import type { Run } from "@metahuman/core/contract/run";
import { listBackups } from "@metahuman/core/database/backup";
import { NotSignedInError } from "@metahuman/core/errors/not-signed-in-error";
import { SessionExpiredError } from "@metahuman/core/errors/session-expired-error";
import { homePaths } from "@metahuman/core/paths/data-root";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { seededRandom } from "../bench/statistics.ts";
import { pick, type Random } from "./chaos-model.ts";
import { installSimulatedClock, type SimulatedClock } from "./simulated-clock.ts";

export interface ClockOptions {
  seed: number;
  /** Of simulated time; the date is set back after a third of it, and forward after two thirds. */
  hours: number;
  progress?: (line: string) => void;
}

export interface ClockReport {
  /** How often what was done. */
  done: Record<string, number>;
  problems: string[];
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

/** Short enough that a day holds several of each. */
const APPROVAL = 3 * HOUR;
const GRANT = 7 * HOUR;
const IDLE = 2 * HOUR;
const ABSOLUTE = 10 * HOUR;
/** The use of a session is noted at most this late. */
const TOLERANCE = IDLE / 10 + STEP;

/** Allowed for good, refused, left until it expires. */
const DECISIONS = ["always", "deny", "wait"] as const;

/** A run that has not come to rest by then hangs, in milliseconds of real time. */
const HANGS_AFTER_MS = 30_000;
const MOST_BACKUPS = 5;
/** What may be added between the first restart and the last one. */
const MOST_HEAP_GROWTH = 24_000_000;
const MOST_HANDLES_GROWTH = 4;

interface Session {
  token: string;
  began: number;
  used: number;
}

interface Standing {
  path: string;
  expires: number;
}

/**
 * Lives through hours of one person's profile at a simulated clock: the real brain with its databases and files, agents on
 * their schedules, restarts, a date that is set back and forward. Reports everything that hangs, leaks, expires at the
 * wrong time or twice, and every error in the log.
 */
export async function simulatedDays(options: ClockOptions): Promise<ClockReport> {
  const home = await mkdtemp(join(tmpdir(), "clock-"));
  const clock = installSimulatedClock();
  const report: ClockReport = { done: {}, problems: [] };
  const noteUnhandled = (reason: unknown) => void report.problems.push(`unhandled: ${String(reason)}`);
  process.on("unhandledRejection", noteUnhandled);
  try {
    await live(new Life(home, clock, seededRandom(options.seed), report), options);
  } finally {
    process.off("unhandledRejection", noteUnhandled);
    clock.remove();
    await rm(home, { recursive: true, force: true });
  }
  return report;
}

async function live(life: Life, { hours, progress }: ClockOptions): Promise<void> {
  await life.begin();
  const steps = Math.round((hours * HOUR) / STEP);
  let restartAt = life.nextRestart(0);
  for (let step = 0; step < steps; step += 1) {
    if (step === Math.floor(steps / 3)) life.setDate(-HOUR);
    if (step === Math.floor((2 * steps) / 3)) life.setDate(24 * HOUR);
    await life.pass(STEP);
    await life.act();
    if (step >= restartAt) {
      await life.restart();
      restartAt = life.nextRestart(step);
    }
    if (step % 72 === 0) progress?.(`hour ${String(Math.round((step * STEP) / HOUR))}`);
  }
  await life.inspect();
}

class Life {
  readonly #home: string;
  readonly #clock: SimulatedClock;
  readonly #random: Random;
  readonly #report: ClockReport;
  #brain: Brain | undefined;
  #profile: Profile | undefined;
  /** As expiry counts it: it never goes back. */
  #steady: number;
  #sessions: Session[] = [];
  #standing: Standing[] = [];
  #days = new Set<string>();
  #made = 0;
  #held: { heap: number; handles: number }[] = [];

  constructor(home: string, clock: SimulatedClock, random: Random, report: ClockReport) {
    this.#home = home;
    this.#clock = clock;
    this.#random = random;
    this.#report = report;
    this.#steady = clock.now();
  }

  async begin(): Promise<void> {
    const etc = join(this.#home, "etc");
    await mkdir(etc);
    const files = {
      operator: { approvals: { expireAfterMs: APPROVAL, grantExpireAfterMs: GRANT } },
      server: { session: { idleTimeoutMs: IDLE, absoluteTimeoutMs: ABSOLUTE } },
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(join(etc, `${name}.json`), JSON.stringify(content));
    const brain = await this.#open();
    await brain.accounts.setup(ADA, { ...from, fromLoopback: true });
    this.#profile = await brain.profile("ada");
    // However short the time is, something of each kind comes to its end in it.
    await this.#signIn();
    for (const decision of DECISIONS) await this.#askForApproval(`notes/${decision}.md`, decision);
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
    await this.#agentsAtRest();
  }

  /** What a person does in five minutes: mostly nothing. */
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
  }

  async restart(): Promise<void> {
    await this.#brain?.close({ graceMs: 1_000 });
    this.#held.push({ heap: await heapInUse(), handles: await openHandles() });
    this.#profile = await (await this.#open()).profile("ada");
    this.#count("restarts");
    await this.#resumeInterrupted();
  }

  async inspect(): Promise<void> {
    const { problems } = this.#report;
    const profile = this.#opened();
    // Everything that waits for a person is over by then.
    for (let passed = 0; passed <= APPROVAL; passed += STEP) await this.pass(STEP);
    for (const status of ["queued", "running", "waiting", "interrupted"] as const)
      for (const { id } of (await profile.runs.list({ status, limit: 50 })).items)
        problems.push(`run ${id} is ${status} at the end`);
    await this.#inspectApprovals(profile);
    await this.#useGrant();
    for (let round = 0; round < 10; round += 1) await this.#useSessions();
    for (const { name, needsModel, lastRun } of await profile.agents.list())
      if (!needsModel && lastRun?.status !== "finished")
        problems.push(`agent ${name}: ${lastRun?.status ?? "never ran"}`);
    const audit = await profile.audit.verify();
    if (!audit.ok) problems.push(`the audit log does not hold: ${audit.message}`);
    await this.#brain?.close({ graceMs: 1_000 });
    const paths = profilePaths(this.#home, "ada");
    for (const path of [paths.stateDatabase, homePaths(this.#home).systemDatabase]) {
      const backups = listBackups(path);
      if (backups.length === 0 || backups.length > MOST_BACKUPS)
        problems.push(`${path} has ${String(backups.length)} backups`);
    }
    const logs = (await readdir(paths.logs.audit)).filter((file) => /^\d{4}-\d\d-\d\d\.ndjson$/u.test(file));
    for (const file of logs)
      if (!this.#days.has(file.slice(0, 10))) problems.push(`${file} is of a day that never was`);
    this.#report.done["days of audit"] = logs.length;
    this.#inspectGrowth();
  }

  async #inspectApprovals(profile: Profile): Promise<void> {
    const { problems, done } = this.#report;
    const expired = new Map<unknown, number>();
    let cursor: string | undefined;
    do {
      const page = await profile.audit.search({
        event: "approval_decided",
        limit: 100,
        ...(cursor !== undefined && { cursor }),
      });
      for (const { details } of page.items)
        if (details["decision"] === "expired")
          expired.set(details["approvalId"], (expired.get(details["approvalId"]) ?? 0) + 1);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    for (const [id, times] of expired)
      if (times !== 1) problems.push(`approval ${String(id)} expired ${String(times)} times`);
    const page = await profile.approvals.list({ limit: 100 });
    const inStore = page.items.filter(({ status }) => status === "expired");
    for (const { id } of inStore) if (!expired.has(id)) problems.push(`approval ${id} expired unnoted`);
    for (const { id, status } of page.items)
      if (status === "pending") problems.push(`approval ${id} still waits`);
    done["approvals that expired"] = expired.size;
  }

  #inspectGrowth(): void {
    const [first, last] = [this.#held[1] ?? this.#held[0], this.#held.at(-1)];
    if (!first || !last) return;
    const heap = last.heap - first.heap;
    const handles = last.handles - first.handles;
    this.#report.done["bytes of heap added"] = heap;
    this.#report.done["handles added"] = handles;
    if (heap > MOST_HEAP_GROWTH) this.#report.problems.push(`the heap grew by ${String(heap)} bytes`);
    if (handles > MOST_HANDLES_GROWTH) this.#report.problems.push(`${String(handles)} more handles are open`);
  }

  async #open(): Promise<Brain> {
    const { problems } = this.#report;
    const logger = createLogger({
      level: "error",
      to: { write: (line: string) => void problems.push(`in the log: ${line.trim().slice(0, 400)}`) },
    });
    return (this.#brain = await wake({
      home: this.#home,
      env: { OLLAMA_HOST: "http://127.0.0.1:9" },
      logger,
    }));
  }

  #opened(): Profile {
    if (!this.#profile) throw new Error("The profile is not open.");
    return this.#profile;
  }

  async #ask(goal: string): Promise<Run | undefined> {
    const { operator } = this.#opened();
    const { id } = await operator.start({ goal }, asAda);
    this.#count("requests");
    const run = await this.#settles(`"${goal}"`, (signal) => operator.settled(id, signal));
    if (run?.outcome === "failed")
      this.#report.problems.push(`"${goal}" failed: ${run.error?.message ?? ""}`);
    return run;
  }

  async #settles<Settled>(
    what: string,
    settled: (signal: AbortSignal) => Promise<Settled>,
  ): Promise<Settled | undefined> {
    const signal = AbortSignal.timeout(HANGS_AFTER_MS);
    try {
      return await settled(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#report.problems.push(`${what} hangs at ${new Date().toISOString()}`);
      return undefined;
    }
  }

  async #askForApproval(path: string, decision: (typeof DECISIONS)[number]): Promise<void> {
    await this.#ask(`create a file called ${path} with the text "x"`);
    const run = await this.#ask(`delete ${path}`);
    if (run?.pending?.kind !== "approval")
      return void this.#report.problems.push(`"delete ${path}" did not ask: ${run?.result ?? ""}`);
    const { operator } = this.#opened();
    if (decision === "wait") return;
    await operator.decide(run.pending.approvalId, decision);
    if (decision === "always") this.#standing.push({ path, expires: this.#clock.now() + GRANT });
    await this.#settles(`"delete ${path}", ${decision}`, (signal) => operator.settled(run.id, signal));
  }

  /** A standing permission is good until its moment, and not after it. */
  async #useGrant(): Promise<void> {
    const standing = this.#standing.shift();
    if (!standing) return;
    await this.#ask(`create a file called ${standing.path} with the text "again"`);
    const run = await this.#ask(`delete ${standing.path}`);
    const asked = run?.status === "waiting";
    const isOver = this.#clock.now() >= standing.expires;
    if (Math.abs(this.#clock.now() - standing.expires) > MINUTE && asked !== isOver)
      this.#report.problems.push(`"delete ${standing.path}" ${asked ? "asked" : "did not ask"} out of turn`);
    this.#count(isOver ? "grants that expired" : "grants that were used");
    if (!asked && !isOver) this.#standing.push(standing);
  }

  async #signIn(): Promise<void> {
    const { token } = (await this.#brain?.accounts.signIn(ADA, from)) ?? {};
    if (token === undefined) return;
    this.#sessions.push({ token, began: this.#steady, used: this.#steady });
    this.#count("sign-ins");
  }

  async #useSessions(): Promise<void> {
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

  /** A run that was under way when the process ended waits until a person resumes it. */
  async #resumeInterrupted(): Promise<void> {
    const { operator, runs } = this.#opened();
    for (const { id } of (await runs.list({ status: "interrupted", limit: 50 })).items) {
      await operator.resume(id, asAda);
      await this.#settles(`run ${id}, resumed`, (signal) => operator.settled(id, signal));
      this.#count("runs that were resumed");
    }
  }

  async #agentsAtRest(): Promise<void> {
    const { agents } = this.#opened();
    // What fell due begins in turns of its own.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    for (const { currentRun } of await agents.list()) {
      if (!currentRun) continue;
      await this.#settles(`agent ${currentRun.agent}`, (signal) => agents.settled(currentRun.id, signal));
      this.#count("agents that were waited for");
    }
  }

  #count(what: string): void {
    const { done } = this.#report;
    done[what] = (done[what] ?? 0) + 1;
  }
}

/** After everything that nobody holds was given back. */
async function heapInUse(): Promise<number> {
  const session = new InspectorSession();
  session.connect();
  try {
    await session.post("HeapProfiler.collectGarbage");
  } finally {
    session.disconnect();
  }
  return process.memoryUsage().heapUsed;
}

/** Of files and sockets where the system lists them, of what keeps Node awake elsewhere. */
async function openHandles(): Promise<number> {
  return process.platform === "linux"
    ? (await readdir("/proc/self/fd")).length
    : process.getActiveResourcesInfo().length;
}
