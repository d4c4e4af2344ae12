import { z } from "zod";

/** In a page, only responses are parsed, which the server has checked: the first formatter takes a slow phone 60 ms. */
const isPage = "document" in globalThis;

function isKnownTo(check: () => void): boolean {
  if (isPage) return true;
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** An IANA time zone, e.g. `Europe/Oslo`. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(
    (timeZone) => /^[A-Z]/i.test(timeZone) && isKnownTo(() => new Intl.DateTimeFormat("en", { timeZone })),
    "must be a time zone such as Europe/Oslo",
  );

/** A BCP 47 language tag, e.g. `en-GB`. */
export const Locale = z
  .string()
  .max(64)
  .refine(
    (locale) => locale !== "" && isKnownTo(() => Intl.getCanonicalLocales(locale)),
    "must be a language tag such as en-GB",
  );

/** The time zone and locale of a person, for dates and numbers. */
export interface Region {
  timeZone: string;
  locale: string;
}

/** Returns the first given time zone and locale; those of this machine if none is given. */
export function regionOf(...given: readonly Partial<Record<keyof Region, string | undefined>>[]): Region {
  const timeZone = given.find((one) => one.timeZone !== undefined)?.timeZone;
  const locale = given.find((one) => one.locale !== undefined)?.locale;
  // Asking the machine takes a tenth of a millisecond, and this is called for each time that is formatted.
  if (timeZone !== undefined && locale !== undefined) return { timeZone, locale };
  const machine = Intl.DateTimeFormat().resolvedOptions();
  return { timeZone: timeZone ?? machine.timeZone, locale: locale ?? machine.locale };
}
