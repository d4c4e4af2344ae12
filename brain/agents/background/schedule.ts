import { Cron } from "croner";
import type { AgentSettings, QuietHours } from "@metahuman/core/contract/agents";

/**
 * When an agent begins by itself: the first time of its schedule after `since`; a time that passed while nothing ran
 * counts until it was made up for. What falls into the quiet hours begins at their end. Null when it never does.
 */
export function nextStart(settings: AgentSettings, since: Date, now: Date): Date | null {
  if (!settings.enabled) return null;
  const due = new Cron(settings.schedule, { paused: true }).nextRun(since);
  if (!due) return null;
  const late = due <= now;
  const end = quietUntil(settings.quietHours, late ? now : due);
  return end ?? due;
}

/** The end of the quiet hours that `time` lies in; undefined when it lies in none. Wall-clock time of this machine. */
export function quietUntil(hours: QuietHours | null, time: Date): Date | undefined {
  if (!hours || hours.from === hours.to) return undefined;
  const minute = time.getHours() * 60 + time.getMinutes();
  const from = minutes(hours.from);
  const to = minutes(hours.to);
  const inside = from < to ? from <= minute && minute < to : from <= minute || minute < to;
  if (!inside) return undefined;
  const end = new Date(time);
  end.setHours(Math.floor(to / 60), to % 60, 0, 0);
  if (end <= time) end.setDate(end.getDate() + 1);
  return end;
}

function minutes(timeOfDay: string): number {
  const [hours, past] = timeOfDay.split(":");
  return Number(hours) * 60 + Number(past);
}
