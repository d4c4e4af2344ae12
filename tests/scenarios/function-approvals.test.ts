import { describe, expect, it } from "vitest";
import { ApprovalPage } from "@metahuman/core/contract/http";
import { harnessBeforeAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import { functionNow, registerByOperator } from "../support/code-samples.ts";
import type { ModelHarness } from "../support/model-harness.ts";

// Functions that an agent registered and that wait for approval.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

/** Makes the operator register a function; returns its id and the observation. */
async function registered(name: string): Promise<{ id: string; observation: string }> {
  const { outputs, content } = (await registerByOperator(harness, name)) ?? {};
  return { id: String(outputs?.["id"]), observation: content ?? "" };
}

const queue = async () =>
  ApprovalPage.parse((await harness.owner.get("/api/approvals")).body).functions ?? [];
const decide = (id: string, body: object) => harness.owner.post(`/api/approvals/${id}`, body);

describe("a function that waits for approval", () => {
  it("is in the queue with its grants and its report, and is approved there", async () => {
    const { id, observation: said } = await registered("waits-for-yes");
    expect(said).toContain("waits for your approval");
    expect(await queue()).toContainEqual(
      expect.objectContaining({
        id,
        title: "Waits for yes",
        kind: "code",
        uses: [],
        createdBy: "operator",
        sourceOperatorRunId: expect.stringMatching(/^run-/u),
      }),
    );
    expect(await decide(id, { decision: "once" })).toMatchObject({
      status: 200,
      body: { id, status: "active" },
    });
    expect(await functionNow(harness.owner, id)).toMatchObject({ status: "active", trust: "verified" });
    expect((await queue()).map((one) => one.id)).not.toContain(id);
  });

  it("is rejected there with a reason, and decided once", async () => {
    const { id } = await registered("waits-for-no");
    expect((await decide(id, { decision: "deny", reason: "not needed" })).status).toBe(200);
    expect(await functionNow(harness.owner, id)).toMatchObject({
      status: "rejected",
      statusReason: "not needed",
    });
    expect((await decide(id, { decision: "deny" })).status).toBe(409);
  });

  it("cannot be allowed for a run or always, which do not apply to a function", async () => {
    const { id } = await registered("waits-for-sense");
    for (const decision of ["run", "always"])
      expect(await decide(id, { decision })).toMatchObject({
        status: 422,
        body: { error: { suggestions: expect.arrayContaining([expect.stringContaining("once")]) } },
      });
    expect((await functionNow(harness.owner, id)).status).toBe("pending_approval");
  });

  it("is listed, allowed and denied by the command line", async () => {
    const first = await registered("waits-in-terminal");
    const second = await registered("waits-in-vain");
    const run = (...args: string[]) => mh(harness.home, args);
    const listed = await run("approvals", "list");
    expect(listed.out).toContain(first.id);
    expect(listed.out).toContain("Waits in terminal");
    expect((await run("approvals", "show", first.id)).out).toContain("Finds the longest word.");
    expect((await run("approvals", "allow", first.id)).code).toBe(0);
    expect((await run("approvals", "deny", second.id, "not", "now")).code).toBe(0);
    expect(await functionNow(harness.owner, first.id)).toMatchObject({ status: "active" });
    expect(await functionNow(harness.owner, second.id)).toMatchObject({ statusReason: "not now" });
  });
});
