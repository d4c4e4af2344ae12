import { join } from "node:path";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { ProfileSettings } from "@metahuman/core/contract/profile";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import { openNotices } from "@metahuman/core/notices/open-notices";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createSchedules } from "@metahuman/core/schedules/create-schedules";
import type { OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { ScheduledAgents } from "../scheduler/scheduled-agents.ts";
import { openOccurrenceLedger } from "@metahuman/core/schedules/open-occurrence-ledger";
import { openScheduleRecords, type ScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import { openWatchedPages, type WatchedPages } from "@metahuman/core/schedules/watched-pages";
import type { GoalNeeds, SchedulesPort } from "@metahuman/core/schedules/schedules-port";

export interface TestSchedules {
  schedules: SchedulesPort;
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  notices: NoticePort;
  watchedPages: WatchedPages;
  deletesOldRows: boolean;
  ownZone(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** A profile whose agents do not start by themselves. */
export const noAgents: ScheduledAgents = {
  schedules: async () => [],
  run: (agent) => Promise.reject(new NotFoundError(`This profile has no agent named ${agent}.`)),
};

/** The schedules and notices of Ada's profile in `home`, on a state database in memory unless one is given. */
export async function openTestSchedules(
  home: string,
  {
    database,
    clock = () => new Date(),
    settings = {},
    needs = { needsModel: false, skills: [] },
    onChange = () => undefined,
  }: {
    database?: Database;
    clock?: () => Date;
    settings?: Partial<ProfileSettings>;
    needs?: GoalNeeds;
    onChange?: () => void;
  } = {},
): Promise<TestSchedules> {
  const state = database ?? openDatabase(":memory:", stateMigrations, { title: "the state" });
  const audit = openAuditLog(join(home, "schedules-audit"), clock);
  const records = await openScheduleRecords({ paths: profilePaths(home, "ada"), clock });
  const ledger = openOccurrenceLedger(state, { clock });
  const profile = ProfileSettings.parse({ displayName: "Ada", timeZone: "UTC", ...settings });
  const schedules = createSchedules({
    username: "ada",
    records,
    ledger,
    settings: async () => profile,
    needsOf: async () => needs,
    functionOf: async () => ({ title: "A function", skills: [], needsModel: false }),
    checkValues: async () => undefined,
    skillsAllowedAt: async () => [],
    audit,
    clock,
    onChange,
  });
  return {
    schedules,
    records,
    ledger,
    notices: openNotices(state, { clock }),
    watchedPages: openWatchedPages(state, { clock }),
    deletesOldRows: true,
    ownZone: async () => profile.timeZone,
    async close() {
      records.close();
      await audit.close();
      if (!database) state.close();
    },
  };
}
