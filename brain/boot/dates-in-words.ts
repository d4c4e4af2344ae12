import { readDateText } from "@metahuman/core/language/dates/dates";
import { endOfDay } from "@metahuman/core/schedules/read-when";

/**
 * The day (`YYYY-MM-DD`) or the moment (ISO 8601 in UTC) that words such as "next Tuesday at 9" name in a time zone. Other text is
 * returned unchanged, so that the schema of the input refuses it.
 */
export function dateFromWords(text: string, timeZone: string): string {
  const read = readDateText(text, { now: new Date(), timeZone });
  return read.kind === "date" ? read.value : text;
}

/** The moment that words name, or the end of the day that they name, in ISO 8601. Other text is returned unchanged. */
export function lastMomentFromWords(text: string, timeZone: string): string {
  const date = dateFromWords(text, timeZone);
  return /^\d{4}-\d{2}-\d{2}/u.test(date) ? endOfDay(date, timeZone) : date;
}
