import { afterEach, beforeEach, expect, it } from "vitest";
import { VERIFICATION_RULES } from "./proof.ts";
import {
  ADA,
  createTestFunctions,
  OWNER,
  RECIPE,
  SANDWICH,
  type TestFunctions,
} from "../testing/open-test-functions.ts";

const WAIT = { timeout: 20_000 };
let test: TestFunctions;
beforeEach(async () => {
  test = await createTestFunctions();
});
afterEach(() => test.remove());

/** Two verified functions and a draft, with reports of the first rules; resolves to their ids. */
async function written(): Promise<string[]> {
  const functions = (await test.open()).functions.of();
  const ids: string[] = [];
  for (const content of [
    { ...RECIPE, name: "kitchen" },
    { ...SANDWICH, name: "sandwich" },
  ]) {
    const { id } = await functions.saveFunction(content, ADA);
    await functions.promoteFunction(id, ADA);
    ids.push(id);
  }
  await functions.saveFunction({ ...RECIPE, name: "draft" }, ADA);
  await test.close();
  return ids;
}

it("verifies functions of older rules again, and demotes failures to drafts, with the reason", async () => {
  const [kitchen = "", sandwich = ""] = await written();
  test.refuses = ({ name }) => (name === "kitchen" ? "a promise is left" : undefined);
  const opened = await test.open("ada", { reverifies: true });
  const { of, reverification } = opened.functions;
  await expect.poll(() => reverification()?.status, WAIT).toBe("done");
  expect(reverification()).toMatchObject({
    total: 2,
    checked: 2,
    demoted: [{ id: kitchen, reason: "tests: a promise is left" }],
  });
  expect(await of().loadFunction(kitchen)).toMatchObject({
    trust: "draft",
    status: "active",
    recipe: RECIPE.recipe,
    statusReason: expect.stringContaining("a promise is left"),
  });
  expect(await of().loadFunction(sandwich)).toMatchObject({
    trust: "verified",
    verification: { rules: VERIFICATION_RULES },
  });
  expect(test.warnings).toEqual([expect.stringContaining("Look into the kitchen")]);

  await test.close();
  const again = (await test.open("ada", { reverifies: true })).functions;
  await again.of().listFunctions({ limit: 1 });
  expect(again.reverification()).toBeUndefined();
  expect(test.warnings).toHaveLength(1);
});

it("continues after an interruption", async () => {
  await written();
  let checked = 0;
  const held = Promise.withResolvers<undefined>();
  test.meanwhile = () => ((checked += 1) === 2 ? held.promise : Promise.resolve());
  const first = await test.open("ada", { reverifies: true });
  await expect.poll(() => checked, WAIT).toBe(2);
  const closing = test.close();
  held.resolve(undefined);
  await closing;
  expect(first.functions.reverification()).toMatchObject({ status: "running", checked: 1 });

  const { reverification } = (await test.open("ada", { reverifies: true })).functions;
  await expect.poll(() => reverification(), WAIT).toMatchObject({ status: "done", total: 1, checked: 1 });
});

it("keeps what a person promoted over a failing report", async () => {
  test.refuses = () => "it fails";
  const functions = (await test.open()).functions.of();
  const { id } = await functions.saveFunction(RECIPE, OWNER);
  await functions.promoteFunction(id, OWNER, "I know.");
  await test.close();
  const opened = (await test.open("ada", { reverifies: true })).functions;
  expect(await opened.of().loadFunction(id)).toMatchObject({ trust: "verified" });
});

it("keeps what cannot be checked now, and tries it again at the next start", async () => {
  const [kitchen = "", sandwich = ""] = await written();
  test.interrupts = ({ name }) => (name === "kitchen" ? "the sandbox crashed" : undefined);
  const first = (await test.open("ada", { reverifies: true })).functions;
  await expect.poll(() => first.reverification()?.status, WAIT).toBe("done");
  expect(first.reverification()).toMatchObject({
    total: 2,
    checked: 2,
    demoted: [],
    inconclusive: [{ id: kitchen, reason: "tests: the sandbox crashed" }],
  });
  expect(await first.of().loadFunction(kitchen)).toMatchObject({
    trust: "verified",
    verification: { ok: true },
  });
  expect(await first.of().loadFunction(sandwich)).toMatchObject({
    verification: { rules: VERIFICATION_RULES },
  });
  await test.close();

  test.interrupts = () => undefined;
  const again = (await test.open("ada", { reverifies: true })).functions;
  await expect.poll(() => again.reverification(), WAIT).toMatchObject({ status: "done", total: 1 });
  expect(await again.of().loadFunction(kitchen)).toMatchObject({
    verification: { ok: true, rules: VERIFICATION_RULES },
  });
});

it("checks the rest when one verification fails by itself", async () => {
  const [kitchen = "", sandwich = ""] = await written();
  let checked = 0;
  test.meanwhile = async () => {
    if ((checked += 1) === 1) throw new Error("The checks were not finished within 120 s.");
  };
  const { of, reverification } = (await test.open("ada", { reverifies: true })).functions;
  await expect.poll(() => reverification()?.status, WAIT).toBe("done");
  expect(reverification()).toMatchObject({ checked: 2, demoted: [], inconclusive: [{}] });
  const rules = await Promise.all(
    [kitchen, sandwich].map(async (id) => (await of().loadFunction(id)).verification?.rules),
  );
  expect(rules).toContain(VERIFICATION_RULES);
  expect(test.warnings).toEqual([]);
});
