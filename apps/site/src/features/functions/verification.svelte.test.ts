import type { VerifyingEvent } from "@metahuman/core/contract/answers";
import { describe, expect, it } from "vitest";
import { UnexpectedResponse } from "../../lib/api/api-problem.ts";
import { AT } from "../../lib/testing/fixtures.ts";
import { Verification } from "./verification.svelte.ts";

const REPORT: VerifyingEvent = {
  type: "function-verified",
  verification: { at: AT, contentHash: "hash", ok: true, checks: [] },
};

async function* streamOf(events: readonly VerifyingEvent[]): AsyncGenerator<VerifyingEvent> {
  yield* events;
}

describe("following a verification", () => {
  it("shows the start and end of each check, and reports the outcome", async () => {
    const verifying = new Verification();
    const seen: unknown[] = [];
    async function* events(): AsyncGenerator<VerifyingEvent> {
      yield { type: "check-ended", check: { name: "schema", ok: true } };
      yield { type: "check-started", name: "replay of example 1" };
      seen.push([verifying.id, verifying.running, verifying.ended.length]);
      yield { type: "check-ended", check: { name: "replay of example 1", ok: false } };
      seen.push([verifying.id, verifying.running, verifying.ended.length]);
      yield REPORT;
    }
    await expect(verifying.follow("func-1", events)).resolves.toEqual(REPORT);
    expect(seen).toEqual([
      ["func-1", "replay of example 1", 1],
      ["func-1", undefined, 2],
    ]);
    expect(verifying.id).toBeUndefined();
  });

  it("ends without an outcome when it is cancelled, and fails when the stream ends early", async () => {
    const verifying = new Verification();
    const cancelled = verifying.follow("func-1", async function* (signal) {
      yield { type: "check-started", name: "tests" };
      verifying.cancel();
      signal.throwIfAborted();
    });
    await expect(cancelled).resolves.toBeUndefined();
    await expect(verifying.follow("func-1", () => streamOf([]))).rejects.toBeInstanceOf(UnexpectedResponse);
  });
});
