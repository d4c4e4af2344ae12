import type { Profile } from "@metahuman/boot/brain";
import type { FirstAutomations } from "../features/automations/first-automations.ts";
import { scheduleWords } from "../features/automations/schedule-words.ts";
import { PAGE_LENGTH } from "../lib/ui/paged-list.svelte.ts";

/** The first schedules with what their rows say, and the first notices. */
export async function loadFirstAutomations({ schedules, notices }: Profile): Promise<FirstAutomations> {
  const [first, { unread: _unread, ...firstNotices }] = await Promise.all([
    schedules.list({ limit: PAGE_LENGTH }),
    notices.list({ limit: PAGE_LENGTH }),
  ]);
  const now = new Date();
  return {
    schedules: first,
    words: first.items.map((item) => scheduleWords(item, now, undefined)),
    notices: firstNotices,
  };
}
