import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Revocation } from "./accounts.ts";
import { createRevocations, type Revocations } from "./revocations.ts";

/** A remote store whose answers are slow and may fail. */
const elsewhere = { version: 1, live: new Set<string>(), isAway: false };
let revocations: Revocations;
let revoked: Revocation[];

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(elsewhere, { version: 1, live: new Set(["session-1", "session-2"]), isAway: false });
  revocations = createRevocations({
    async version() {
      if (elsewhere.isAway) throw new Error("The store does not answer.");
      return elsewhere.version;
    },
    initialVersion: 1,
    live: async (ids) => new Set(ids.filter((id) => elsewhere.live.has(id))),
  });
  revoked = [];
  revocations.listen((revocation) => revoked.push(revocation));
  revocations.register("session-1", "ada");
  revocations.register("session-2", "greg");
});
afterEach(() => {
  revocations.close();
  vi.useRealTimers();
});

it("reports a session that another process ended, once", async () => {
  await vi.advanceTimersByTimeAsync(3_000);
  expect(revoked).toEqual([]);
  elsewhere.live.delete("session-2");
  elsewhere.version += 1;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(revoked).toEqual([{ username: "greg", credentialIds: ["session-2"], reason: "ended-elsewhere" }]);
});

it("reports sessions that ended while the store was unavailable", async () => {
  await vi.advanceTimersByTimeAsync(1_000);
  elsewhere.isAway = true;
  elsewhere.live.delete("session-1");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(revoked).toEqual([]);
  elsewhere.isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(revoked).toMatchObject([{ credentialIds: ["session-1"] }]);
});

it("reports expired sessions without a change of the store", async () => {
  await vi.advanceTimersByTimeAsync(1_000);
  elsewhere.live.delete("session-1");
  await vi.advanceTimersByTimeAsync(31_000);
  expect(revoked).toEqual([{ username: "ada", credentialIds: ["session-1"], reason: "expired" }]);
});

it("reports an expired session once, whether a poll or a request finds it first", async () => {
  elsewhere.live.delete("session-1");
  await vi.advanceTimersByTimeAsync(31_000);
  const expired = { username: "ada", credentialIds: ["session-1"], reason: "expired" } as const;
  expect(revoked).toEqual([expired]);
  revocations.report(expired);
  expect(revoked).toEqual([expired]);
});
