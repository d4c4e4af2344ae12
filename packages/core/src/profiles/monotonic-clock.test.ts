import fc from "fast-check";
import { expect, it } from "vitest";
import { createMonotonicClock } from "./open-accounts.ts";

function clockWith(start: { latest: number; wall: number }) {
  const time = { wall: start.wall, elapsed: 0 };
  const now = createMonotonicClock(start.latest, { wall: () => time.wall, elapsed: () => time.elapsed });
  return { time, now };
}

it("follows the date forwards", () => {
  const { time, now } = clockWith({ latest: 0, wall: 1_000 });
  time.wall = 5_000;
  expect(now()).toBe(5_000);
});

it("keeps advancing while the date is behind", () => {
  const { time, now } = clockWith({ latest: 0, wall: 10_000 });
  now();
  time.wall = 1_000;
  time.elapsed = 700;
  expect(now()).toBe(10_700);
});

it("continues from the time of an earlier process", () => {
  expect(clockWith({ latest: 50_000, wall: 1_000 }).now()).toBe(50_000);
});

it("never goes backwards and is never slower than real time", () => {
  const step = fc.record({
    passed: fc.nat(1_000_000),
    set: fc.integer({ min: -10_000_000, max: 10_000_000 }),
  });
  fc.assert(
    fc.property(fc.nat(), fc.array(step), (wall, steps) => {
      const { time, now } = clockWith({ latest: 0, wall });
      let before = now();
      for (const { passed, set } of steps) {
        time.elapsed += passed;
        time.wall += passed + set;
        const after = now();
        expect(after - before).toBeGreaterThanOrEqual(passed);
        before = after;
      }
    }),
  );
});
