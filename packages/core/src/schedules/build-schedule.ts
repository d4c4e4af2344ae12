import { isDeepStrictEqual } from "node:util";
import type { ProfileSettings } from "../contract/profile.ts";
import { type Region, regionOf } from "../contract/region.ts";
import type {
  NewSchedule,
  Schedule,
  ScheduleEdit,
  ScheduleWhat,
  ScheduleWhen,
} from "../contract/schedule.ts";
import { TrustLevel } from "../contract/trust.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { localDay, type Clock } from "../language/dates/clock.ts";
import { readDateText } from "../language/dates/dates.ts";
import { splitRecurrence } from "../language/scheduled-request.ts";
import { omitUndefined } from "../text/omit-undefined.ts";
import { ulid } from "../text/ulid.ts";
import { capitalize, truncateLine } from "../text/format.ts";
import { TRUST_LABELS } from "../text/policy-labels.ts";
import { withoutTrailing } from "../text/words.ts";
import { isDueOn } from "./next-moment.ts";
import { editedWhen, readTimes, readWhen, splitUntil } from "./read-when.ts";
import type { GoalNeeds } from "./schedules-port.ts";

const DEFAULT_GRACE_MINUTES = 5;
const DEFAULT_APPROVAL_MINUTES = 720;
const MAX_TITLE = 120;
const DAY_SECONDS = 86_400;
/** No occurrence may make further schedules unless a person grants it. */
const MAKES_SCHEDULES = "schedule_create";

export interface BuildOptions {
  settings(): Promise<ProfileSettings>;
  /** The needs of a request, without executing it. */
  needsOf(goal: string, region: Region): Promise<GoalNeeds>;
  /** The function's title and the skills that it uses. Throws `FunctionNotFoundError`, `ConflictError` if it cannot be run. */
  functionOf(id: string): Promise<{ title: string; skills: readonly string[]; needsModel: boolean }>;
  /** Throws `InvalidArgsError` if the function cannot run with these values, also later. */
  checkValues(id: string, values: Readonly<Record<string, unknown>>, region: Region): Promise<void>;
  /** The skills that the policy allows at a trust level without asking. */
  skillsAllowedAt(level: TrustLevel): Promise<readonly string[]>;
  clock: () => Date;
}

/** The region of a person: what is given, then their settings, then this machine. */
export async function regionFor(options: BuildOptions, fields: Partial<Region> = {}): Promise<Region> {
  return regionOf(fields, await options.settings());
}

/** A new schedule with its defaults. Throws `InvalidArgsError` for what cannot be scheduled. */
export async function buildSchedule(
  input: NewSchedule,
  { actor, region }: { actor: string; region: Region },
  options: BuildOptions,
): Promise<Schedule> {
  const { timeZone, locale } = regionOf(input, region);
  const now = options.clock();
  const trustLevel = await trustFor(input.trustLevel, options);
  const clock = { now, timeZone, locale };
  const { when, until: lastMoment } = readTimes(input.when, clock);
  const until = input.until ?? lastMoment;
  const what = withoutOwnTimes(input.what, when, clock);
  const derived = await grantsFor(what, trustLevel, { timeZone, locale }, options);
  await checkValuesOf(what, { timeZone, locale }, options);
  return {
    id: `sched-${ulid()}`,
    title: input.title ?? titleOf(derived.title),
    what,
    when,
    timeZone,
    locale,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    catchUp: input.catchUp ?? "once",
    overlap: input.overlap ?? "skip",
    graceMinutes: input.graceMinutes ?? DEFAULT_GRACE_MINUTES,
    approvalMinutes: input.approvalMinutes ?? DEFAULT_APPROVAL_MINUTES,
    ...(input.quietHours && { quietHours: input.quietHours }),
    skipDays: input.skipDays ?? [],
    ...(input.budget && { budget: input.budget }),
    trustLevel,
    grants: input.grants ?? derived.grants,
    needsModel: derived.needsModel,
    enabled: input.enabled ?? true,
    createdBy: actor,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    version: 1,
  };
}

/**
 * Leaves the times of the schedule itself out of its request: "every day at 8 list my tasks" would schedule the same again at
 * every occurrence, and "on Friday at 8 list my tasks" for the Friday after.
 */
function withoutOwnTimes(what: ScheduleWhat, when: ScheduleWhen, clock: Clock): ScheduleWhat {
  if (what.kind !== "request") return what;
  const goal = withoutTrailing(what.goal.trim(), /[.!\s]/u);
  const recurring = splitRecurrence(goal);
  if (recurring && isSame(recurring.when, when, clock)) return { ...what, goal: recurring.rest };
  const rest = when.kind === "at" ? withoutMoment(goal, when.at, clock) : undefined;
  return rest === undefined ? what : { ...what, goal: rest };
}

/** Whether the words mean the same times. Intervals count from when they are read, so these are the same at any moment. */
function isSame(words: string, when: ScheduleWhen, clock: Clock): boolean {
  try {
    const read = readWhen(words, clock);
    if (read.kind === "every" && when.kind === "every" && read.seconds < DAY_SECONDS)
      return read.seconds === when.seconds;
    return isDeepStrictEqual(read, when);
  } catch (error) {
    if (error instanceof InvalidArgsError) return false;
    throw error;
  }
}

/** Words for one moment are no longer than this. */
const MOMENT_WORDS = 8;
/** "my tasks of tomorrow at 9": what follows belongs to the request. */
const TAKES_MOMENT =
  /(?<!\p{L})(?:of|for|from|by|due|until|till|since|before|after|to|through|between|and|or|than|starting|called)$/iu;

/** A request without the words for the moment at its beginning or its end; undefined if there are none. */
function withoutMoment(goal: string, at: string, clock: Clock): string | undefined {
  const isMoment = (words: string): boolean => {
    const read = readDateText(words.replace(/^(?:on|at|in)\s+/iu, ""), clock);
    return read.kind === "date" && read.value.includes("T") && Date.parse(read.value) === Date.parse(at);
  };
  const gaps = [...goal.matchAll(/\s+/gu)].map(({ index }) => index);
  for (const gap of gaps.slice(0, MOMENT_WORDS).toReversed()) {
    const rest = goal.slice(gap).replace(/^[\s,:–—-]+/u, "");
    if (rest !== "" && isMoment(withoutTrailing(goal.slice(0, gap), /[\s,:–—-]/u))) return rest;
  }
  for (const gap of gaps.slice(-MOMENT_WORDS)) {
    const rest = withoutTrailing(goal.slice(0, gap), /[\s,]/u);
    if (rest !== "" && !TAKES_MOMENT.test(rest) && isMoment(goal.slice(gap).trimStart())) return rest;
  }
  return undefined;
}

/** The permissions of the occurrences of a new schedule. */
export async function limitsOf(
  what: ScheduleWhat,
  region: Region,
  options: BuildOptions,
): Promise<Pick<Schedule, "trustLevel" | "grants" | "needsModel">> {
  const trustLevel = await trustFor(undefined, options);
  const { grants, needsModel } = await grantsFor(what, trustLevel, region, options);
  return { trustLevel, grants, needsModel };
}

/**
 * A schedule as an edit changes it. Days to come on which nothing is due any more are no longer skipped. Throws
 * `InvalidArgsError` for what cannot be scheduled.
 */
export async function editSchedule(
  before: Schedule,
  edit: ScheduleEdit,
  options: BuildOptions,
): Promise<Schedule> {
  const { quietHours, budget, what, trustLevel, enabled } = edit;
  const timeZone = edit.timeZone ?? before.timeZone;
  const own = omitUndefined({ locale: edit.locale ?? before.locale });
  const region = await regionFor(options, { timeZone, ...own });
  const clock = { now: options.clock(), timeZone, locale: region.locale };
  const { when, until = edit.until } = splitUntil(edit.when, clock);
  const level = trustLevel === undefined ? before.trustLevel : await trustFor(trustLevel, options);
  const derived = what && (await grantsFor(what, level, region, options));
  if (what) await checkValuesOf(what, region, options);
  const isTitled = before.title !== titleOf(wordsOf(before.what));
  const { pausedReason, until: _until, quietHours: _quiet, budget: _budget, ...unchanged } = before;
  const isEnabled = enabled ?? before.enabled;
  const end = until === undefined ? before.until : until === null ? undefined : new Date(until).toISOString();
  const quiet = quietHours === undefined ? before.quietHours : (quietHours ?? undefined);
  const limit = budget === undefined ? before.budget : (budget ?? undefined);
  const times = when === undefined ? before.when : editedWhen(before.when, when, clock);
  const today = localDay(clock.now, timeZone);
  const timing = { when: times, timeZone, ...(end !== undefined && { until: end }) };
  return {
    ...unchanged,
    ...(!isEnabled && pausedReason !== undefined && { pausedReason }),
    // A title that repeats the words follows them.
    title: edit.title ?? (derived && !isTitled ? titleOf(derived.title) : before.title),
    what: what ?? before.what,
    ...own,
    catchUp: edit.catchUp ?? before.catchUp,
    overlap: edit.overlap ?? before.overlap,
    graceMinutes: edit.graceMinutes ?? before.graceMinutes,
    approvalMinutes: edit.approvalMinutes ?? before.approvalMinutes,
    skipDays: edit.skipDays ?? before.skipDays.filter((day) => day < today || isDueOn(day, timing)),
    grants: edit.grants ?? derived?.grants ?? before.grants,
    needsModel: derived?.needsModel ?? before.needsModel,
    ...timing,
    trustLevel: level,
    enabled: isEnabled,
    ...(quiet !== undefined && { quietHours: quiet }),
    ...(limit !== undefined && { budget: limit }),
  };
}

/** Without the skills for which the policy would ask at the schedule's trust level. */
export async function withoutAskedGrants(schedule: Schedule, options: BuildOptions): Promise<Schedule> {
  const allowed = new Set(await options.skillsAllowedAt(schedule.trustLevel));
  return { ...schedule, grants: schedule.grants.filter((id) => allowed.has(id)) };
}

/** Throws `InvalidArgsError` for a trust level above the profile's. */
async function trustFor(wanted: TrustLevel | undefined, options: BuildOptions): Promise<TrustLevel> {
  const { trustLevel } = await options.settings();
  if (wanted === undefined) return trustLevel;
  if (TrustLevel.options.indexOf(wanted) > TrustLevel.options.indexOf(trustLevel))
    throw new InvalidArgsError(
      `A schedule may not exceed the trust level of its profile, which is “${TRUST_LABELS[trustLevel]}”.`,
      { suggestions: [trustLevel] },
    );
  return wanted;
}

async function checkValuesOf(what: ScheduleWhat, region: Region, options: BuildOptions): Promise<void> {
  if (what.kind === "function") await options.checkValues(what.functionId, what.values, region);
}

async function grantsFor(
  what: ScheduleWhat,
  level: TrustLevel,
  region: Region,
  options: BuildOptions,
): Promise<{ title: string; grants: string[]; needsModel: boolean }> {
  switch (what.kind) {
    case "reminder":
      return { title: what.text, grants: [], needsModel: false };
    case "function": {
      const { title, skills, needsModel } = await options.functionOf(what.functionId);
      return { title, grants: [what.functionId, "function_run", ...skills], needsModel };
    }
    case "request": {
      const { needsModel, skills } = await options.needsOf(what.goal, region);
      const usable = needsModel ? await options.skillsAllowedAt(level) : skills;
      const grants = usable.filter((id) => id !== MAKES_SCHEDULES);
      return { title: what.goal, grants: [...new Set(grants)], needsModel };
    }
    default:
      return what satisfies never;
  }
}

/** The words of a reminder or a request; empty for a function. */
export function wordsOf(what: ScheduleWhat): string {
  return what.kind === "reminder" ? what.text : what.kind === "request" ? what.goal : "";
}

/** The title of a schedule without one. */
export function titleOf(text: string): string {
  return capitalize(truncateLine(text, MAX_TITLE));
}
