import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dateSpans, readDateText } from "./dates.ts";
import { NOW, OSLO } from "../testing-grammar.ts";
import { tokenize } from "../tokens/tokens.ts";

/** Returns the words recognized as a date and the value. */
function found(request: string, now = NOW, timeZone = OSLO): string[] {
  const tokens = tokenize(request);
  return dateSpans(request, tokens, { now, timeZone }).map(({ from, to, value }) => {
    return `${request.slice(tokens[from]?.start, tokens[to - 1]?.end)} = ${value}`;
  });
}

describe("dateSpans", () => {
  it.each<[string, string[]]>([
    ["open the page for 1.12.2026.", ["1.12.2026 = 2026-12-01"]],
    ["pay it 1.12.2026 please", ["1.12.2026 = 2026-12-01"]],
    [
      "meet on 1.12.2026 at 17:00",
      ["1.12.2026 = 2026-12-01", "1.12.2026 at 17:00 = 2026-12-01T16:00:00.000Z"],
    ],
  ])("reads the day before the month with dots: %s", (request, spans) => {
    expect(found(request)).toEqual(spans);
  });

  it.each<[string, string]>([
    ["tomorrow", "tomorrow = 2026-11-19"],
    ["remind me tomorow at 7 pm to call Anna", "tomorow at 7 pm = 2026-11-19T18:00:00.000Z"],
    ["pay rent on thrusday", "on thrusday = 2026-11-19"],
    ["call Olli tommorrow mornig", "tommorrow mornig = 2026-11-19T08:00:00.000Z"],
    ["friday", "friday = 2026-11-20"],
    ["next tuesday", "next tuesday = 2026-11-24"],
    ["in 3 days", "in 3 days = 2026-11-21"],
    ["2026-12-24", "2026-12-24 = 2026-12-24"],
    ["the 1st of december", "1st of december = 2026-12-01"],
    ["on the 5th", "the 5th = 2026-12-05"],
    ["on the 20th", "the 20th = 2026-11-20"],
    ["end of day", "end of day = 2026-11-18"],
    ["end of the week", "end of the week = 2026-11-22"],
    ["this week", "this week = 2026-11-22"],
    ["next week", "next week = 2026-11-23"],
    ["next month", "next month = 2026-12-01"],
    ["in 10 minutes", "in 10 minutes = 2026-11-18T09:40:00.000Z"],
    ["friday at 5pm", "friday at 5pm = 2026-11-20T16:00:00.000Z"],
    ["at 5", "at 5 = 2026-11-18T16:00:00.000Z"],
    ["at 8:30", "at 8:30 = 2026-11-19T07:30:00.000Z"],
    ["on Monday at half past nine", "on Monday at half past nine = 2026-11-23T08:30:00.000Z"],
    ["monday morning at half past 9", "monday morning at half past 9 = 2026-11-23T08:30:00.000Z"],
    ["at half past two", "at half past two = 2026-11-18T13:30:00.000Z"],
    ["tomorrow at 5 to 7", "tomorrow at 5 to 7 = 2026-11-19T17:55:00.000Z"],
    ["the press night on 11 December", "on 11 December = 2026-12-11"],
    ["the quiz evening on friday", "on friday = 2026-11-20"],
    ["dinner in the evening on 11 December", "in the evening on 11 December = 2026-12-11T18:00:00.000Z"],
    [
      "friday at a quarter to seven in the evening",
      "friday at a quarter to seven in the evening = 2026-11-20T17:45:00.000Z",
    ],
    ["tomorrow at twenty past eight", "tomorrow at twenty past eight = 2026-11-19T07:20:00.000Z"],
    ["a week from tomorrow", "a week from tomorrow = 2026-11-26"],
    ["two weeks from friday", "two weeks from friday = 2026-12-04"],
    ["the day after next monday", "the day after next monday = 2026-11-24"],
    ["in a fortnight", "in a fortnight = 2026-12-02"],
    ["tomorrow at noon", "tomorrow at noon = 2026-11-19T11:00:00.000Z"],
    ["tomorrow morning", "tomorrow morning = 2026-11-19T08:00:00.000Z"],
    ["tomorrow evening", "tomorrow evening = 2026-11-19T18:00:00.000Z"],
    ["tomorrow night", "tomorrow night = 2026-11-19T20:00:00.000Z"],
    ["tonight", "tonight = 2026-11-18T20:00:00.000Z"],
    ["this afternoon", "this afternoon = 2026-11-18T13:00:00.000Z"],
    ["this morning", "this morning = 2026-11-18"],
    ["friday evening", "friday evening = 2026-11-20T18:00:00.000Z"],
    ["next monday morning", "next monday morning = 2026-11-23T08:00:00.000Z"],
    ["in the morning", "in the morning = 2026-11-19T08:00:00.000Z"],
    ["in the evening", "in the evening = 2026-11-18T18:00:00.000Z"],
    ["tomorrow in the evening", "tomorrow in the evening = 2026-11-19T18:00:00.000Z"],
    ["3 december in the afternoon", "3 december in the afternoon = 2026-12-03T13:00:00.000Z"],
    ["the evening of 3 december", "the evening of 3 december = 2026-12-03T18:00:00.000Z"],
    ["on the morning of the 5th", "the morning of the 5th = 2026-12-05T08:00:00.000Z"],
    ["at 9 on friday evening", "at 9 on friday evening = 2026-11-20T20:00:00.000Z"],
    ["tomorrow at 7 in the evening", "tomorrow at 7 in the evening = 2026-11-19T18:00:00.000Z"],
    ["tomorrow at 5 in the morning", "tomorrow at 5 in the morning = 2026-11-19T04:00:00.000Z"],
    ["sunday evening at 7", "sunday evening at 7 = 2026-11-22T18:00:00.000Z"],
    ["on monday at half past eight", "on monday at half past eight = 2026-11-23T07:30:00.000Z"],
    ["friday morning at a quarter to ten", "friday morning at a quarter to ten = 2026-11-20T08:45:00.000Z"],
    [
      "tomorrow at a quarter to seven in the evening",
      "tomorrow at a quarter to seven in the evening = 2026-11-19T17:45:00.000Z",
    ],
    ["friday at quarter past 11", "friday at quarter past 11 = 2026-11-20T10:15:00.000Z"],
    ["friday evening, half past seven", "friday evening, half past seven = 2026-11-20T18:30:00.000Z"],
    ["at half past four", "at half past four = 2026-11-18T15:30:00.000Z"],
    ["tomorrow morning at half past five", "tomorrow morning at half past five = 2026-11-19T04:30:00.000Z"],
    ["tomorrow at twenty to nine", "tomorrow at twenty to nine = 2026-11-19T07:40:00.000Z"],
    ["tomorrow at eight PM", "tomorrow at eight PM = 2026-11-19T19:00:00.000Z"],
    ["on friday at half past seven a.m.", "on friday at half past seven a.m. = 2026-11-20T06:30:00.000Z"],
    ["tomorrow at six fifteen am", "tomorrow at six fifteen am = 2026-11-19T05:15:00.000Z"],
    ["tomorrow at twelve pm", "tomorrow at twelve pm = 2026-11-19T11:00:00.000Z"],
    ["at nine thirty on friday", "at nine thirty on friday = 2026-11-20T08:30:00.000Z"],
    ["thursday at five past twelve", "thursday at five past twelve = 2026-11-19T11:05:00.000Z"],
    ["tomorrow around midday", "tomorrow around midday = 2026-11-19T11:00:00.000Z"],
    ["tomorrow at lunchtime", "tomorrow at lunchtime = 2026-11-19T11:00:00.000Z"],
    ["first thing tomorrow", "first thing tomorrow = 2026-11-19T08:00:00.000Z"],
    ["first thing on monday morning", "first thing on monday morning = 2026-11-23T08:00:00.000Z"],
    ["end of day friday", "end of day friday = 2026-11-20"],
    ["the end of tomorrow", "end of tomorrow = 2026-11-19"],
  ])("reads %j", (request, expected) => {
    expect(found(request)).toEqual([expected]);
  });

  it.each<[string, string[]]>([
    ["call her tomorrow", ["tomorrow = 2026-11-19"]],
    ["call her friday, and pay rent", ["friday = 2026-11-20"]],
    ["ring her tomorrow and thank her", ["tomorrow = 2026-11-19"]],
    ["cancel her friday class", []],
    ["find the notes for her monday", []],
  ])("reads a day after “her” only if it is nobody's day: %s", (request, spans) => {
    expect(found(request)).toEqual(spans);
  });

  it.each<[string, string]>([
    ["friday the 20th", "friday the 20th = 2026-11-20"],
    ["on monday the 30th", "monday the 30th = 2026-11-30"],
    ["friday 4 december", "friday 4 december = 2026-12-04"],
    ["wednesday 2026-12-02", "wednesday 2026-12-02 = 2026-12-02"],
  ])("reads %j, where weekday and day agree", (request, expected) => {
    expect(found(request).join()).toContain(expected.split(" = ")[1]);
  });

  it.each<[string, string]>([
    ["friday the 13th", "2026-12-13 is a Sunday; the next such Friday is 2027-08-13. Which day do you mean?"],
    ["friday 5 december", "2026-12-05 is a Saturday, not a Friday. Which day do you mean?"],
    ["on thursday, 2026-12-02", "2026-12-02 is a Wednesday, not a Thursday. Which day do you mean?"],
    ["31 november", "There is no 31 november. Which day do you mean?"],
    ["call Bob at 5 or 6", "“at 5 or 6” are two. Which one do you mean?"],
    ["call Bob on monday or tuesday", "“on monday or tuesday” are two. Which one do you mean?"],
    ["at 7 or 8 tomorrow", "“at 7 or 8” are two. Which one do you mean?"],
  ])("asks about %j", (request, question) => {
    const tokens = tokenize(request);
    const spans = dateSpans(request, tokens, { now: NOW, timeZone: OSLO });
    expect(spans.map((span) => span.question)).toContain(question);
  });

  it.each([
    "plan the evening",
    "read the morning paper",
    "a night out",
    "evening classes",
    "good morning",
    "count the money",
    "buy the honey",
  ])("reads no day in %j", (request) => {
    expect(found(request)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ["friday the 13th at 9", "friday the 13th at 9", "{} at 9"],
    ["friday the 13th, 9:30", "friday the 13th, 9:30", "{} at 9:30"],
    ["at 9am on friday the 13th", "at 9am on friday the 13th", "{} at 9am"],
    ["31 november at noon", "31 november at noon", "{} at noon"],
    ["friday 5 december in the evening", "friday 5 december in the evening", "{} evening"],
  ])("asks for the day alone in %j", (request, words, within) => {
    const tokens = tokenize(request);
    const [span, ...others] = dateSpans(request, tokens, { now: NOW, timeZone: OSLO });
    expect(others).toEqual([]);
    expect(span).toMatchObject({ value: expect.any(String) as unknown, within });
    expect(request.slice(tokens[span?.from ?? 0]?.start, tokens[(span?.to ?? 1) - 1]?.end)).toBe(words);
  });

  it("reads a time with a weekday and a day that agree", () => {
    expect(found("friday the 20th at 9")).toEqual(["friday the 20th at 9 = 2026-11-20T08:00:00.000Z"]);
  });

  it("does not read a count of things as a time", () => {
    const request = "meet at 5 or 6 people";
    const spans = dateSpans(request, tokenize(request), { now: NOW, timeZone: OSLO });
    expect(spans.some(({ question }) => question !== undefined)).toBe(false);
  });

  it.each([
    "every monday",
    "the friday report",
    "the weekend",
    "about friday",
    "for 30 minutes",
    "a week",
    "now",
    "yesterday",
    '"tomorrow"',
    "tomorrow.md",
  ])("finds no date in %j", (request) => {
    expect(found(request)).toEqual([]);
  });

  it("counts from the local day, and returns times in UTC", () => {
    const lateInUtc = new Date("2026-11-18T23:30:00Z");
    expect(found("tomorrow", lateInUtc, "UTC")).toEqual(["tomorrow = 2026-11-19"]);
    expect(found("tomorrow", lateInUtc, "Asia/Tokyo")).toEqual(["tomorrow = 2026-11-20"]);
    expect(found("tomorrow at 9:00", lateInUtc, "Asia/Tokyo")).toEqual([
      "tomorrow at 9:00 = 2026-11-20T00:00:00.000Z",
    ]);
  });

  it.each(["00", "29", "31", "59"])(
    "adds minutes and hours to the minute that the clock shows at :%s",
    (second) => {
      const now = new Date(`2026-11-18T09:36:${second}Z`);
      expect(found("in 5 minutes", now)).toEqual(["in 5 minutes = 2026-11-18T09:41:00.000Z"]);
      expect(found("in an hour", now)).toEqual(["in an hour = 2026-11-18T10:36:00.000Z"]);
    },
  );

  it.each([
    ["2026-11-18T09:36:10Z", "2026-11-18T09:37:00.000Z"],
    ["2026-11-18T09:36:40Z", "2026-11-18T09:38:00.000Z"],
  ])("takes the full minute after a number of seconds from %s", (now, expected) => {
    expect(found("in 30 seconds", new Date(now))).toEqual([`in 30 seconds = ${expected}`]);
  });

  it("keeps the local hour across a clock change", () => {
    expect(found("on 2027-06-01 at 9:00")).toEqual(["2027-06-01 at 9:00 = 2027-06-01T07:00:00.000Z"]);
  });
});

describe("readDateText", () => {
  const read = (text: string, locale?: string) => {
    const reading = readDateText(text, { now: NOW, timeZone: OSLO, ...(locale && { locale }) });
    return reading.kind === "date" ? reading.value : reading.kind;
  };

  it.each<[string, string]>([
    ["2026-11-28", "2026-11-28"],
    ["2026-11-28T16:00:00Z", "2026-11-28T16:00:00.000Z"],
    ["2026-11-28T17:00:00+01:00", "2026-11-28T16:00:00.000Z"],
    ["2026-11-28T17:00", "2026-11-28T16:00:00.000Z"],
    ["2026-11-28 17:00", "2026-11-28T16:00:00.000Z"],
    ["tomorrow", "2026-11-19"],
    ["day after tomorrow", "2026-11-20"],
    ["next Tuesday", "2026-11-24"],
    ["by Friday", "2026-11-20"],
    ["friday 5pm", "2026-11-20T16:00:00.000Z"],
    ["in two weeks", "2026-12-02"],
    ["end of next week", "2026-11-29"],
    ["28 Nov", "2026-11-28"],
    ["Nov 28, 2026", "2026-11-28"],
    ["24.12.", "2026-12-24"],
    ["24.12.2026", "2026-12-24"],
    ["5.1.", "2027-01-05"],
    ["05.12.2026, 17:00", "2026-12-05T16:00:00.000Z"],
    ["yesterday", "2026-11-17"],
    ["29.2.", "2028-02-29"],
    ["until easter", "2027-03-28"],
    ["by good friday", "2027-03-26"],
    ["on easter monday", "2027-03-29"],
  ])("reads %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each<[string, string]>([
    ["a week from tomorrow", "2026-11-26"],
    ["a week from today", "2026-11-25"],
    ["3 days from tomorrow", "2026-11-22"],
    ["two weeks from Friday", "2026-12-04"],
    ["a month from friday", "2026-12-20"],
    ["a week before 24 December", "2026-12-17"],
    ["the day after next Monday", "2026-11-24"],
    ["a week before easter", "2027-03-21"],
    ["in a fortnight", "2026-12-02"],
    ["two fortnights from now", "2026-12-16"],
    ["a fortnight from tomorrow", "2026-12-03"],
    ["friday week", "2026-11-27"],
    ["a week on friday", "2026-11-27"],
    ["a week from friday at 5pm", "2026-11-27T16:00:00.000Z"],
    // "Next friday" is the one of the next week, on a Wednesday as on any other day.
    ["the friday after next", "2026-12-04"],
    ["the tuesday after next", "2026-12-01"],
    ["the week after next", "2026-11-30"],
  ])("counts from another day in %j", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each<[language: string, text: string, value: string]>([
    ["de", "morgen", "2026-11-19"],
    ["de", "übermorgen", "2026-11-20"],
    ["de", "am 5. Dezember", "2026-12-05"],
    ["de", "nächsten Montag", "2026-11-23"],
    ["de", "kommenden Montag", "2026-11-23"],
    ["de", "nächste Woche", "2026-11-23"],
    ["de", "in zwei Wochen", "2026-12-02"],
    ["de", "in vierzehn Tagen", "2026-12-02"],
    ["de", "morgen um 17 Uhr", "2026-11-19T16:00:00.000Z"],
    ["de", "morgen Abend", "2026-11-19T18:00:00.000Z"],
    ["de", "übermorgen früh", "2026-11-20T08:00:00.000Z"],
    ["de", "am Freitag Nachmittag", "2026-11-20T13:00:00.000Z"],
    ["fr", "demain soir", "2026-11-19T18:00:00.000Z"],
    ["es", "el viernes por la tarde", "2026-11-20T13:00:00.000Z"],
    ["nl", "morgenavond", "2026-11-19T18:00:00.000Z"],
    ["pt", "amanhã à noite", "2026-11-19T20:00:00.000Z"],
    ["it", "domani sera", "2026-11-19T18:00:00.000Z"],
    ["fi", "huomenna illalla", "2026-11-19T18:00:00.000Z"],
    ["sv", "i morgon kväll", "2026-11-19T18:00:00.000Z"],
    ["fr", "demain", "2026-11-19"],
    ["fr", "après-demain", "2026-11-20"],
    ["fr", "le 5 décembre", "2026-12-05"],
    ["fr", "lundi prochain", "2026-11-23"],
    ["fr", "la semaine prochaine", "2026-11-23"],
    ["fr", "dans deux semaines", "2026-12-02"],
    ["fr", "demain à 17h", "2026-11-19T16:00:00.000Z"],
    ["es", "mañana", "2026-11-19"],
    ["es", "pasado mañana", "2026-11-20"],
    ["es", "el 5 de diciembre", "2026-12-05"],
    ["es", "el viernes que viene", "2026-11-20"],
    ["es", "el próximo lunes", "2026-11-23"],
    ["es", "la próxima semana", "2026-11-23"],
    ["es", "dentro de dos semanas", "2026-12-02"],
    ["nl", "overmorgen", "2026-11-20"],
    ["nl", "aanstaande maandag", "2026-11-23"],
    ["nl", "volgende week", "2026-11-23"],
    ["nl", "over twee weken", "2026-12-02"],
    ["nl", "op 5 december", "2026-12-05"],
    ["pt", "amanhã", "2026-11-19"],
    ["pt", "depois de amanhã", "2026-11-20"],
    ["pt", "sexta-feira", "2026-11-20"],
    ["pt", "na próxima semana", "2026-11-23"],
    ["pt", "daqui a 3 dias", "2026-11-21"],
    ["pt", "em duas semanas", "2026-12-02"],
    ["pt", "5 de dezembro", "2026-12-05"],
    ["fi", "huomenna", "2026-11-19"],
    ["fi", "ylihuomenna", "2026-11-20"],
    ["fi", "ensi viikolla", "2026-11-23"],
    ["fi", "kahden viikon päästä", "2026-12-02"],
    ["fi", "3 päivän kuluttua", "2026-11-21"],
    ["fi", "5. joulukuuta", "2026-12-05"],
    ["it", "dopodomani", "2026-11-20"],
    ["it", "tra due settimane", "2026-12-02"],
    ["sv", "i övermorgon", "2026-11-20"],
    ["sv", "om två veckor", "2026-12-02"],
  ])("reads words of %s: %j", (language, text, value) => {
    expect(read(text, language)).toBe(value);
    expect(read(text, "en-GB")).toBe(value);
  });

  describe.each(["Pacific/Auckland", "America/Los_Angeles", "Pacific/Kiritimati"])(
    "in a process in the time zone %s",
    (processZone) => {
      const own = process.env["TZ"];
      beforeAll(() => {
        process.env["TZ"] = processZone;
      });
      afterAll(() => {
        if (own === undefined) delete process.env["TZ"];
        else process.env["TZ"] = own;
      });

      it.each<[string, string, string]>([
        ["the day after next Monday", "2026-11-24", "en-GB"],
        ["a week from tomorrow", "2026-11-26", "en-GB"],
        ["Mi", "2026-11-18", "de-DE"],
        ["next Friday at 5pm", "2026-11-27T16:00:00.000Z", "en-GB"],
        ["in two hours", "2026-11-18T11:30:00.000Z", "en-GB"],
        ["tomorrow", "2026-11-19", "en-GB"],
      ])("reads %j in the time zone of the person", (text, value, locale) => {
        expect(new Date(2026, 0, 1).toString()).not.toContain("GMT+0100");
        expect(read(text, locale)).toBe(value);
      });
    },
  );

  it("accepts short forms only in the person's language", () => {
    expect([read("Mi", "de-DE"), read("Mi", "en-GB"), read("so", "en-GB"), read("to", "en-GB")]).toEqual([
      "2026-11-18",
      "unknown",
      "unknown",
      "unknown",
    ]);
    // March or Tuesday, depending on the language.
    expect([read("mar", "en-GB"), read("mar", "fr-FR")]).toEqual(["unknown", "2026-11-24"]);
  });

  it.each<[string, [string, string]]>([
    ["nächsten Freitag", ["2026-11-20", "2026-11-27"]],
    ["vendredi prochain", ["2026-11-20", "2026-11-27"]],
    ["el próximo viernes", ["2026-11-20", "2026-11-27"]],
    ["próxima sexta-feira", ["2026-11-20", "2026-11-27"]],
    ["ensi perjantaina", ["2026-11-20", "2026-11-27"]],
  ])("names both days that %j may mean", (text, values) => {
    expect(readDateText(text, { now: NOW, timeZone: OSLO })).toEqual({ kind: "ambiguous", values });
  });

  it.each([
    "la semaine",
    "der Bericht",
    "morgen oder so",
    "una semana",
    "le projet de mardi",
    "a week",
    "friday report",
  ])("does not read %j as a date", (text) => {
    expect(["unknown", "2026-11-25"]).toContain(read(text, "en-GB"));
  });

  it("reads a slashed date as the locale writes it", () => {
    expect(read("05/12/2026", "en-US")).toBe("2026-05-12");
    expect(read("05/12/2026", "en-GB")).toBe("2026-12-05");
    expect(read("24/12", "en-US")).toBe("2026-12-24");
  });

  it.each([
    ["add a task to call Eve on 3/12", "en-GB", ["2026-12-03"]],
    ["add a task to call Eve on 3/12", "en-US", ["2027-03-12"]],
    ["call Eve 4/12/2026 at 5pm", "en-GB", ["2026-12-04T16:00:00.000Z"]],
  ])("reads the slashed date of a request as the locale writes it: %s, %s", (request, locale, values) => {
    const spans = dateSpans(request, tokenize(request), { now: NOW, timeZone: OSLO, locale });
    expect(spans.map(({ value }) => value)).toEqual(values);
  });

  it.each(["31 november", "november 31", "30 feb", "32 december", "2026-02-30", "31.11.", "31/11/2026"])(
    "reports that %j does not exist",
    (text) => {
      expect(read(text)).toBe("impossible");
    },
  );

  it.each([
    "",
    "soon",
    "the report",
    "tomorrow or so",
    "now",
    "2026",
    "x".repeat(5_000),
    "2026-11-28T17:00x",
  ])("does not guess at %j", (text) => {
    expect(read(text)).toBe("unknown");
  });
});
