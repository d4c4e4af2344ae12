import { afterEach, beforeEach, expect, it } from "vitest";
import { ADA, createTestFunctions, OPERATOR, SANDWICH } from "../testing/open-test-functions.ts";
import type { TestFunctions } from "../testing/open-test-functions.ts";

let test: TestFunctions;
beforeEach(async () => {
  test = await createTestFunctions();
});
afterEach(() => test.remove());

it("trusts no guide by itself, nor a change of one, not even where no approval is asked for", async () => {
  test.settings.requireApproval = false;
  const functions = (await test.open()).functions.of();
  const saved = await functions.saveFunction(SANDWICH, OPERATOR, { origin: "learned" });
  expect(saved).toMatchObject({ kind: "guide", trust: "draft" });
  const { id } = (await functions.promoteFunction(saved.id, ADA)).function;
  const proposal = await functions.proposeRevision(
    id,
    { change: { steps: ["Write it elsewhere."] }, reason: "It moved.", origin: "failure" },
    OPERATOR,
  );
  expect(proposal.status).toBe("pending");
  expect((await functions.loadFunction(id)).steps).toEqual(SANDWICH.steps);
});
