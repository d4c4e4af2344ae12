import { afterAll, beforeEach, describe } from "vitest";
import { describeAttacks, type SwapsLeave } from "./attacks.ts";
import { benchOn } from "./bench.ts";
import type { WorkspaceUnderTest } from "./bench.ts";
import { describeListing } from "./listing.ts";
import { describeMoving } from "./moving.ts";
import { describeReading } from "./reading.ts";
import { describeWriting } from "./writing.ts";

/**
 * What `WorkspaceFiles` promises; every implementation runs it. `open` gives each test a workspace of its own. Where
 * nothing holds a folder, one that is swapped in the very instant of a write is noticed after it, and may leave a
 * temporary file behind; what was there is neither read nor changed all the same.
 */
export function describeWorkspaceFiles(
  name: string,
  open: () => Promise<WorkspaceUnderTest>,
  { swapsLeave = "nothing" }: { swapsLeave?: SwapsLeave } = {},
): void {
  describe(`workspace files: ${name}`, () => {
    const opened: WorkspaceUnderTest[] = [];
    const bench = benchOn(() => {
      const current = opened.at(-1);
      if (!current) throw new Error("no workspace is open yet");
      return current;
    });
    beforeEach(async () => {
      opened.push(await open());
    });
    afterAll(async () => {
      for (const space of opened) await space.close();
    });
    describeWriting(bench);
    describeReading(bench);
    describeMoving(bench);
    describeListing(bench);
    describeAttacks(bench, swapsLeave);
  });
}
