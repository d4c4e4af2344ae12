import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type CountedBrain, openCountedBrain } from "./testing/counted-brain.ts";

const PEOPLE = ["ada", "ben", "carl", "dora"];
/** How often it yields to work that a timer began. */
const TURNS = 20;
const HOUR_MS = 3_600_000;
/** When the test begins, and a later moment with a quarter of an hour in which only the agent starts that starts every five minutes. */
const MORNING = new Date(2026, 10, 27, 9, 0);
const QUARTER_PAST_NOON = new Date(2026, 10, 27, 12, 16);
/** Agents start at most once in this time. */
const FIVE_MINUTES = 300;

let counted: CountedBrain;

beforeAll(async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    shouldAdvanceTime: true,
    now: MORNING,
  });
  counted = await openCountedBrain();
  await counted.addPeople(PEOPLE);
}, 60_000);
afterAll(async () => {
  // A timer of the simulated clock never ends once the clock is the machine's, and closing may wait for one.
  await counted.close();
  vi.useRealTimers();
});

/** Advances the clock by exactly a second, and waits for the statements that follow. */
async function passASecond(): Promise<void> {
  // Otherwise, the clock also follows that of the machine, which adds to a second that takes long.
  vi.setTimerTickMode("manual");
  await vi.advanceTimersByTimeAsync(1_000);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await counted.brain.requireReady();
    await nextTurn();
  }
  vi.setTimerTickMode("interval");
}

/** The transactions of each second, without those that serve all profiles; of fewer seconds if something occurs before. */
async function passSeconds(seconds: number, occurs: () => boolean = () => false): Promise<string[][]> {
  const ofSeconds: string[][] = [];
  for (let second = 0; second < seconds && !occurs(); second += 1) {
    const before = counted.sent().length;
    await passASecond();
    ofSeconds.push(
      counted
        .sent()
        .slice(before)
        .flatMap(({ statements: [begin = ""] }) =>
          PEOPLE.filter((username) => begin.includes(`'${username}'`)),
        ),
    );
  }
  return ofSeconds;
}

/** Passes time until no profile has sent a transaction for this many seconds, of which it keeps what was sent. */
async function passUntilQuietFor(seconds: number): Promise<void> {
  counted.reset();
  for (let quiet = 0; quiet < seconds; quiet += 1) {
    if ((await passSeconds(1)).flat().length === 0) continue;
    quiet = -1;
    counted.reset();
  }
}

describe("open profiles that nobody uses", () => {
  beforeAll(async () => {
    for (const username of PEOPLE) await counted.brain.profile(username);
  }, 120_000);

  it("send no statement of their own, and one for all of them each second", async () => {
    await passUntilQuietFor(60);
    // The database was polled for all of them together.
    expect(counted.sent().length).toBeGreaterThan(60);
    const polls = counted
      .sent()
      .filter(({ statements }) => statements.some((text) => text.includes("unnest")));
    expect(polls.length).toBeLessThan(2 * 60);
  }, 120_000);

  it("ask nothing about runs after a record was changed", async () => {
    await passUntilQuietFor(10);
    const { tasks } = await counted.brain.profile("ada");
    await tasks.create({ title: "Prune the roses" });
    await passSeconds(2);
    counted.reset();
    await passSeconds(6);
    const texts = counted.sentOfProfiles().flatMap(({ statements }) => statements);
    expect(texts.filter((text) => /FROM (?:runs|approvals)/.test(text))).toEqual([]);
  }, 120_000);

  it("are closed without asking the database whether they have something to do", async () => {
    await passUntilQuietFor(10);
    await counted.brain.closeIdleProfiles(0);
    const texts = counted.sent().flatMap(({ statements }) => statements);
    expect(texts.some((text) => text.includes("FROM record_heads"))).toBe(true);
    for (const table of ["FROM runs", "FROM agent_runs", "FROM notice_deliveries WHERE"])
      expect(texts.filter((text) => text.includes(table) && !text.includes("unnest"))).toEqual([]);
    for (const username of PEOPLE) await counted.brain.profile(username);
  }, 120_000);

  it("look at what their agents are to do at different moments", async () => {
    // The starts of agents with other intervals may fall into the same second.
    vi.setSystemTime(QUARTER_PAST_NOON);
    await passUntilQuietFor(60);
    const ofSeconds: string[][] = [];
    while (ofSeconds.length < FIVE_MINUTES && new Set(ofSeconds.flat()).size < PEOPLE.length)
      ofSeconds.push(...(await passSeconds(1)));
    expect(new Set(ofSeconds.flat())).toEqual(new Set(PEOPLE));
    // A statement that the machine delays counts for a later second, so only the first one of each profile tells.
    const first = PEOPLE.map((username) => ofSeconds.findIndex((profiles) => profiles.includes(username)));
    expect(new Set(first).size).toBe(PEOPLE.length);
  }, 240_000);

  it("start their agents after a short visit, too, at whichever server is free", async () => {
    const started = () =>
      new Set(
        counted
          .sent()
          .filter(({ statements }) => statements.some((text) => text.includes("INTO agent_runs")))
          .flatMap(({ statements: [begin = ""] }) =>
            PEOPLE.filter((username) => begin.includes(`'${username}'`)),
          ),
      );
    await passUntilQuietFor(10);
    await counted.brain.closeIdleProfiles(0);
    for (const username of PEOPLE) await counted.brain.profile(username);
    await passASecond();
    counted.reset();
    await counted.brain.closeIdleProfiles(0);
    await passSeconds(3 * FIVE_MINUTES, () => started().size === PEOPLE.length);
    expect(started()).toEqual(new Set(PEOPLE));
  }, 240_000);

  it("let what their agents missed wait until those who opened them were answered", async () => {
    await passUntilQuietFor(10);
    await counted.brain.closeIdleProfiles(0);
    // This clock stands still while the profiles are closed. If they were opened at the same moment, what the opening finds
    // would count as older than the last change.
    await passASecond();
    // Every agent that starts each hour misses a start.
    vi.setSystemTime(Date.now() + 2 * HOUR_MS);
    const started = () =>
      counted.sent().filter(({ statements }) => statements.some((text) => text.includes("INTO agent_runs")));
    counted.reset();
    for (const username of PEOPLE) await counted.brain.profile(username);
    await passSeconds(9);
    expect(started()).toEqual([]);
    await passSeconds(60, () => started().length >= PEOPLE.length);
    expect(started().length).toBeGreaterThanOrEqual(PEOPLE.length);
  }, 240_000);
});
