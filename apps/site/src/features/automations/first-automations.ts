import type { Page } from "@metahuman/core/contract/http";
import type { Notice } from "@metahuman/core/contract/notice";
import type { ScheduleItem } from "@metahuman/core/contract/schedule";
import type { ScheduleWords } from "./schedule-words.ts";

/** The lists of the automations page that the server rendered. */
export interface FirstAutomations {
  schedules: Page<ScheduleItem>;
  /** The texts of the rows of the schedules, in their order. */
  words: readonly ScheduleWords[];
  notices: Page<Notice>;
}
