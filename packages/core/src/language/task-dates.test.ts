import { describe, expect, it } from "vitest";
import { readAdvanceReminder } from "./task-dates.ts";

/** Saturday 28 November 2026, 12:00 in Helsinki. */
const clock = { now: new Date("2026-11-28T10:00:00Z"), timeZone: "Europe/Helsinki" };

function read(request: string): Record<string, unknown> | string | undefined {
  const reading = readAdvanceReminder(request, clock);
  if (reading?.kind !== "plan") return reading?.kind;
  return Object.fromEntries(
    Object.entries(reading.calls[0]?.args ?? {}).map(([name, value]) => [
      name,
      value.from === "request" ? value.value : value,
    ]),
  );
}

describe("a reminder ahead of an event", () => {
  it.each([
    [
      "remind me an hour before the meeting on tuesday at 2pm",
      { text: "meeting on tuesday at 2pm", when: "2026-12-01T11:00:00.000Z" },
    ],
    [
      "Remind me 20 mins before my dentist appointment tomorrow at 9:30",
      { text: "dentist appointment tomorrow at 9:30", when: "2026-11-29T07:10:00.000Z" },
    ],
    [
      "remind me of the meeting on tuesday at 2pm half an hour before",
      { text: "meeting on tuesday at 2pm", when: "2026-12-01T11:30:00.000Z" },
    ],
    [
      "remind me to buy flowers the day before mum's birthday on 3 May",
      { text: "buy flowers", when: "2027-05-02" },
    ],
    [
      "remind me two days before the exam on 10 December at 9 to print the slides",
      { text: "print the slides", when: "2026-12-08T07:00:00.000Z" },
    ],
    [
      "set a reminder the evening before the flight on friday at 6am",
      { text: "flight on friday at 6am", when: "2026-12-03T17:00:00.000Z" },
    ],
  ])("is read from %s", (request, args) => {
    expect(read(request)).toStrictEqual(args);
  });

  it.each([
    "remind me an hour before the meeting",
    "remind me an hour before the concert on friday",
    "remind me three hours before the call today at 13:00",
  ])("is not understood without a time to count from that lies ahead: %s", (request) => {
    expect(read(request)).toBe("not-understood");
  });

  it.each([
    "remind me a week before 24 December to wrap the gifts",
    "remind me to lock up before I leave",
    "remind me a day before every exam",
    "write a note an hour before the meeting on tuesday at 2pm",
  ])("leaves other requests alone: %s", (request) => {
    expect(read(request)).toBeUndefined();
  });
});
