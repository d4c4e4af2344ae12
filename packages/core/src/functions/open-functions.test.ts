import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FunctionMemory } from "../contract/function.ts";
import {
  AlreadyExistsError,
  ConflictError,
  InvalidArgsError,
  StaleVersionError,
} from "../errors/request-errors.ts";
import { FunctionNotFoundError } from "../errors/not-found-errors.ts";
import type { FunctionsPort } from "./functions-port.ts";
import { openBeforeEach } from "./testing/open-before-each.ts";
import {
  ADA,
  failureOf,
  OPERATOR,
  OWNER,
  SANDWICH,
  type TestFunctions,
  titlesFor,
} from "./testing/open-test-functions.ts";

let test: TestFunctions;
let functions: FunctionsPort;
openBeforeEach((opened) => ({ test, functions } = opened));

const titles = (query: string, port = functions): Promise<string[]> => titlesFor(port, query);

async function verified(): Promise<FunctionMemory> {
  const saved = await functions.saveFunction(SANDWICH, ADA);
  return (await functions.promoteFunction(saved.id, ADA)).function;
}

describe("a new function", () => {
  it("is a draft in a file of its own, visible to people and not to planners", async () => {
    const saved = await functions.saveFunction(SANDWICH, ADA);
    expect(saved).toMatchObject({
      name: "create-file-kitchen",
      kind: "guide",
      trust: "draft",
      status: "active",
      version: 1,
      usageCount: 0,
      scope: { agentId: "operator", userId: "ada" },
    });
    const [file] = await readdir(join(test.paths.memory.functions, "2026"));
    expect(file).toMatch(/^function-20261120T0930\w+-create-file-kitchen-[0-9a-z]{6}\.json$/);
    expect(await functions.loadFunction(saved.id)).toEqual(saved);
    expect(await titles("make a file in the kitchen")).toEqual([]);
    const { items } = await functions.queryFunctions("make a file in the kitchen", { trust: "draft" });
    expect(items.map((item) => item.function.id)).toEqual([saved.id]);
  });

  it("waits for approval when an agent registers it, and approval verifies it", async () => {
    const saved = await functions.saveFunction(SANDWICH, OPERATOR, { origin: "curated" });
    expect(saved.status).toBe("pending_approval");
    const approved = await functions.approveFunction(saved.id, ADA);
    expect(approved).toMatchObject({ status: "active", trust: "verified", verification: { ok: true } });
    expect(await titles("make a file in the kitchen")).toEqual([SANDWICH.title]);
  });

  it("is named after its title, with a name of its own", async () => {
    await functions.saveFunction(SANDWICH, ADA);
    expect((await functions.saveFunction(SANDWICH, ADA)).name).toBe("create-file-kitchen-2");
    const named = { ...SANDWICH, name: "create-file-kitchen" };
    expect(await failureOf(functions.saveFunction(named, ADA))).toBeInstanceOf(AlreadyExistsError);
  });

  it("is refused if it contains a secret, and if the profile is full", async () => {
    const secret = { ...SANDWICH, steps: ["Sign in with sk-abcdefghijklmnopqrstuvwx."] };
    expect(await failureOf(functions.saveFunction(secret, ADA))).toBeInstanceOf(InvalidArgsError);
    test.settings = { ...test.settings, maxPerProfile: 1 };
    await functions.saveFunction(SANDWICH, ADA);
    expect(await failureOf(functions.saveFunction(SANDWICH, ADA))).toBeInstanceOf(ConflictError);
  });
});

describe("scope", () => {
  it("hides a function from every other agent and user, by id, name, list and search", async () => {
    const { id, name } = await verified();
    const opened = await test.open();
    const others = [opened.functions.of("researcher"), (await test.open("eve")).functions.of()];
    for (const other of others) {
      expect(await failureOf(other.loadFunction(id))).toBeInstanceOf(FunctionNotFoundError);
      expect(await failureOf(other.deleteFunction(id, ADA))).toBeInstanceOf(FunctionNotFoundError);
      expect(await other.findByName(name)).toBeUndefined();
      expect((await other.listFunctions({ limit: 10 })).total).toBe(0);
      expect(await titles("make a file in the kitchen", other)).toEqual([]);
      expect((await other.queryFunctions("kitchen file", { trust: "any", explain: true })).rejected).toEqual(
        [],
      );
    }
  });
});

describe("an edit", () => {
  it("of a draft creates the next version, and keeps the earlier ones to compare and restore", async () => {
    const saved = await functions.saveFunction(SANDWICH, ADA);
    const { function: second } = await functions.updateFunction(
      saved.id,
      { version: 1, steps: ["Write it.", "Read it back."] },
      ADA,
    );
    expect(second.version).toBe(2);
    await functions.restoreVersion(saved.id, 1, ADA);
    const versions = await functions.versions(saved.id);
    expect(versions.map(({ version, change }) => `${version} ${change}`)).toEqual([
      "3 Went back to version 1.",
      "2 Changed the steps.",
      "1 Written.",
    ]);
    expect((await functions.loadFunction(saved.id)).steps).toEqual(SANDWICH.steps);
  });

  it("that starts from a stale version is refused with both texts", async () => {
    const saved = await functions.saveFunction(SANDWICH, ADA);
    await functions.updateFunction(saved.id, { version: 1, title: "Kitchen files" }, ADA);
    const failure = await failureOf(
      functions.updateFunction(saved.id, { version: 1, title: "Cook files" }, ADA),
    );
    expect(failure).toBeInstanceOf(StaleVersionError);
    expect(failure).toMatchObject({
      context: { currentVersion: 2, current: { title: "Kitchen files" }, yours: { title: "Cook files" } },
    });
    expect((await functions.loadFunction(saved.id)).title).toBe("Kitchen files");
  });

  it("of the behavior removes the origins of the values that a run had", async () => {
    const provenance = [{ step: 1, argument: "path", from: "request" as const, detail: "from your request" }];
    const saved = await functions.saveFunction({ ...SANDWICH, provenance }, ADA);
    await functions.updateFunction(saved.id, { version: 1, steps: ["Write another file."] }, ADA);
    expect((await functions.loadFunction(saved.id)).provenance).toBeUndefined();
  });

  it("of the behavior of a verified function waits as a proposal while the live version is in service", async () => {
    const live = await verified();
    const edit = { version: live.version, title: "Kitchen files", steps: ["Write out/kitchen/<name>.txt."] };
    const { function: updated, proposal } = await functions.updateFunction(live.id, edit, ADA);
    expect(updated).toMatchObject({
      title: "Kitchen files",
      steps: SANDWICH.steps,
      trust: "verified",
      version: 2,
    });
    expect(proposal).toMatchObject({ status: "pending", origin: "edit", content: { steps: edit.steps } });
    expect(await titles("kitchen files")).toEqual(["Kitchen files"]);

    const accepted = await functions.acceptProposal(live.id, proposal?.id ?? "", ADA);
    expect(accepted).toMatchObject({
      steps: edit.steps,
      trust: "verified",
      verification: { ok: true },
      version: 3,
    });
    expect((await functions.listProposals(live.id, "pending")).length).toBe(0);
    expect((await functions.listProposals(live.id))[0]?.status).toBe("accepted");
  });

  it("proposed against a behavior that has changed is refused", async () => {
    const live = await verified();
    const change = { steps: ["Write out/kitchen/<name>.txt."] };
    const about = { change, origin: "learned" as const, reason: "Text files." };
    const proposal = await functions.proposeRevision(live.id, about, OPERATOR);
    expect((await functions.proposeRevision(live.id, about, OPERATOR)).id).toBe(proposal.id);
    await functions.demoteFunction(live.id, ADA);
    await functions.updateFunction(live.id, { version: 1, steps: ["Something else."] }, ADA);
    expect(await failureOf(functions.acceptProposal(live.id, proposal.id, ADA))).toBeInstanceOf(
      StaleVersionError,
    );
    const rejected = await functions.rejectProposal(live.id, proposal.id, ADA, "outdated");
    expect(rejected).toMatchObject({ status: "rejected", decisionReason: "outdated" });
  });
});

describe("two proposals for one version", () => {
  const inOtherWords = (prompt: string, base: FunctionMemory) => ({
    change: { examples: [...base.examples, { prompt }] },
    origin: "learned" as const,
    reason: `Other words: ${prompt}`,
  });
  const promptsOf = ({ examples }: Pick<FunctionMemory, "examples">) => examples.map(({ prompt }) => prompt);

  it("are both accepted if each adds something", async () => {
    const live = await verified();
    const first = await functions.proposeRevision(
      live.id,
      inOtherWords("a sandwich file please", live),
      OPERATOR,
    );
    const second = await functions.proposeRevision(
      live.id,
      inOtherWords("file for a sandwich", live),
      OPERATOR,
    );
    await functions.acceptProposal(live.id, first.id, ADA);
    expect(await functions.listProposals(live.id, "pending")).toMatchObject([
      { id: second.id, baseVersion: 2, content: { examples: [{}, {}, {}] } },
    ]);
    const after = await functions.acceptProposal(live.id, second.id, ADA);
    expect(promptsOf(after)).toEqual([...promptsOf(live), "a sandwich file please", "file for a sandwich"]);
  });

  it("are one if they are learned from the same run", async () => {
    const live = await verified();
    const about = { ...inOtherWords("a sandwich file please", live), sourceOperatorRunId: "run-1" };
    const first = await functions.proposeRevision(live.id, about, OPERATOR);
    const again = { ...about, reason: "Asked by a person." };
    expect((await functions.proposeRevision(live.id, again, ADA)).id).toBe(first.id);
  });

  it("are refused if the function changes during their verification", async () => {
    const live = await verified();
    const proposal = await functions.proposeRevision(
      live.id,
      inOtherWords("file for a sandwich", live),
      OPERATOR,
    );
    test.meanwhile = async () => {
      test.meanwhile = async () => undefined;
      await functions.demoteFunction(live.id, ADA);
      await functions.updateFunction(live.id, { version: 1, steps: ["Something else."] }, ADA);
    };
    expect(await failureOf(functions.acceptProposal(live.id, proposal.id, ADA))).toBeInstanceOf(
      ConflictError,
    );
    expect(promptsOf(await functions.loadFunction(live.id))).toEqual(promptsOf(live));
  });

  it("are both closed if the accepted one contains the other", async () => {
    const live = await verified();
    const small = inOtherWords("a sandwich file please", live);
    const large = {
      ...small,
      change: { examples: [...small.change.examples, { prompt: "file for a sandwich" }] },
    };
    await functions.proposeRevision(live.id, small, OPERATOR);
    const wanted = await functions.proposeRevision(live.id, large, OPERATOR);
    await functions.acceptProposal(live.id, wanted.id, ADA);
    expect(await functions.listProposals(live.id, "pending")).toEqual([]);
    expect((await functions.listProposals(live.id)).map(({ decisionReason }) => decisionReason)).toContain(
      "Version 2 contains it.",
    );
  });
});

describe("trust", () => {
  it("is granted over a failing report only by an owner who gives a reason", async () => {
    const broken = { ...SANDWICH, skillsUsed: ["fs_write", "fly_to_moon"] };
    const { id } = await functions.saveFunction(broken, ADA);
    const failure = await failureOf(functions.promoteFunction(id, ADA, "please"));
    expect(failure).toMatchObject({ code: "CONFLICT", context: { verification: { ok: false } } });
    expect(await failureOf(functions.promoteFunction(id, OWNER))).toBeInstanceOf(ConflictError);
    expect((await functions.loadFunction(id)).verification?.ok).toBe(false);
    const { function: promoted } = await functions.promoteFunction(id, OWNER, "it will be installed");
    expect(promoted.trust).toBe("verified");
    expect(test.audited.at(-1)).toMatchObject({
      event: "function_promoted",
      actor: "ada",
      details: { reason: "over a failing report: it will be installed" },
    });
  });

  it("is never granted by an agent", async () => {
    const { id } = await functions.saveFunction(SANDWICH, OPERATOR);
    for (const decide of [functions.promoteFunction, functions.approveFunction, functions.enableFunction])
      expect(await failureOf(decide(id, OPERATOR))).toMatchObject({ code: "FORBIDDEN" });
  });

  it("determines what planners see, without delay", async () => {
    const { id } = await verified();
    const shown = (): Promise<string[]> => titles("make a file in the kitchen");
    expect(await shown()).toHaveLength(1);
    await functions.disableFunction(id, ADA, "it made a mess");
    expect(await shown()).toEqual([]);
    expect((await functions.loadFunction(id)).statusReason).toBe("it made a mess");
    await functions.enableFunction(id, ADA);
    expect(await shown()).toHaveLength(1);
    await functions.demoteFunction(id, ADA);
    expect(await shown()).toEqual([]);
    await functions.promoteFunction(id, ADA);
    expect(await shown()).toHaveLength(1);
    await functions.deleteFunction(id, ADA);
    expect(await shown()).toEqual([]);
  });

  it("distinguishes a report of other content from a current one", async () => {
    const { id } = await functions.saveFunction(SANDWICH, ADA);
    const first = await functions.verifyFunction(id, ADA);
    await functions.updateFunction(id, { version: 1, skillsUsed: ["fly_to_moon"] }, ADA);
    const stored = await functions.loadFunction(id);
    expect(stored.verification?.contentHash).toBe(first.contentHash);
    expect(await failureOf(functions.promoteFunction(id, ADA))).toBeInstanceOf(ConflictError);
  });
});

describe("counters", () => {
  it("count each run once, however often and in whichever order it is reported", async () => {
    const { id, version } = await verified();
    const recordUse = (
      runId: string,
      outcome: "offered" | "followed" | "succeeded" | "failed",
      weight?: number,
    ) =>
      functions.recordFunctionUse({
        functionId: id,
        runId,
        outcome,
        ...(weight !== undefined && { weight }),
        ...(outcome === "failed" && { error: "no such folder" }),
      });
    await recordUse("run-a", "offered");
    await recordUse("run-a", "offered");
    await recordUse("run-b", "offered");
    await recordUse("run-b", "followed");
    await recordUse("run-b", "succeeded");
    await recordUse("run-b", "followed");
    await recordUse("run-c", "failed");
    expect(await functions.loadFunction(id)).toMatchObject({
      version,
      offeredCount: 2,
      usageCount: 2,
      stats: { executions: 2, successes: 1, failures: 1, lastFailure: "no such folder" },
    });
    const judged = await recordUse("run-b", "failed", 2);
    expect(judged.stats).toMatchObject({ executions: 3, successes: 0, failures: 3 });
  });
});

it("are audited for every change, without the content of functions", async () => {
  const { id } = await verified();
  await functions.updateFunction(id, { version: 1, summary: "A secret garden." }, ADA);
  await functions.deleteFunction(id, ADA);
  await functions.restoreFunction(id, ADA);
  expect(test.audited.map(({ event }) => event)).toEqual([
    "function_saved",
    "function_promoted",
    "function_updated",
    "function_deleted",
    "function_restored",
  ]);
  expect(JSON.stringify(test.audited)).not.toContain("garden");
  expect(test.warnings).toEqual([]);
});
