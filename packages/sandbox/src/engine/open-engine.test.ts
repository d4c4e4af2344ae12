import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../sandbox.ts";
import { openEngine } from "./open-engine.ts";

const SECRET = "zebra-4711-quartz";
const holdsSecret = (memory: WebAssembly.Memory) => Buffer.from(memory.buffer).includes(SECRET);

describe("close", () => {
  it("erases the memory that the next engine gets", async () => {
    const first = await openEngine(DEFAULT_LIMITS);
    first.context.unwrapResult(first.context.evalCode(`globalThis.kept = "${SECRET}".repeat(1000)`));
    expect(holdsSecret(first.memory)).toBe(true);
    first.close();

    const second = await openEngine(DEFAULT_LIMITS);
    expect(second.memory).toBe(first.memory);
    expect(holdsSecret(second.memory)).toBe(false);
    const seen = second.context.unwrapResult(
      second.context.evalCode("typeof kept + [1, 2].map((n) => n * 2)"),
    );
    expect(second.context.getString(seen)).toBe("undefined2,4");
  });

  it("gives no memory that grew, and none of another limit, to the next engine", async () => {
    const grown = await openEngine(DEFAULT_LIMITS);
    grown.context.unwrapResult(grown.context.evalCode('"ab".repeat(200_000).split("b").length'));
    grown.close();
    const usual = await openEngine(DEFAULT_LIMITS);
    expect(usual.memory).not.toBe(grown.memory);

    usual.close();
    const small = await openEngine({ ...DEFAULT_LIMITS, memoryBytes: DEFAULT_LIMITS.memoryBytes / 2 });
    expect(small.memory).not.toBe(usual.memory);
  });

  it("lets two engines that are open at once have a memory each", async () => {
    const closed = await openEngine(DEFAULT_LIMITS);
    closed.close();
    const [one, other] = await Promise.all([openEngine(DEFAULT_LIMITS), openEngine(DEFAULT_LIMITS)]);
    expect(one.memory).not.toBe(other.memory);
  });
});
