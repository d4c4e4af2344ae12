import { describe, expect, it } from "vitest";
import { ConflictError } from "../errors/request-errors.ts";
import { openWhenUsed } from "./open-when-used.ts";

function countedPart({ failures = 0 } = {}) {
  const counts = { opened: 0, closed: 0 };
  const part = openWhenUsed("the part", async () => {
    counts.opened += 1;
    if (counts.opened <= failures) throw new RangeError("out of order");
    return { close: async () => void (counts.closed += 1) };
  });
  return { part, counts };
}

describe("a part that opens when it is used", () => {
  it("opens once, however many use it at the same time", async () => {
    const { part, counts } = countedPart();
    expect([part.opened(), counts.opened]).toEqual([undefined, 0]);
    const [one, other] = await Promise.all([part.use(), part.use()]);
    expect(one).toBe(other);
    expect(part.opened()).toBe(one);
    expect(counts.opened).toBe(1);
  });

  it("is not opened to be closed, and is not opened afterwards", async () => {
    const { part, counts } = countedPart();
    await part.close();
    await expect(part.use()).rejects.toBeInstanceOf(ConflictError);
    expect(counts).toEqual({ opened: 0, closed: 0 });
  });

  it("is closed once it is open if it is closed while it opens", async () => {
    const { part, counts } = countedPart();
    const [used] = await Promise.allSettled([part.use(), part.close(), part.close()]);
    expect(used.status).toBe("fulfilled");
    expect(counts).toEqual({ opened: 1, closed: 1 });
  });

  it("is opened by the next use if it could not be opened", async () => {
    const { part, counts } = countedPart({ failures: 1 });
    await expect(part.use()).rejects.toThrow("out of order");
    await part.use();
    await part.close();
    expect(counts).toEqual({ opened: 2, closed: 1 });
  });
});
