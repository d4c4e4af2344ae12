import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readOrCreateMark } from "./shared-mark.ts";

it("gives servers that start at the same moment one mark of their folder, created by one of them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mh-mark-"));
  for (let round = 0; round < 20; round += 1) {
    const path = join(folder, `mark-${round}`);
    const found = await Promise.all(Array.from({ length: 8 }, () => readOrCreateMark(path)));
    expect(new Set(found.map(({ mark }) => mark)).size).toBe(1);
    expect(found.filter(({ isNew }) => isNew)).toHaveLength(1);
  }
  await rm(folder, { recursive: true });
});
