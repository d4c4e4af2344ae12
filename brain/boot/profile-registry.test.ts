import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { createLogger } from "@metahuman/core/log/logger";
import type { OpenedProfile } from "./profile-options.ts";
import { createProfileRegistry } from "./profile-registry.ts";

const logger = createLogger({ level: "silent" });

afterEach(() => vi.useRealTimers());

it("opens four profiles at a time, the first ones first, also when one of them fails", async () => {
  const openings = new Map<string, PromiseWithResolvers<OpenedProfile>>();
  const profiles = createProfileRegistry(
    (username) => {
      const opening = Promise.withResolvers<OpenedProfile>();
      openings.set(username, opening);
      return opening.promise;
    },
    { logger, maxOpen: () => names.length },
  );
  const names = ["ada", "ben", "carl", "dora", "ella", "finn"];
  const opened = names.map((name) => profiles.openCurrent(name).catch((error: unknown) => error));
  await nextTurn();
  expect([...openings.keys()]).toEqual(["ada", "ben", "carl", "dora"]);
  openings.get("ben")?.reject(new RangeError("out of order"));
  expect(await opened[1]).toEqual(new RangeError("out of order"));
  await nextTurn();
  expect([...openings.keys()]).toEqual(["ada", "ben", "carl", "dora", "ella"]);
  for (const name of names) {
    openings.get(name)?.reject(new RangeError("closed"));
    await nextTurn();
  }
  expect([...openings.keys()]).toEqual(names);
});

it("closes what was used the longest ago while too many are open, unless it is busy or in use", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const busy = new Set(["ada"]);
  const closed: string[] = [];
  const profiles = createProfileRegistry(
    async (username) => ({
      expectChanges: () => undefined,
      isOutdated: () => false,
      stateDamage: () => undefined,
      isBusy: async () => busy.has(username),
      close: async () => void closed.push(username),
    }),
    { logger, maxOpen: () => 3 },
  );
  const openOne = async (username: string): Promise<void> => {
    await profiles.openCurrent(username);
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    vi.advanceTimersByTime(5_000);
  };
  await openOne("ada");
  const { release } = await profiles.hold("ben");
  for (const name of ["carl", "dora"]) await openOne(name);
  // Ada works, Ben is in use, and Carl was used just before.
  expect(closed).toEqual([]);
  await openOne("ella");
  expect(closed).toEqual(["carl"]);
  release();
  busy.clear();
  vi.advanceTimersByTime(10_000);
  await openOne("finn");
  expect(closed).toEqual(["carl", "ada", "dora"]);
  expect(profiles.usernames()).toEqual(["ben", "ella", "finn"]);
});
