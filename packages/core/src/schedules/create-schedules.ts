import { isDeepStrictEqual } from "node:util";
import { isOpenStatus } from "../contract/task.ts";
import type { Schedule, ScheduleAnswer } from "../contract/schedule.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { describeWhen } from "../contract/describe-when.ts";
import {
  type BuildOptions,
  buildSchedule,
  editSchedule,
  limitsOf,
  regionFor,
  titleOf,
  withoutAskedGrants,
} from "./build-schedule.ts";
import { withoutTrailing } from "../text/words.ts";
import { findSchedules, listItems, listPage, PREVIEWED_MOMENTS } from "./list-schedules.ts";
import { nextMoment, nextMoments } from "./next-moment.ts";
import type { OccurrenceLedger } from "./occurrence-ledger.ts";
import { readTimes, whenDue } from "./read-when.ts";
import { nextOf, plannedUntil, recordPast, synchronizeMoment } from "./schedule-moments.ts";
import type { ScheduleRecords } from "./schedule-records.ts";
import type { SchedulesPort } from "./schedules-port.ts";

const TASK_CLOSED = "Its task is finished or deleted.";

export interface SchedulesOptions extends BuildOptions {
  username: string;
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  audit: Pick<AuditLog, "append">;
  /** Called after every change of a schedule or its moments. */
  onChange(): void;
}

/** Creates the schedules of a profile on its records and its ledger. */
export function createSchedules(options: SchedulesOptions): SchedulesPort {
  return { ...createReader(options), ...createWriter(options), ...createReminders(options) };
}

function createReader(
  options: SchedulesOptions,
): Pick<
  SchedulesPort,
  "preview" | "draft" | "list" | "get" | "find" | "archived" | "readArchived" | "occurrences" | "calendar"
> {
  const { records, ledger, clock } = options;
  return {
    async preview({ when, what, timeZone, until }, previewRegion) {
      const region = await regionFor(options, {
        ...previewRegion,
        ...(timeZone !== undefined && { timeZone }),
      });
      const { when: read, until: lastMoment } = readTimes(when, { now: clock(), ...region });
      const end = until ?? lastMoment;
      const timing = {
        when: read,
        timeZone: region.timeZone,
        ...(end !== undefined && { until: new Date(end).toISOString() }),
      };
      const next = nextMoments(timing, clock(), PREVIEWED_MOMENTS).map((moment) => moment.toISOString());
      const preview = {
        when: read,
        timeZone: region.timeZone,
        words: describeWhen(read, region.timeZone, timing.until),
        next,
      };
      return what === undefined ? preview : { ...preview, limits: await limitsOf(what, region, options) };
    },
    async draft(input, { actor, region }) {
      const draft = await buildSchedule(input, { actor, region: await regionFor(options, region) }, options);
      await refuseRepeated(draft, options);
      return draft;
    },
    list: (query) => listPage(options, query),
    get: async (id) => scheduleAnswer(await records.get(id), options),
    find: (words, limit) => findSchedules(options, words, limit),
    archived: () => records.archived(),
    readArchived: (archiveId) => records.readArchived(archiveId),
    async occurrences(id, query) {
      await records.get(id);
      return ledger.occurrences(id, query);
    },
    async calendar(from, to) {
      const end = new Date(to);
      const planned = (await listItems(options)).flatMap((item) =>
        plannedUntil(item, item, end)
          .filter(({ dueAt }) => dueAt >= from)
          .map((moment) => ({ scheduleId: item.id, ...moment })),
      );
      return { items: await ledger.between(from, to), planned };
    },
  };
}

function createWriter(
  options: SchedulesOptions,
): Pick<SchedulesPort, "create" | "edit" | "pause" | "resume" | "skipDay" | "runNow" | "remove" | "restore"> {
  const { records, ledger, clock } = options;
  return {
    async create(given, { actor, region, mayGrant = true }) {
      const draft = await buildSchedule(given, { actor, region: await regionFor(options, region) }, options);
      await refuseRepeated(draft, options);
      const created = await records.create(mayGrant ? draft : await withoutAskedGrants(draft, options));
      return scheduleAnswer(await finishChange("schedule_created", created, options), options);
    },
    edit: (id, edit, { mayGrant = true } = {}) =>
      change(
        { id, version: edit.version, event: "schedule_changed" },
        async (before) => {
          const after = await editSchedule(before, edit, options);
          return mayGrant ? after : withoutAskedGrants(after, options);
        },
        options,
      ),
    async pause(id, reason) {
      const paused = await change({ id, event: "schedule_paused" }, pausing(reason), options);
      await ledger.skipDue(id, "The schedule was paused before it started.");
      return paused;
    },
    async resume(id) {
      await ledger.resetFailures(id);
      return change(
        { id, event: "schedule_resumed" },
        ({ pausedReason: _before, ...schedule }) => ({ ...schedule, enabled: true }),
        options,
      );
    },
    skipDay: (id, day) =>
      change(
        { id, event: "schedule_changed" },
        (schedule) => ({ ...schedule, skipDays: [...new Set([...schedule.skipDays, day])].sort() }),
        options,
      ),
    async runNow(id) {
      const schedule = await records.get(id);
      const open = [...(await ledger.running()), ...(await ledger.due(clock()))];
      if (open.some(({ scheduleId }) => scheduleId === id))
        throw new ConflictError("An occurrence of this schedule is running or about to start.");
      const dueAt = clock().toISOString();
      const occurrence = await ledger.add({ scheduleId: id, dueAt }, "You started it.");
      await audit("schedule_run_requested", schedule, options);
      options.onChange();
      return occurrence;
    },
    async remove(id, removal) {
      const schedule = await records.get(id);
      await recordPast(schedule, ledger, clock());
      const entry = await records.remove(id, removal);
      await ledger.forget(id, "The schedule was deleted before it started.");
      await audit("schedule_deleted", schedule, options);
      options.onChange();
      return entry;
    },
    restore: async (archiveId) =>
      finishChange("schedule_restored", await records.restore(archiveId), options),
  };
}

/** The reminders of tasks. */
function createReminders(
  options: SchedulesOptions,
): Pick<SchedulesPort, "remindOf" | "updateRemindersOf" | "endRemindersOf"> {
  const { records, ledger, username } = options;
  return {
    async remindOf({ id, title, due }, region) {
      if (due === undefined) return undefined;
      const before = (await records.list()).find(
        (schedule) => remindsOf(schedule, id) && schedule.enabled && schedule.when.kind === "at",
      );
      if (before !== undefined) return (await ledger.moment(before.id))?.next ?? undefined;
      const reminderInput = { what: { kind: "reminder" as const, text: title, taskId: id }, when: due };
      const reminder = await buildSchedule(reminderInput, { actor: username, region }, options);
      await finishChange("schedule_created", await records.create(reminder), options);
      return (await ledger.moment(reminder.id))?.next ?? undefined;
    },
    async updateRemindersOf(task) {
      const { id, title, due, status } = task;
      for (const reminder of (await records.list()).filter((schedule) => remindsOf(schedule, id))) {
        const isSingle = reminder.when.kind === "at";
        if (!isOpenStatus(status) || (isSingle && due === undefined)) await end(reminder);
        else if (isSingle && due !== undefined) await updateReminder(reminder, { title, due });
        else await startAgain(reminder);
      }
    },
    async endRemindersOf(taskId) {
      for (const schedule of await records.list()) if (remindsOf(schedule, taskId)) await end(schedule);
    },
  };

  async function end({ id, enabled }: Schedule): Promise<void> {
    if (!enabled) return;
    await change({ id, event: "schedule_paused" }, pausing(TASK_CLOSED), options);
    await ledger.skipDue(id, TASK_CLOSED);
  }

  async function startAgain({ id, pausedReason }: Schedule): Promise<void> {
    if (pausedReason !== TASK_CLOSED) return;
    await change(
      { id, event: "schedule_resumed" },
      ({ pausedReason: _ended, ...schedule }) => ({ ...schedule, enabled: true }),
      options,
    );
  }

  async function updateReminder(
    before: Schedule,
    { title, due }: { title: string; due: string },
  ): Promise<void> {
    // A person's pause stays.
    if (!before.enabled && before.pausedReason !== TASK_CLOSED) return;
    const moment = { now: options.clock(), timeZone: before.timeZone };
    const when = whenDue(due, moment);
    const isSame = isDeepStrictEqual(when, before.when) && textOf(before) === title;
    if ((isSame && before.enabled) || !nextMoment({ when, timeZone: before.timeZone }, moment.now)) return;
    await change(
      { id: before.id, event: "schedule_changed" },
      ({ pausedReason: _ended, ...schedule }) => ({
        ...schedule,
        ...(schedule.what.kind === "reminder" && { what: { ...schedule.what, text: title } }),
        ...(schedule.title === titleOf(textOf(schedule)) && { title: titleOf(title) }),
        when,
        enabled: true,
      }),
      options,
    );
  }
}

/** Throws `ConflictError` for a request that the operator schedules for the same times as before: one run may repeat another. */
async function refuseRepeated(
  { what, when, timeZone, createdBy }: Schedule,
  { records }: Pick<SchedulesOptions, "records">,
): Promise<void> {
  if (createdBy !== "operator" || what.kind !== "request") return;
  const goal = comparable(what.goal);
  const same = (await records.list()).find(
    (other) =>
      other.enabled &&
      other.what.kind === "request" &&
      comparable(other.what.goal) === goal &&
      other.timeZone === timeZone &&
      isDeepStrictEqual(timesOf(other.when), timesOf(when)),
  );
  if (same)
    throw new ConflictError(
      `This is scheduled already: “${same.title}”, ${describeWhen(same.when, same.timeZone, same.until)}.`,
    );
}

const comparable = (goal: string): string => withoutTrailing(goal.trim().toLowerCase(), /[.!\s]/u);

/** What decides when a schedule is due. Two intervals are the same if they are equally long, whenever they began. */
const timesOf = (when: Schedule["when"]): unknown =>
  when.kind === "every" ? { kind: when.kind, seconds: when.seconds } : when;

const remindsOf = ({ what }: Schedule, taskId: string): boolean =>
  what.kind === "reminder" && what.taskId === taskId;

const textOf = ({ what }: Schedule): string => (what.kind === "reminder" ? what.text : "");

const pausing =
  (reason: string | undefined) =>
  ({ pausedReason: _before, ...schedule }: Schedule): Schedule => ({
    ...schedule,
    enabled: false,
    ...(reason !== undefined && { pausedReason: reason }),
  });

async function change(
  { id, version, event }: { id: string; version?: number | undefined; event: string },
  edit: (schedule: Schedule) => Schedule | Promise<Schedule>,
  options: SchedulesOptions,
): Promise<ScheduleAnswer> {
  const changed = await options.records.change(id, version, edit);
  return scheduleAnswer(await finishChange(event, changed, options), options);
}

/** Computes the next moment of a schedule whose record was written, audits the event and tells those who follow. */
async function finishChange(event: string, schedule: Schedule, options: SchedulesOptions): Promise<Schedule> {
  await synchronizeMoment(schedule, options.ledger, options.clock());
  await audit(event, schedule, options);
  options.onChange();
  return schedule;
}

async function scheduleAnswer(
  schedule: Schedule,
  { ledger }: Pick<SchedulesOptions, "ledger">,
): Promise<ScheduleAnswer> {
  const moment = await ledger.moment(schedule.id);
  const { items } = await ledger.occurrences(schedule.id, { limit: 1 });
  return { schedule, next: nextOf(schedule, moment, PREVIEWED_MOMENTS), lastOccurrence: items[0] ?? null };
}

async function audit(
  event: string,
  { id, title, what, trustLevel, grants }: Schedule,
  { audit: log, username }: Pick<SchedulesOptions, "audit" | "username">,
): Promise<void> {
  await log.append({
    event,
    actor: username,
    details: { scheduleId: id, title, kind: what.kind, trustLevel, grants },
  });
}
