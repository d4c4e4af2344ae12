import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ProfileChannelStore } from "./open-profile-channels.ts";

export interface ProfileChannelsHarness {
  /** Opens the channels of one profile, as another process would. */
  open(): Promise<ProfileChannelStore>;
  close(): Promise<void>;
}

/** Tests the contract of `ProfileChannelStore`. */
export function describeProfileChannels(
  name: string,
  makeHarness: () => Promise<ProfileChannelsHarness>,
): void {
  describe(`the channels of a profile ${name}`, () => {
    let harness: ProfileChannelsHarness;
    let here: ProfileChannelStore;
    let elsewhere: ProfileChannelStore;
    beforeEach(async () => {
      harness = await makeHarness();
      here = await harness.open();
      elsewhere = await harness.open();
    });
    afterEach(async () => {
      here.close();
      elsewhere.close();
      await harness.close();
    });
    const ntfy = { topic: "greg-1", leastUrgency: "normal", changedAt: "2026-11-20T09:30:00.000Z" } as const;
    const smtp = { to: "greg@example.org", leastUrgency: "low", changedAt: ntfy.changedAt } as const;

    it("are none at first", () => {
      expect(here.current()).toEqual({});
      expect(here.problem()).toBeUndefined();
    });

    it("are visible at once where they were set, and soon elsewhere", async () => {
      await here.set("ntfy", ntfy);
      expect(here.current()).toEqual({ ntfy });
      await expect.poll(() => elsewhere.current()).toEqual({ ntfy });
    });

    it("keep what another process set at the same moment", async () => {
      await Promise.all([here.set("ntfy", ntfy), elsewhere.set("smtp", smtp)]);
      await here.set("webhook", undefined);
      expect(here.current()).toEqual({ ntfy, smtp });
    });

    it("are removed one by one", async () => {
      await here.set("ntfy", ntfy);
      await here.set("smtp", smtp);
      await here.set("ntfy", undefined);
      expect((await harness.open()).current()).toEqual({ smtp });
    });
  });
}
