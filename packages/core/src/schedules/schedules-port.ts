import type { ArchiveEntry, Page } from "../contract/http.ts";
import type { CallPolicy } from "../policy/decide.ts";
import type {
  NewSchedule,
  Occurrence,
  Schedule,
  ScheduleAnswer,
  ScheduleCalendar,
  ScheduleEdit,
  ScheduleItem,
  SchedulePreview,
  SchedulePreviewRequest,
} from "../contract/schedule.ts";
import type { Region } from "../contract/region.ts";
import type { Task } from "../contract/task.ts";

export interface ScheduleListQuery {
  /** Filters by title. */
  query?: string;
  limit: number;
  cursor?: string;
}

/** The needs of a request, determined when it is scheduled. */
export interface GoalNeeds {
  needsModel: boolean;
  /** The skills that it calls, as far as they can be determined without a model. */
  skills: readonly string[];
}

/** What an occurrence of a schedule may do at most. */
export type ScheduleLimits = Pick<Schedule, "trustLevel" | "grants"> & Pick<CallPolicy, "mode">;

/** A profile's schedules. Methods with an id throw `NotFoundError`; changes throw `InvalidArgsError` for invalid values. */
export interface SchedulesPort {
  /** Computes the next moments without storing anything. */
  preview(request: SchedulePreviewRequest, region?: Partial<Region>): Promise<SchedulePreview>;
  /**
   * `mayGrant: false` leaves out grants for which the policy would ask, because the creator may not decide approvals.
   */
  create(
    schedule: NewSchedule,
    by: { actor: string; region?: Partial<Region>; mayGrant?: boolean },
  ): Promise<ScheduleAnswer>;
  /** The record that `create` would store. */
  draft(schedule: NewSchedule, by: { actor: string; region?: Partial<Region> }): Promise<Schedule>;
  /** By their next moment, paused and ended ones last. */
  list(query: ScheduleListQuery): Promise<Page<ScheduleItem>>;
  get(id: string): Promise<ScheduleAnswer>;
  /** Those whose title or content has all the words, best first. */
  find(words: string, limit: number): Promise<ScheduleItem[]>;
  /** Throws `StaleVersionError` when the edit names a version that is not the current one. */
  edit(id: string, edit: ScheduleEdit, by?: { mayGrant?: boolean }): Promise<ScheduleAnswer>;
  pause(id: string, reason?: string): Promise<ScheduleAnswer>;
  resume(id: string): Promise<ScheduleAnswer>;
  /** Records the next occurrence on that local day (`2026-11-24`) as skipped when it is due. */
  skipDay(id: string, day: string): Promise<ScheduleAnswer>;
  /** Adds an occurrence that is due now, also to a paused schedule. */
  runNow(id: string): Promise<Occurrence>;
  remove(id: string, options?: { runId?: string | undefined }): Promise<ArchiveEntry>;
  restore(archiveId: string): Promise<Schedule>;
  archived(): Promise<ArchiveEntry[]>;
  /** The schedule of an archive entry. Throws `NotFoundError`. */
  readArchived(archiveId: string): Promise<Schedule>;
  occurrences(
    id: string,
    query: { query?: string; limit: number; cursor?: string },
  ): Promise<Page<Occurrence>>;
  /** What was due and what will be in that time. Frequent schedules are planned for their next 100 moments. */
  calendar(from: string, to: string): Promise<ScheduleCalendar>;
  /**
   * Reminds the person of a task when it is due, at 09:00 if it is due on a day; a reminder that it has already stays the only one.
   * Undefined for a task that is not due.
   */
  remindOf(task: Task, region: Region): Promise<string | undefined>;
  /** Gives the single reminders of a task its title and due date. Ends them if it is no longer due, and all if it is finished. */
  updateRemindersOf(task: Task): Promise<void>;
  /** Ends the reminders of a task that was deleted. */
  endRemindersOf(taskId: string): Promise<void>;
}
