import { describe, expect, it } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("withTimeout", () => {
  it("returns the result of the work and clears its timer", async () => {
    const before = timers();
    await expect(withTimeout(60_000, Promise.resolve("done"), "late")).resolves.toBe("done");
    await expect(withTimeout(60_000, Promise.reject(new Error("broken")), "late")).rejects.toThrow("broken");
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it("resolves when the time is over and ignores a later rejection", async () => {
    const work = Promise.withResolvers<string>();
    await expect(withTimeout(1, work.promise, "late")).resolves.toBe("late");
    work.reject(new Error("too late to matter"));
    await expect(work.promise).rejects.toThrow("too late");
  });
});
