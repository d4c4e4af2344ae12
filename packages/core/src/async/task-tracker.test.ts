import { expect, it, vi } from "vitest";
import { createIdleTracker } from "./task-tracker.ts";

it("runs background work at once if no work is urgent", async () => {
  await createIdleTracker().whenIdle();
});

it("delays background work until urgent work ends, whether it succeeds or fails", async () => {
  const tracker = createIdleTracker();
  const ended: string[] = [];
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const urgent = [tracker.trackUrgent(first.promise), tracker.trackUrgent(second.promise)];
  const background = tracker.whenIdle().then(() => ended.push("background"));
  first.resolve(undefined);
  await urgent[0];
  ended.push("first");
  second.reject(new Error("full"));
  await expect(urgent[1]).rejects.toThrow("full");
  ended.push("second");
  await background;
  expect(ended).toEqual(["first", "second", "background"]);
});

it("delays background work for at most a few seconds", async () => {
  const tracker = createIdleTracker();
  const endless = Promise.withResolvers<undefined>();
  const urgent = tracker.trackUrgent(endless.promise);
  await tracker.whenIdle();
  endless.resolve(undefined);
  await urgent;
});

it("keeps the process running while background work waits", async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const tracker = createIdleTracker();
  await tracker.trackUrgent(Promise.resolve());
  const before = timers();
  const background = tracker.whenIdle();
  expect(timers()).toBe(before + 1);
  await background;
});

it("waits no longer if the clock is set back", async () => {
  const tracker = createIdleTracker();
  await tracker.trackUrgent(Promise.resolve());
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    await tracker.whenIdle();
  } finally {
    vi.useRealTimers();
  }
}, 5_000);
