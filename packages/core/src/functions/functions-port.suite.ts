import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FunctionNotFoundError } from "../errors/not-found-errors.ts";
import type { FunctionsPort } from "./functions-port.ts";
import { ADA, OPERATOR, SANDWICH, type TestFunctions, titlesFor } from "./testing/open-test-functions.ts";

const DAY_MS = 86_400_000;

/** Two processes on the functions of one profile. */
export interface FunctionsHarness {
  here: TestFunctions;
  elsewhere: TestFunctions;
  close(): Promise<void>;
}

/** Tests the functions of a profile that two processes have open. */
export function describeFunctions(name: string, openHarness: () => Promise<FunctionsHarness>): void {
  describe(`functions ${name}, open in two processes`, () => {
    let harness: FunctionsHarness;
    let here: FunctionsPort;
    let elsewhere: FunctionsPort;
    beforeEach(async () => {
      harness = await openHarness();
      here = (await harness.here.open()).functions.of();
      elsewhere = (await harness.elsewhere.open()).functions.of();
    });
    afterEach(() => harness.close());

    it("are found by one process as soon as the other has saved and verified them", async () => {
      const saved = await here.saveFunction(SANDWICH, ADA);
      expect(await elsewhere.loadFunction(saved.id)).toEqual(saved);
      expect(await elsewhere.findByName(saved.name)).toEqual(saved);
      expect((await elsewhere.listFunctions({ limit: 9 })).total).toBe(1);
      expect(await titlesFor(elsewhere, "make a file in the kitchen")).toEqual([]);
      await here.promoteFunction(saved.id, ADA);
      expect(await titlesFor(elsewhere, "make a file in the kitchen")).toEqual([SANDWICH.title]);
    });

    it("have different names if both processes save one of the same title at the same time", async () => {
      const saved = await Promise.all(
        [here, elsewhere, here, elsewhere].map((functions) => functions.saveFunction(SANDWICH, ADA)),
      );
      expect(saved.map((each) => each.name).toSorted()).toEqual([
        "create-file-kitchen",
        "create-file-kitchen-2",
        "create-file-kitchen-3",
        "create-file-kitchen-4",
      ]);
    });

    it("accept one of two edits that name the same version, and keep every version", async () => {
      const { id } = await here.saveFunction(SANDWICH, ADA);
      const edits = await Promise.allSettled(
        [here, elsewhere].map((functions, n) =>
          functions.updateFunction(id, { version: 1, summary: `Summary ${n}.` }, ADA),
        ),
      );
      expect(edits.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const edit of edits)
        if (edit.status === "rejected") expect(edit.reason).toMatchObject({ code: "STALE_VERSION" });
      await elsewhere.updateFunction(id, { version: 2, steps: ["Write it."] }, ADA);
      expect((await here.versions(id)).map(({ version }) => version)).toEqual([3, 2, 1]);
      await elsewhere.restoreVersion(id, 1, ADA);
      expect(await here.loadFunction(id)).toMatchObject({ version: 4, steps: SANDWICH.steps });
    });

    it("show a proposal of one process to the other, which accepts it once", async () => {
      const { id } = await here.saveFunction(SANDWICH, ADA);
      await here.promoteFunction(id, ADA);
      const { proposal } = await here.updateFunction(id, { version: 1, steps: ["Write a .txt."] }, ADA);
      expect(await elsewhere.listProposals(id)).toMatchObject([{ id: proposal?.id, status: "pending" }]);
      const decisions = await Promise.allSettled([
        elsewhere.acceptProposal(id, proposal?.id ?? "", ADA),
        here.rejectProposal(id, proposal?.id ?? "", ADA),
      ]);
      expect(decisions.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    it("wait for approval in one process when an agent of the other registers them", async () => {
      const saved = await here.saveFunction(SANDWICH, OPERATOR, { origin: "curated" });
      expect(await elsewhere.approveFunction(saved.id, ADA)).toMatchObject({ status: "active" });
      expect(await here.loadFunction(saved.id)).toMatchObject({ status: "active", trust: "verified" });
    });

    it("are restored with their history by the other process, under another name if theirs is taken", async () => {
      const { id } = await here.saveFunction(SANDWICH, ADA);
      await here.updateFunction(id, { version: 1, summary: "Shorter." }, ADA);
      await here.deleteFunction(id, ADA);
      await expect(elsewhere.loadFunction(id)).rejects.toBeInstanceOf(FunctionNotFoundError);
      expect(await elsewhere.listDeleted()).toMatchObject([{ id, title: SANDWICH.title }]);
      await here.saveFunction(SANDWICH, ADA);
      const back = await elsewhere.restoreFunction(id, ADA);
      expect(back).toMatchObject({ name: "create-file-kitchen-2", version: 2 });
      expect(await here.versions(id)).toHaveLength(2);
      expect(await here.listDeleted()).toEqual([]);
    });

    it("are removed permanently, with their history, 30 days after they were deleted", async () => {
      const { id } = await here.saveFunction(SANDWICH, ADA);
      await here.updateFunction(id, { version: 1, summary: "Shorter." }, ADA);
      await here.deleteFunction(id, ADA);
      harness.elsewhere.pass(31 * DAY_MS);
      await (await harness.elsewhere.open()).close();
      expect(await here.listDeleted()).toEqual([]);
      await expect(here.restoreFunction(id, ADA)).rejects.toBeInstanceOf(FunctionNotFoundError);
    });
  });
}
