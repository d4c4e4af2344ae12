import { describe, expect, it } from "vitest";
import { withTimeout } from "./with-timeout.ts";

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("withTimeout", () => {
  it("gives what the work ends with, and leaves no timer behind", async () => {
    const before = timers();
    await expect(withTimeout(60_000, Promise.resolve("done"), "late")).resolves.toBe("done");
    await expect(withTimeout(60_000, Promise.reject(new Error("broken")), "late")).rejects.toThrow("broken");
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it("goes on without work that takes longer, and takes no offence at how that ends", async () => {
    const work = Promise.withResolvers<string>();
    await expect(withTimeout(1, work.promise, "late")).resolves.toBe("late");
    work.reject(new Error("too late to matter"));
    await expect(work.promise).rejects.toThrow("too late");
  });
});
