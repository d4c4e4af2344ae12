import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "@metahuman/core/database/open-database";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { NetworkError } from "@metahuman/core/errors/service-errors";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import { openNotices } from "@metahuman/core/notices/open-notices";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createNoticeDeliverer, type DelivererOptions, type NoticeDeliverer } from "./deliver-notices.ts";

let database: Database;
let notices: NoticePort;
let time: number;
/** The next answers of the channel's server; it accepts everything if the list is empty. */
let answers: Error[];
let taken: string[];
let delivered: (string | null)[];
const opened: NoticeDeliverer[] = [];

const clock = () => new Date(time);
const pass = (seconds: number) => {
  time += seconds * 1_000;
};

beforeEach(() => {
  time = Date.parse("2026-11-20T08:00:00.000Z");
  database = openDatabase(":memory:", stateMigrations, { title: "the state" });
  notices = openNotices(database, { clock, channels: () => ["webhook"] });
  answers = [];
  taken = [];
  delivered = [];
});
afterEach(async () => {
  for (const deliverer of opened.splice(0)) await deliverer.close();
  database.close();
});

function open(options: Partial<DelivererOptions> = {}): NoticeDeliverer {
  const deliverer = createNoticeDeliverer({
    notices,
    deliver: async ({ notice }) => {
      const error = answers.shift();
      if (error) throw error;
      taken.push(notice.title);
    },
    limits: () => ({ timeoutMs: 1_000, retryAfterSeconds: [30, 120] }),
    clock,
    onProblem: (message, cause) => {
      throw new Error(message, { cause });
    },
    onNextChanged: (next) => delivered.push(next),
    runsTimers: false,
    ...options,
  });
  opened.push(deliverer);
  return deliverer;
}
const titles = async () => (await notices.list({ limit: 20 })).items.map(({ title }) => title);
const send = (title: string) => notices.send([{ title, body: "" }]);

describe("notices on a channel", () => {
  it("are delivered once", async () => {
    const deliverer = open();
    await send("Water the plants");
    await deliverer.tick();
    await deliverer.tick();
    expect(taken).toEqual(["Water the plants"]);
  });

  it("are retried after temporary failures, and reported if that does not help", async () => {
    const deliverer = open();
    await send("Water the plants");
    answers = Array.from({ length: 3 }, () => new NetworkError("hooks.example could not be reached."));
    await deliverer.tick();
    pass(29);
    await deliverer.tick();
    expect(answers).toHaveLength(2);
    pass(1);
    await deliverer.tick();
    pass(120);
    await deliverer.tick();
    expect(answers).toEqual([]);
    const [failure, first] = (await notices.list({ limit: 10 })).items;
    expect(first?.deliveries).toMatchObject([{ state: "failed", attempts: 3 }]);
    expect(failure).toMatchObject({
      title: "Notices do not arrive by webhook",
      body: expect.stringContaining("hooks.example could not be reached."),
      deliveries: [],
    });
  });

  it("are reported once for all failures until the channel works again", async () => {
    const deliverer = open();
    const refuse = async (title: string) => {
      await send(title);
      answers = [new InvalidArgsError("hooks.example did not accept the message (404).")];
      await deliverer.tick();
    };
    await refuse("One");
    await refuse("Two");
    expect((await titles()).filter((title) => title.startsWith("Notices do not"))).toHaveLength(1);
    pass(60);
    await send("Three");
    await deliverer.tick();
    await refuse("Four");
    expect((await titles()).filter((title) => title.startsWith("Notices do not"))).toHaveLength(2);
  });

  it("are dropped without a report if the channel was turned off", async () => {
    const deliverer = open();
    await send("Water the plants");
    answers = [new NotFoundError("This channel is off.")];
    await deliverer.tick();
    expect(await titles()).toEqual(["Water the plants"]);
    expect(await notices.nextDelivery()).toBeUndefined();
  });

  it("are delivered after the next start if the process ends during delivery", async () => {
    const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
    const first = open({ deliver: () => hanging });
    await send("Water the plants");
    const ticking = first.tick();
    await expect.poll(() => notices.claimDeliveries(1, 0)).toEqual([]);
    const second = open();
    await second.tick();
    expect(taken).toEqual([]);
    pass(3_600);
    await second.tick();
    expect(taken).toEqual(["Water the plants"]);
    release();
    await ticking;
  });

  it("report when the next delivery is due, so that the server opens the profile", async () => {
    const deliverer = open();
    deliverer.notify();
    await expect.poll(() => delivered).toEqual([null]);
    const visibleAt = new Date(time + 60_000).toISOString();
    await notices.send([{ title: "Later", body: "", visibleAt }]);
    deliverer.notify();
    await expect.poll(() => delivered).toEqual([null, visibleAt]);
  });
});
