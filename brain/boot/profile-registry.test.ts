import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLogger } from "@metahuman/core/log/logger";
import type { OpenedProfile } from "./profile-options.ts";
import { createProfileRegistry } from "./profile-registry.ts";

it("opens four profiles at a time, the first ones first, also when one of them fails", async () => {
  const openings = new Map<string, PromiseWithResolvers<OpenedProfile>>();
  const profiles = createProfileRegistry(
    (username) => {
      const opening = Promise.withResolvers<OpenedProfile>();
      openings.set(username, opening);
      return opening.promise;
    },
    createLogger({ level: "silent" }),
  );
  const names = ["ada", "ben", "carl", "dora", "ella", "finn"];
  const opened = names.map((name) => profiles.opened(name).catch((error: unknown) => error));
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
