import { describe, expect, it } from "vitest";
import { within } from "./with-timeout.ts";

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

describe("within", () => {
  it("gives what the work ends with, and leaves no timer behind", async () => {
    const before = timers();
    await expect(within(60_000, Promise.resolve("done"), "late")).resolves.toBe("done");
    await expect(within(60_000, Promise.reject(new Error("broken")), "late")).rejects.toThrow("broken");
    expect(timers()).toBeLessThanOrEqual(before);
  });

  it("goes on without work that takes longer, and takes no offence at how that ends", async () => {
    const work = Promise.withResolvers<string>();
    await expect(within(1, work.promise, "late")).resolves.toBe("late");
    work.reject(new Error("too late to matter"));
    await expect(work.promise).rejects.toThrow("too late");
  });
});
