import { afterEach, beforeEach, expect, it } from "vitest";
import type { NewFunction } from "../../contract/function.ts";
import {
  ADA,
  createTestFunctions,
  OPERATOR,
  SANDWICH,
  type TestFunctions,
} from "../testing/open-test-functions.ts";

let test: TestFunctions;
beforeEach(async () => {
  test = await createTestFunctions();
});
afterEach(() => test.remove());

it("promotes no guide or change of one by itself, even where no approval is required", async () => {
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

const CODE: NewFunction = {
  ...SANDWICH,
  name: "sandwich",
  code: { language: "typescript", entry: "main", source: "", tests: "", grants: ["fs_read"] },
};
const granted = (...grants: string[]) => ({
  change: { code: { language: "typescript", entry: "main", source: "", tests: "", grants } as const },
  reason: "It may do something else.",
  origin: "curated" as const,
});

it("accepts a passing change of an agent's code only if its grants do not grow", async () => {
  test.settings.requireApproval = false;
  const functions = (await test.open()).functions.of();
  const { id } = await functions.saveFunction(CODE, OPERATOR);
  expect(await functions.loadFunction(id)).toMatchObject({ trust: "verified", version: 1 });

  const wider = await functions.proposeRevision(id, granted("fs_read", "fs_write"), OPERATOR);
  expect(wider.status).toBe("pending");
  const secret = await functions.proposeRevision(id, granted("fs_read", "secret:TIDE_KEY"), OPERATOR);
  expect(secret.status).toBe("pending");
  expect(await functions.loadFunction(id)).toMatchObject({ version: 1, code: { grants: ["fs_read"] } });

  const narrower = await functions.proposeRevision(id, granted(), OPERATOR);
  expect(narrower.status).toBe("accepted");
  await expect(functions.acceptProposal(id, wider.id, OPERATOR)).rejects.toMatchObject({ code: "FORBIDDEN" });
});

it("asks a person whether an agent's code is granted a secret", async () => {
  test.settings.requireApproval = false;
  const functions = (await test.open()).functions.of();
  const { code } = granted("fs_read", "secret:TIDE_KEY").change;
  const saved = await functions.saveFunction({ ...CODE, code }, OPERATOR);
  expect(saved).toMatchObject({ trust: "draft", status: "pending_approval" });
});

it("holds a person's change of the grants of verified code until it is reviewed", async () => {
  const functions = (await test.open()).functions.of();
  const { id } = await functions.saveFunction(CODE, ADA);
  await functions.promoteFunction(id, ADA);
  const { change } = granted("fs_read", "fs_write");
  const { function: live, proposal } = await functions.updateFunction(id, { ...change, version: 1 }, ADA);
  expect(live.code?.grants).toEqual(["fs_read"]);
  expect(proposal).toMatchObject({ status: "pending" });
});

it("keeps a decision of a person about a function that was made during its check", async () => {
  test.settings.requireApproval = false;
  const functions = (await test.open()).functions.of();
  test.meanwhile = async () => {
    test.meanwhile = async () => undefined;
    const found = await functions.findByName("sandwich");
    await functions.disableFunction(found?.id ?? "", ADA, "Not like this.");
  };
  const saved = await functions.saveFunction(CODE, OPERATOR);
  expect(saved).toMatchObject({ trust: "draft", status: "disabled", statusReason: "Not like this." });
});

it("keeps a decision of a person about a proposal that was made during its check", async () => {
  const functions = (await test.open()).functions.of();
  const { id } = await functions.saveFunction(CODE, ADA);
  await functions.promoteFunction(id, ADA);
  const rejectNow = async () => {
    test.meanwhile = async () => undefined;
    const [waiting] = await functions.listProposals(id, "pending");
    await functions.rejectProposal(id, waiting?.id ?? "", ADA, "Not like this.");
  };

  const proposal = await functions.proposeRevision(id, granted(), OPERATOR);
  test.meanwhile = rejectNow;
  await expect(functions.acceptProposal(id, proposal.id, ADA)).rejects.toMatchObject({ code: "CONFLICT" });

  test.settings.requireApproval = false;
  test.meanwhile = rejectNow;
  expect(await functions.proposeRevision(id, granted(), OPERATOR)).toMatchObject({ status: "rejected" });

  expect((await functions.listProposals(id)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await functions.loadFunction(id)).toMatchObject({ version: 1, code: { grants: ["fs_read"] } });
});

it("keeps a passing report over an undecided one, and verifies again before a promotion", async () => {
  const functions = (await test.open()).functions.of();
  const { id } = await functions.saveFunction(SANDWICH, ADA);
  test.interrupts = () => "the sandbox crashed";
  await expect(functions.promoteFunction(id, ADA)).rejects.toMatchObject({
    code: "CONFLICT",
    message: expect.stringContaining("could not be verified"),
  });
  test.interrupts = () => undefined;
  await functions.promoteFunction(id, ADA);
  test.interrupts = () => "the sandbox crashed";
  expect(await functions.verifyFunction(id, ADA)).toMatchObject({ ok: false });
  expect(await functions.loadFunction(id)).toMatchObject({ trust: "verified", verification: { ok: true } });
});
