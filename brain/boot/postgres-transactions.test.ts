import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type CountedBrain, openCountedBrain } from "./testing/counted-brain.ts";

const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

let counted: CountedBrain;

beforeAll(async () => {
  counted = await openCountedBrain({ runsAgents: false });
  await counted.addPeople(["ada"]);
}, 60_000);
afterEach(() => vi.useRealTimers());
afterAll(() => counted.close());

async function ask(goal: string): Promise<void> {
  const profile = await counted.brain.profile("ada");
  const run = await profile.operator.start({ goal }, { identity, surface: "page" });
  expect(await profile.operator.settled(run.id)).toMatchObject({ outcome: "answered" });
}

/** Yields to background work until it sends no more statements. */
async function settled(): Promise<void> {
  for (let before = -1; before < counted.sentOfProfiles().length;) {
    before = counted.sentOfProfiles().length;
    for (let turn = 0; turn < 50; turn += 1) {
      await counted.brain.requireReady();
      await nextTurn();
    }
  }
}

it("needs few transactions and round trips for a short request", async () => {
  await ask('append "one" to log.md');
  await ask('append "two" to log.md');
  await settled();
  // On a busy machine, too, the last known state stays valid, and no regular check runs in between.
  const now = performance.now();
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "setInterval"] });
  // A clock never goes back: this one continues where the other was.
  vi.advanceTimersByTime(Math.ceil(now));
  counted.reset();
  await ask('append "three" to log.md');
  const ended = counted.sentOfProfiles().filter(({ statements }) => statements.at(-1)?.endsWith("COMMIT"));
  // 24 with 71 round trips; a busy machine adds one or two.
  expect(ended.length).toBeLessThanOrEqual(26);
  expect(ended.reduce((sum, { roundTrips }) => sum + roundTrips, 0)).toBeLessThanOrEqual(80);
  for (const { statements } of ended) {
    expect(statements[0]).toMatch(/^BEGIN; SELECT set_config/);
    expect(statements.filter((text) => /^BEGIN|COMMIT$/.test(text))).toHaveLength(2);
  }
});

it("needs one transaction to verify a session and to know that nothing has changed", async () => {
  const origin = { address: "test", fromLoopback: true };
  const { token } = await counted.brain.accounts.signIn(
    { username: "ada", password: "a good password of ada" },
    origin,
  );
  const request = async () => {
    const { account } = await counted.brain.accounts.session(token);
    const { profile, release } = await counted.brain.holdProfile(account.username, account);
    await profile.store.settings();
    const { total } = await profile.tasks.list({ limit: 1 });
    release();
    return total;
  };
  await request();
  await settled();
  counted.reset();
  expect(await request()).toBe(0);
  expect(counted.sent()).toHaveLength(1);
});

it("needs few transactions to open a profile again", async () => {
  await counted.brain.profile("ada");
  await counted.brain.closeIdleProfiles(0);
  counted.reset();
  await counted.brain.profile("ada");
  await settled();
  // 7, and 11 if documents are so old that they are read again, as on a busy machine.
  expect(counted.sentOfProfiles().length).toBeLessThanOrEqual(11);
});
