import { escapeRegExp } from "@metahuman/core/text/words";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { instantOf, wallTimeOf, type WallTime, formatClock } from "@metahuman/core/language/dates/clock";
import { CLOCK, durationOf, minutesIn } from "./days.ts";

/** Cities and countries with one time zone that are not names of a zone, and the usual short names of zones. */
const MORE_PLACES: Readonly<Record<string, string>> = {
  "America/Los_Angeles": "san francisco|seattle|las vegas|san diego|portland|california|pst|pdt",
  "America/New_York": "boston|washington|miami|atlanta|philadelphia|nyc|est|edt",
  "America/Chicago": "houston|dallas|texas|austin",
  "America/Toronto": "ottawa",
  "Asia/Tokyo": "japan|kyoto|osaka|jst",
  "Asia/Shanghai": "china|beijing|shenzhen",
  "Asia/Calcutta": "india|mumbai|delhi|new delhi|bangalore|kolkata",
  "Asia/Dubai": "abu dhabi",
  "Asia/Seoul": "korea|south korea",
  "Asia/Singapore": "singapore",
  "Asia/Bangkok": "thailand",
  "Asia/Saigon": "vietnam|hanoi|ho chi minh city",
  "Australia/Sydney": "canberra|aest|aedt",
  "Europe/Athens": "greece",
  "Europe/Berlin": "germany|munich|hamburg|cologne|frankfurt|cet|cest",
  "Europe/Dublin": "ireland",
  "Europe/Helsinki": "finland|tampere|turku|espoo|eet|eest",
  "Europe/Istanbul": "turkey|ankara",
  "Europe/Kiev": "ukraine|kyiv",
  "Europe/Lisbon": "porto",
  "Europe/London": "england|uk|united kingdom|britain|scotland|edinburgh|manchester|bst",
  "Europe/Madrid": "barcelona|valencia|seville",
  "Europe/Oslo": "norway|bergen",
  "Europe/Paris": "france|lyon|nice",
  "Europe/Prague": "czechia",
  "Europe/Rome": "italy|milan|florence|naples|venice",
  "Europe/Stockholm": "sweden|gothenburg|malmö",
  "Europe/Tallinn": "estonia",
  "Europe/Vienna": "austria",
  "Europe/Warsaw": "poland|krakow",
  "Europe/Zurich": "switzerland|geneva|basel|bern",
  UTC: "utc|gmt|zulu",
};

/** IANA zones by the lower-case names of places. */
const ZONES: ReadonlyMap<string, string> = new Map([
  ...Intl.supportedValuesOf("timeZone").map((zone): [string, string] => [
    (zone.split("/").at(-1) ?? zone).replaceAll("_", " ").toLowerCase(),
    zone,
  ]),
  ...Object.entries(MORE_PLACES).flatMap(([zone, names]) =>
    names.split("|").map((name): [string, string] => [name, zone]),
  ),
]);

/** A place whose time is known, as a pattern. The longest names come first. */
export const PLACE = `(?:${[...ZONES.keys()]
  .toSorted((one, other) => other.length - one.length)
  .map((name) => escapeRegExp(name))
  .join("|")})`;

const NOW_IN = new RegExp(`^time in (${PLACE})$`, "iu");
const AT_IN = new RegExp(
  `^(${CLOCK})\\s+(?:in\\s+)?(${PLACE})(?:\\s+time)?\\s+(?:in|to)\\s+(${PLACE})(?:\\s+time)?$`,
  "iu",
);
const DIFFERENCE = new RegExp(`^time difference (?:between|from) (${PLACE}) (?:and|to) (${PLACE})$`, "iu");

function zoneOf(place = ""): string {
  const zone = ZONES.get(place.toLowerCase());
  if (zone === undefined) throw new InvalidArgsError(`No time zone is known for ${place}.`);
  return zone;
}

const dayNumber = ({ year, month, day }: WallTime): number => Date.UTC(year, month - 1, day) / 86_400_000;

/** ", the next day" where the day differs. */
function dayWords(there: WallTime, here: WallTime): string {
  const days = dayNumber(there) - dayNumber(here);
  return days === 0 ? "" : days > 0 ? ", the next day" : ", the day before";
}

/** Answers about the time in another place: "time in Tokyo", "9am Helsinki in New York". Undefined for any other expression. */
export function aboutTimeZone(expression: string, now: Date, timeZone: string): string | undefined {
  const text = expression.trim().replace(/[\s?.!]+$/u, "");
  const [, place] = NOW_IN.exec(text) ?? [];
  if (place !== undefined) {
    const there = wallTimeOf(now, zoneOf(place));
    return `${formatClock(there)}${dayWords(there, wallTimeOf(now, timeZone))}`;
  }
  const [, one, other] = DIFFERENCE.exec(text) ?? [];
  if (one !== undefined && other !== undefined) {
    const [here, there] = [zoneOf(one), zoneOf(other)].map((zone) => wallTimeOf(now, zone));
    if (!here || !there) return undefined;
    const minutesOf = (wall: WallTime): number => dayNumber(wall) * 1_440 + wall.hour * 60 + wall.minute;
    const minutes = minutesOf(there) - minutesOf(here);
    return minutes === 0
      ? "none"
      : `${durationOf(Math.abs(minutes))}; it is ${minutes > 0 ? "later" : "earlier"} in ${other}`;
  }
  const [, clock = "", from, to] = AT_IN.exec(text) ?? [];
  const minutes = minutesIn(clock);
  if (from === undefined || to === undefined || minutes === undefined) return undefined;
  const here = { ...wallTimeOf(now, zoneOf(from)), hour: Math.floor(minutes / 60), minute: minutes % 60 };
  const there = wallTimeOf(instantOf(here, zoneOf(from)), zoneOf(to));
  return `${formatClock(there)}${dayWords(there, here)}`;
}
