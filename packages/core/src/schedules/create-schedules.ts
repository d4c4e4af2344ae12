import { z } from "zod";
import type { ProfileSettings } from "../contract/profile.ts";
import { type Region, regionOf } from "../contract/region.ts";
import {
  type NewSchedule,
  type Schedule,
  type ScheduleAnswer,
  type ScheduleEdit,
  type ScheduleItem,
  type ScheduleWhat,
  ScheduleWhen,
} from "../contract/schedule.ts";
import { TrustLevel } from "../contract/trust.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { ConflictError, InvalidArgsError } from "../errors/request-errors.ts";
import { decodeCursor, folded, pageOf } from "../runs/page-of.ts";
import { ulid } from "../runs/ulid.ts";
import { contentWords, stemOf } from "../text/words.ts";
import { describeWhen } from "../contract/describe-when.ts";
import { dueMoments } from "./due-moments.ts";
import { nextMoment, nextMoments } from "./next-moment.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";
import { readWhen } from "./read-when.ts";
import type { ScheduleRecords } from "./schedule-records.ts";
import type { GoalNeeds, SchedulesPort } from "./schedules-port.ts";

const PREVIEWED = 5;
/** How many moments of one schedule a calendar shows. */
const MAX_PLANNED = 100;
const DEFAULT_GRACE_MINUTES = 5;
const DEFAULT_APPROVAL_MINUTES = 720;
const DELETED = "The schedule was deleted before it started.";

export interface SchedulesOptions {
  username: string;
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  settings(): Promise<ProfileSettings>;
  /** What a request needs, without carrying it out. */
  needsOf(goal: string, region: Region): Promise<GoalNeeds>;
  /** The function's title and the skills that it uses. Throws `FunctionNotFoundError`, `ConflictError` if it cannot be run. */
  functionOf(id: string): Promise<{ title: string; skills: readonly string[]; needsModel: boolean }>;
  /** The skills that the policy allows at a trust level without asking. */
  skillsAllowedAt(level: TrustLevel): Promise<readonly string[]>;
  audit: Pick<AuditLog, "append">;
  clock: () => Date;
  /** Called after every change of a schedule or its moments. */
  onChange(): void;
}

/** Creates the schedules of a profile on its records and its ledger. */
export function createSchedules(options: SchedulesOptions): SchedulesPort {
  const { records, ledger, clock } = options;

  async function storeMoment(schedule: Schedule): Promise<void> {
    await synchronizeMoment(schedule, ledger, clock());
    options.onChange();
  }

  async function answer(schedule: Schedule): Promise<ScheduleAnswer> {
    const stored = await ledger.moment(schedule.id);
    const { items } = await ledger.occurrences(schedule.id, { limit: 1 });
    return { schedule, next: nextOf(schedule, stored), lastOccurrence: items[0] ?? null };
  }

  async function change(
    id: string,
    version: number | undefined,
    edit: (schedule: Schedule) => Schedule | Promise<Schedule>,
    event: string,
  ): Promise<ScheduleAnswer> {
    const changed = await records.change(id, version, edit);
    await storeMoment(changed);
    await audit(event, changed);
    return answer(changed);
  }

  async function audit(event: string, { id, title, what, trustLevel, grants }: Schedule): Promise<void> {
    await options.audit.append({
      event,
      actor: options.username,
      details: { scheduleId: id, title, kind: what.kind, trustLevel, grants },
    });
  }

  async function regionFor(given: Partial<Region> = {}): Promise<Region> {
    return regionOf(given, await options.settings());
  }

  /** Throws `InvalidArgsError` for a trust level above the profile's. */
  async function trustFor(wanted: TrustLevel | undefined): Promise<TrustLevel> {
    const { trustLevel } = await options.settings();
    if (wanted === undefined) return trustLevel;
    if (TrustLevel.options.indexOf(wanted) > TrustLevel.options.indexOf(trustLevel))
      throw new InvalidArgsError(
        `A schedule may not exceed the trust level of its profile, which is ${trustLevel}.`,
        { suggestions: [trustLevel] },
      );
    return wanted;
  }

  async function grantsFor(
    what: ScheduleWhat,
    level: TrustLevel,
    region: Region,
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
        const grants = needsModel ? await options.skillsAllowedAt(level) : skills;
        return { title: what.goal, grants: [...new Set(grants)], needsModel };
      }
      default:
        return what satisfies never;
    }
  }

  async function build(given: NewSchedule, actor: string, region: Region): Promise<Schedule> {
    const timeZone = given.timeZone ?? region.timeZone;
    const now = clock();
    const at = { now, timeZone, locale: region.locale };
    const trustLevel = await trustFor(given.trustLevel);
    const derived = await grantsFor(given.what, trustLevel, { ...region, timeZone });
    return {
      id: `sched-${ulid()}`,
      title: given.title ?? titleOf(derived.title),
      what: given.what,
      when: readWhen(given.when, at),
      timeZone,
      ...(given.until !== undefined && { until: new Date(given.until).toISOString() }),
      catchUp: given.catchUp ?? "once",
      overlap: given.overlap ?? "skip",
      graceMinutes: given.graceMinutes ?? DEFAULT_GRACE_MINUTES,
      approvalMinutes: given.approvalMinutes ?? DEFAULT_APPROVAL_MINUTES,
      ...(given.quietHours && { quietHours: given.quietHours }),
      skipDays: given.skipDays ?? [],
      ...(given.budget && { budget: given.budget }),
      trustLevel,
      grants: given.grants ?? derived.grants,
      needsModel: derived.needsModel,
      enabled: given.enabled ?? true,
      createdBy: actor,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
    };
  }

  async function edited(before: Schedule, edit: ScheduleEdit): Promise<Schedule> {
    const { when, until, quietHours, budget, what, trustLevel, enabled } = edit;
    const timeZone = edit.timeZone ?? before.timeZone;
    const region = await regionFor({ timeZone });
    const level = trustLevel === undefined ? before.trustLevel : await trustFor(trustLevel);
    const derived = what && (await grantsFor(what, level, region));
    const { pausedReason, until: _until, quietHours: _quiet, budget: _budget, ...unchanged } = before;
    const isEnabled = enabled ?? before.enabled;
    const end =
      until === undefined ? before.until : until === null ? undefined : new Date(until).toISOString();
    const quiet = quietHours === undefined ? before.quietHours : (quietHours ?? undefined);
    const limit = budget === undefined ? before.budget : (budget ?? undefined);
    return {
      ...unchanged,
      ...(!isEnabled && pausedReason !== undefined && { pausedReason }),
      title: edit.title ?? before.title,
      what: what ?? before.what,
      catchUp: edit.catchUp ?? before.catchUp,
      overlap: edit.overlap ?? before.overlap,
      graceMinutes: edit.graceMinutes ?? before.graceMinutes,
      approvalMinutes: edit.approvalMinutes ?? before.approvalMinutes,
      skipDays: edit.skipDays ?? before.skipDays,
      grants: edit.grants ?? derived?.grants ?? before.grants,
      needsModel: derived?.needsModel ?? before.needsModel,
      timeZone,
      trustLevel: level,
      enabled: isEnabled,
      ...(when !== undefined && {
        when: readWhen(when, { now: clock(), timeZone, locale: region.locale }),
      }),
      ...(end !== undefined && { until: end }),
      ...(quiet !== undefined && { quietHours: quiet }),
      ...(limit !== undefined && { budget: limit }),
    };
  }

  /** Without the skills for which the policy would ask at the schedule's trust level. */
  async function withoutAskedGrants(schedule: Schedule): Promise<Schedule> {
    const allowed = new Set(await options.skillsAllowedAt(schedule.trustLevel));
    return { ...schedule, grants: schedule.grants.filter((id) => allowed.has(id)) };
  }

  async function items(): Promise<ScheduleItem[]> {
    const [all, moments, latest] = await Promise.all([records.list(), ledger.moments(), ledger.latest()]);
    const stored = new Map(moments.map((moment) => [moment.scheduleId, moment]));
    return all
      .map((schedule) => ({
        ...schedule,
        next: nextOf(schedule, stored.get(schedule.id)),
        lastOccurrence: latest.get(schedule.id) ?? null,
      }))
      .sort((a, b) => compareKeys(keysOf(a), keysOf(b)));
  }

  return {
    async preview({ when, timeZone, until }, given) {
      const region = await regionFor({ ...given, ...(timeZone !== undefined && { timeZone }) });
      const read = readWhen(when, { now: clock(), ...region });
      const timing = {
        when: read,
        timeZone: region.timeZone,
        ...(until !== undefined && { until: new Date(until).toISOString() }),
      };
      const next = nextMoments(timing, clock(), PREVIEWED).map((moment) => moment.toISOString());
      return { when: read, timeZone: region.timeZone, words: describeWhen(read, region.timeZone), next };
    },
    draft: async (given, { actor, region }) => build(given, actor, await regionFor(region)),
    async create(given, { actor, region, mayGrant = true }) {
      const draft = await build(given, actor, await regionFor(region));
      const created = await records.create(mayGrant ? draft : await withoutAskedGrants(draft));
      await storeMoment(created);
      await audit("schedule_created", created);
      return answer(created);
    },
    async list({ query = "", limit, cursor }) {
      const words = folded(query).split(/\s+/u).filter(Boolean);
      const found = (await items()).filter((item) =>
        words.every((word) => folded(textOf(item)).includes(word)),
      );
      const after = cursor === undefined ? undefined : decodeCursor(cursor, 2);
      const rest = after ? found.filter((item) => compareKeys(keysOf(item), after) > 0) : found;
      return pageOf(rest.slice(0, limit + 1), { limit, total: found.length, keys: keysOf });
    },
    get: async (id) => answer(await records.get(id)),
    async find(words, limit) {
      const wanted = stemsOf(words);
      const all = wanted.size === 0 ? [] : await items();
      const found = all.filter((item) => isWithin(wanted, stemsOf(textOf(item))));
      // Who says the whole title means that schedule, though others have its words, too.
      const named = found.filter(({ title }) => isWithin(stemsOf(title), wanted));
      return (named.length > 0 ? named : found).slice(0, limit);
    },
    edit: (id, edit, { mayGrant = true } = {}) =>
      change(
        id,
        edit.version,
        async (before) => {
          const after = await edited(before, edit);
          return mayGrant ? after : withoutAskedGrants(after);
        },
        "schedule_changed",
      ),
    async pause(id, reason) {
      const paused = await change(
        id,
        undefined,
        ({ pausedReason: _before, ...schedule }) => ({
          ...schedule,
          enabled: false,
          ...(reason !== undefined && { pausedReason: reason }),
        }),
        "schedule_paused",
      );
      await ledger.skipDue(id, "The schedule was paused before it started.");
      return paused;
    },
    async resume(id) {
      await ledger.resetFailures(id);
      return change(
        id,
        undefined,
        ({ pausedReason: _before, ...schedule }) => ({ ...schedule, enabled: true }),
        "schedule_resumed",
      );
    },
    skipDay: (id, day) =>
      change(
        id,
        undefined,
        (schedule) => ({ ...schedule, skipDays: [...new Set([...schedule.skipDays, day])].sort() }),
        "schedule_changed",
      ),
    async runNow(id) {
      const schedule = await records.get(id);
      const open = [...(await ledger.running()), ...(await ledger.due(clock()))];
      if (open.some(({ scheduleId }) => scheduleId === id))
        throw new ConflictError("An occurrence of this schedule is running or about to start.");
      const dueAt = clock().toISOString();
      const occurrence = await ledger.add({ scheduleId: id, dueAt }, "A person started it.");
      await audit("schedule_run_requested", schedule);
      options.onChange();
      return occurrence;
    },
    async remove(id, removal) {
      const schedule = await records.get(id);
      await recordPast(schedule, ledger, clock());
      const entry = await records.remove(id, removal);
      await ledger.forget(id, DELETED);
      await audit("schedule_deleted", schedule);
      options.onChange();
      return entry;
    },
    async restore(archiveId) {
      const schedule = await records.restore(archiveId);
      await storeMoment(schedule);
      await audit("schedule_restored", schedule);
      return schedule;
    },
    archived: () => records.archived(),
    async occurrences(id, query) {
      await records.get(id);
      return ledger.occurrences(id, query);
    },
    async calendar(from, to) {
      const end = new Date(to);
      const planned = (await items()).flatMap((item) =>
        nextOf(item, item, MAX_PLANNED)
          .filter((dueAt) => new Date(dueAt) < end && dueAt >= from)
          .map((dueAt) => ({ scheduleId: item.id, dueAt })),
      );
      return { items: await ledger.between(from, to), planned };
    },
    async remindOf({ id, title, due }, region) {
      if (due === undefined) return undefined;
      const given = { what: { kind: "reminder" as const, text: title, taskId: id }, when: due };
      const reminder = await records.create(await build(given, options.username, region));
      await storeMoment(reminder);
      await audit("schedule_created", reminder);
      return (await ledger.moment(reminder.id))?.next ?? undefined;
    },
    async endRemindersOf(taskId) {
      const pausedReason = "Its task is finished or deleted.";
      for (const { id, what, enabled } of await records.list()) {
        if (what.kind !== "reminder" || what.taskId !== taskId || !enabled) continue;
        const edit = (schedule: Schedule) => ({ ...schedule, enabled: false, pausedReason });
        await change(id, undefined, edit, "schedule_paused");
        await ledger.skipDue(id, pausedReason);
      }
    },
  };
}

/**
 * Computes the next moment of a new or changed schedule. Moments that came before the change get their rows first. Does
 * nothing for a schedule whose timing is unchanged.
 */
export async function synchronizeMoment(
  schedule: Schedule,
  ledger: OccurrenceLedger,
  now: Date,
): Promise<void> {
  const { id: scheduleId } = schedule;
  const timing = timingOf(schedule);
  const stored = await ledger.moment(scheduleId);
  if (stored?.timing === timing) return;
  if (stored) await recordPast(withTiming(schedule, stored.timing), ledger, now);
  const last = await ledger.lastDue(scheduleId);
  const after = last !== undefined && new Date(last) > now ? new Date(last) : now;
  const moment = schedule.enabled ? nextMoment(schedule, after) : undefined;
  await ledger.setMoment({
    scheduleId,
    timing,
    next: moment?.at.toISOString() ?? null,
    note: moment?.note ?? null,
  });
}

/** Writes the rows of the moments that have come and that no process has recorded yet. */
async function recordPast(schedule: Schedule, ledger: OccurrenceLedger, now: Date): Promise<void> {
  for (;;) {
    const stored = await ledger.moment(schedule.id);
    if (!stored || stored.next === null || new Date(stored.next) > now) return;
    const first = { at: new Date(stored.next), ...(stored.note !== null && { note: stored.note }) };
    const { rows, next } = dueMoments(schedule, first, now);
    await ledger.advance([
      {
        scheduleId: schedule.id,
        expected: { timing: stored.timing, next: stored.next },
        rows,
        next: next?.at.toISOString() ?? null,
        note: next?.note ?? null,
      },
    ]);
  }
}

const Timing = z.tuple([ScheduleWhen, z.string(), z.string().nullable(), z.boolean()]);

/** What the next moment of a schedule depends on, as text. */
export function timingOf({ when, timeZone, until, enabled }: Schedule): string {
  return JSON.stringify([when, timeZone, until ?? null, enabled] satisfies z.input<typeof Timing>);
}

/** A schedule with the timing that a text of `timingOf` describes. */
function withTiming({ until: _until, ...schedule }: Schedule, timing: string): Schedule {
  const [when, timeZone, until, enabled] = Timing.parse(JSON.parse(timing));
  return { ...schedule, when, timeZone, enabled, ...(until !== null && { until }) };
}

/** The next moments: the stored one, then those that follow. */
function nextOf(
  schedule: Schedule,
  stored: { next: string | null | readonly string[] } | undefined,
  count = PREVIEWED,
): string[] {
  const next = typeof stored?.next === "string" ? stored.next : stored?.next?.[0];
  if (!schedule.enabled || next === undefined) return [];
  const rest = nextMoments(schedule, new Date(next), count - 1).map((moment) => moment.toISOString());
  return [next, ...rest];
}

const MAX_TITLE = 120;

function titleOf(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const title = line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…`;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function textOf({ title, what }: Pick<Schedule, "title" | "what">): string {
  switch (what.kind) {
    case "reminder":
      return `${title}\n${what.text}`;
    case "request":
      return `${title}\n${what.goal}`;
    case "function":
      return title;
    default:
      return what satisfies never;
  }
}

const stemsOf = (text: string): Set<string> => new Set(contentWords(text).map(stemOf));

function isWithin(words: ReadonlySet<string>, text: ReadonlySet<string>): boolean {
  return [...words].every((word) => text.has(word));
}

const keysOf = ({ next, createdAt, id }: ScheduleItem): [string, string] => [next[0] ?? `~${createdAt}`, id];

function compareKeys([a = "", b = ""]: readonly string[], [c = "", d = ""]: readonly string[]): number {
  if (a !== c) return a < c ? -1 : 1;
  return b === d ? 0 : b < d ? -1 : 1;
}
