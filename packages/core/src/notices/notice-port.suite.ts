import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NotFoundError } from "../errors/not-found-errors.ts";
import type { NoticePort } from "./notice-port.ts";

/** Empty notices with one channel, `webhook`, for all but low urgency, and a clock that the test sets. */
export interface NoticesHarness {
  open(): Promise<NoticePort>;
  now(): Date;
  passTime(ms: number): void;
  close(): Promise<void>;
}

/** Tests the contract of `NoticePort`. */
export function describeNotices(name: string, makeHarness: () => Promise<NoticesHarness>): void {
  describe(`notices ${name}`, () => {
    let harness: NoticesHarness;
    let notices: NoticePort;
    beforeEach(async () => {
      harness = await makeHarness();
      notices = await harness.open();
    });
    afterEach(() => harness.close());

    const reminder = { title: "Call the dentist", body: "It is 9:00.", dedupeKey: "sched-1/9" };

    it("stay until they are read, newest first", async () => {
      await notices.send([reminder]);
      harness.passTime(1);
      await notices.send([{ title: "Done", body: "", link: "/runs", urgency: "low" }]);
      const { items, unread, total } = await notices.list({ limit: 10 });
      expect(items.map(({ title }) => title)).toEqual(["Done", "Call the dentist"]);
      expect({ unread, total }).toEqual({ unread: 2, total: 2 });
      await notices.markRead(items[0]?.id ?? "", true);
      expect(await notices.list({ unread: true, limit: 10 })).toMatchObject({
        unread: 1,
        total: 1,
        items: [{ title: "Call the dentist" }],
      });
      await notices.markRead(items[0]?.id ?? "", false);
      expect(await notices.markAllRead()).toBe(2);
      expect(await notices.list({ unread: true, limit: 10 })).toMatchObject({ items: [], unread: 0 });
      await expect(notices.markRead("notice-01jd0000000000000000000000", true)).rejects.toThrow(
        NotFoundError,
      );
    });

    it("are sent once for a key, by whichever process", async () => {
      expect(await notices.send([reminder])).toHaveLength(1);
      expect(
        await (await harness.open()).send([reminder, { ...reminder, dedupeKey: "sched-1/10" }]),
      ).toHaveLength(1);
      expect((await notices.list({ limit: 10 })).total).toBe(2);
    });

    it("are shown when quiet hours end", async () => {
      const visibleAt = new Date(harness.now().getTime() + 60_000).toISOString();
      await notices.send([{ ...reminder, visibleAt }]);
      expect((await notices.list({ limit: 10 })).total).toBe(0);
      expect(await notices.claimDeliveries(10, 1_000)).toEqual([]);
      expect(await notices.nextDelivery()).toBe(visibleAt);
      harness.passTime(60_000);
      expect((await notices.list({ limit: 10 })).total).toBe(1);
      expect(await notices.claimDeliveries(10, 1_000)).toHaveLength(1);
    });

    it("that are shown stay so when the clock is set back, unlike those for the end of quiet hours", async () => {
      const visibleAt = new Date(harness.now().getTime() + 60_000).toISOString();
      await notices.send([reminder, { ...reminder, dedupeKey: "sched-1/10", visibleAt }]);
      harness.passTime(-24 * 3_600_000);
      expect(await notices.list({ unread: true, limit: 10 })).toMatchObject({ total: 1, unread: 1 });
      expect(await notices.markAllRead()).toBe(1);
      expect(await notices.list({ unread: true, limit: 10 })).toMatchObject({ total: 0, unread: 0 });
    });

    it("record the outcome of each delivery", async () => {
      const [sent] = await notices.send([reminder]);
      const delivery = { noticeId: sent?.id ?? "", channel: "webhook" as const };
      const retryAt = new Date(harness.now().getTime() + 60_000).toISOString();
      await notices.recordDelivery(delivery, { error: "No answer.", retryAt });
      expect(await notices.claimDeliveries(10, 1_000)).toEqual([]);
      harness.passTime(60_000);
      expect(await notices.claimDeliveries(10, 1_000)).toMatchObject([{ channel: "webhook", attempts: 1 }]);
      expect(await notices.lastDeliveries()).toEqual(
        new Map([["webhook", { state: "pending", error: "No answer.", at: expect.any(String) }]]),
      );
      expect(await notices.lastSuccess("webhook")).toBeUndefined();
      await notices.recordDelivery(delivery, { delivered: true });
      await notices.recordDelivery(delivery, { error: "Too late." });
      expect((await notices.get(delivery.noticeId)).deliveries).toMatchObject([
        { channel: "webhook", state: "delivered", attempts: 2 },
      ]);
      expect(await notices.lastSuccess("webhook")).toBe(harness.now().toISOString());
      expect((await notices.lastDeliveries()).get("webhook")).toMatchObject({ state: "delivered" });
    });

    it("are claimed for delivery by one process, and by another once its lease has expired", async () => {
      await notices.send([reminder, { ...reminder, dedupeKey: "sched-1/10" }]);
      const other = await harness.open();
      expect(await notices.claimDeliveries(1, 1_000)).toHaveLength(1);
      expect(await other.claimDeliveries(10, 1_000)).toHaveLength(1);
      expect(await other.claimDeliveries(10, 1_000)).toEqual([]);
      harness.passTime(1_000);
      expect(await other.claimDeliveries(10, 1_000)).toHaveLength(2);
    });

    it("are not delivered on the channel whose failure they are about, nor below its urgency", async () => {
      await notices.send([{ ...reminder, exceptChannel: "webhook" }]);
      await notices.send([{ title: "Done", body: "", urgency: "low" }]);
      expect(await notices.claimDeliveries(10, 1_000)).toEqual([]);
    });

    it("contain no secrets, and are listed in pages", async () => {
      await notices.send([
        { title: "Key", body: "password=hunter2secret" },
        { title: "Other", body: "" },
      ]);
      const page = await notices.list({ limit: 1 });
      const rest = await notices.list({ limit: 1, cursor: page.nextCursor ?? "" });
      expect(rest.nextCursor).toBeNull();
      expect(JSON.stringify([page, rest])).not.toContain("hunter2secret");
      expect(new Set([...page.items, ...rest.items].map(({ title }) => title))).toEqual(
        new Set(["Key", "Other"]),
      );
    });
  });
}
