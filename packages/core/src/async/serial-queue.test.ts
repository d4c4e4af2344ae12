import { expect, it } from "vitest";
import { createSerialQueue } from "./serial-queue.ts";

it("runs work one after the other, in the order of the calls, also after a failure", async () => {
  const queue = createSerialQueue();
  const events: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue(async () => {
    events.push("first begins");
    await gate.promise;
    events.push("first ends");
    throw new RangeError("it failed");
  });
  const second = queue(async () => {
    events.push("second begins");
    return "done";
  });
  gate.resolve();
  await expect(first).rejects.toThrow("it failed");
  expect(await second).toBe("done");
  expect(events).toEqual(["first begins", "first ends", "second begins"]);
});
