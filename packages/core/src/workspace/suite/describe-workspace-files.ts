import { afterAll, beforeEach, describe } from "vitest";
import { describeHostilePaths, describeLinks, type SwapsLeave } from "./attacks.ts";
import { harnessOn, type WorkspaceUnderTest } from "./harness.ts";
import { describeListing } from "./listing.ts";
import { describeMoving } from "./moving.ts";
import { describeReading } from "./reading.ts";
import { describePermissions, describeWriting } from "./writing.ts";

/**
 * Tests the contract of `WorkspaceFiles`. `open` creates a separate workspace for each test. `swapsLeave` is for files in
 * folders, and tests links and permissions, too. On systems without folder handles, a folder that is swapped at the moment
 * of a write is noticed afterwards and may keep a temporary file; existing files are neither read nor changed.
 */
export function describeWorkspaceFiles(
  name: string,
  open: () => Promise<WorkspaceUnderTest>,
  { swapsLeave }: { swapsLeave?: SwapsLeave } = {},
): void {
  describe(`workspace files: ${name}`, () => {
    const opened: WorkspaceUnderTest[] = [];
    const harness = harnessOn(() => {
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
    describeWriting(harness);
    describeReading(harness);
    describeMoving(harness);
    describeListing(harness);
    describeHostilePaths(harness);
    if (swapsLeave === undefined) return;
    describePermissions(harness);
    describeLinks(harness, swapsLeave);
  });
}
