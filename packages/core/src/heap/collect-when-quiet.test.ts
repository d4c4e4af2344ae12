import { getHeapStatistics } from "node:v8";
import { expect, it } from "vitest";
import { collectWhenQuiet } from "./collect-when-quiet.ts";

it("gives back what is not used any more, once nothing was asked for a while", async () => {
  const failures: unknown[] = [];
  const collector = collectWhenQuiet({ quietMs: 20, onFailure: (error) => failures.push(error) });
  const held = (): number => getHeapStatistics().total_physical_size;
  const burst = { work: Array.from({ length: 300_000 }, (_, at) => [`${at}`]) };
  const full = held();
  burst.work.length = 0;
  collector.touch();
  await expect.poll(held, { timeout: 10_000 }).toBeLessThan(full - 15_000_000);
  collector.close();
  expect(failures).toEqual([]);
});
