import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Run } from "@metahuman/core/contract/run";
import { beforeEach, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { SeenRequest } from "../support/model-server/script.ts";
import { act, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A person may write a new request while the operator waits for the answer to a question.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");
let conversationId = "";
let asking = "";
/** The prompt for the second request. */
let shown = "";

beforeEach(async () => {
  const question = {
    question: "Which list do you mean?",
    options: ["packing.txt for Oslo", "packing.txt for the kids"],
  };
  let planned = 0;
  await harness.set({
    answer: (request) => {
      if (purposeOf(request) !== "plan") return { say: "All right." };
      shown = promptOf(request);
      return (planned += 1) === 1
        ? act("ask_user", question)
        : { json: { thought: "Known.", respond: true, answer: "All right." } };
    },
  });
  const { body } = await harness.owner.post("/api/operator", { goal: "whats in that list of mine again" });
  asking = z.object({ runId: z.string() }).parse(body).runId;
  ({ conversationId } = await harness.run(asking));
});

describe("a new request while a question is open", () => {
  it.each(["no, the second one", "the other one then, and add socks to it", "kids"])(
    "shows the model the question with its options, and leaves it open: %s",
    async (goal) => {
      await harness.ask(goal, { conversationId });
      const open = shown.slice(shown.indexOf("Earlier in this conversation"));
      expect(open).toContain("Which list do you mean?");
      expect(open).toMatch(/1\. packing\.txt for Oslo.*2\. packing\.txt for the kids/su);
      expect(await harness.run(asking)).toMatchObject({ status: "waiting" });
    },
  );

  it.each([
    "packing list for Oslo, with the socks and the passport of Anna",
    "the list for the kids, I wrote on Monday before the trip",
    "kids please, because we leave for the summer house on Friday",
    "die Liste für die Kinder, am Montag vor der Reise geschrieben",
  ])("stays open for a long answer: %s", async (goal) => {
    await harness.ask(goal, { conversationId });
    expect(await harness.run(asking)).toMatchObject({ status: "waiting" });
  });

  it.each([
    "what is the capital of burkina faso?",
    "create a task to water the plants",
    "explain in a few words why the sky is blue at noon",
  ])("closes the question if the request is complete in itself: %s", async (goal) => {
    await harness.ask(goal, { conversationId });
    expect(await harness.run(asking)).toMatchObject({ status: "ended", outcome: "cancelled" });
  });

  it("leaves a question of another conversation open", async () => {
    await harness.ask("what is the capital of burkina faso?");
    expect(shown).not.toContain("Which list do you mean?");
    expect(await harness.run(asking)).toMatchObject({ status: "waiting" });
  });

  it("is answered as before if the answer is sent to its run", async () => {
    await harness.owner.post(`/api/runs/${asking}/answer`, { text: "packing.txt for the kids" });
    await expect.poll(async () => Run.parse(await harness.run(asking)).status).toBe("ended");
    expect(shown).toContain("packing.txt for the kids");
  });

  it("says in the new run which question was dropped", async () => {
    const { runId } = await harness.ask("what is the capital of burkina faso?", { conversationId });
    const { warnings } = await harness.run(runId);
    expect(warnings).toContainEqual(
      "“whats in that list of mine again” was stopped, because its question was not answered: “Which list do you mean?” To continue it, reply with one of its choices.",
    );
  });

  it("takes exactly one of the choices as the answer while the run waits", async () => {
    const { runId } = await harness.ask("Packing.txt for the kids", { conversationId });
    expect(runId).toBe(asking);
    expect(await harness.run(asking)).toMatchObject({
      outcome: "answered",
      scratchpad: [{ observation: { outputs: { answer: "packing.txt for the kids" } } }, {}],
    });
  });

  it.each(["the second", "2", "the last one"])(
    "takes the place of a choice as the answer: %s",
    async (goal) => {
      const { runId } = await harness.ask(goal, { conversationId });
      expect(runId).toBe(asking);
      expect(await harness.run(asking)).toMatchObject({
        outcome: "answered",
        scratchpad: [{ observation: { outputs: { answer: "packing.txt for the kids" } } }, {}],
      });
    },
  );

  it("takes exactly one of the choices as the answer after the question was dropped, once", async () => {
    await harness.ask("what is the capital of burkina faso?", { conversationId });
    const { runId } = await harness.ask("packing.txt for the kids", { conversationId });
    expect(await harness.run(runId)).toMatchObject({
      goal: "whats in that list of mine again",
      continues: asking,
      outcome: "answered",
      scratchpad: [
        { action: { tool: "ask_user" }, observation: { outputs: { answer: "packing.txt for the kids" } } },
        {},
      ],
    });
    expect(shown).toContain("packing.txt for the kids");
    const again = await harness.ask("packing.txt for the kids", { conversationId });
    expect(await harness.run(again.runId)).toMatchObject({ goal: "packing.txt for the kids" });
  });
});

describe("a new request while an earlier one is still carried out", () => {
  it("waits for it, and shows the model its answer", async () => {
    const earlier = "which of my boat jobs are left before the frost comes";
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await harness.set({
      answer: async (request) => {
        if (purposeOf(request) !== "plan") return { say: "All right." };
        if (promptOf(request).includes(`Request: ${earlier}`)) {
          asked.resolve();
          await gate.promise;
        } else shown = promptOf(request);
        return { json: { thought: "Known.", respond: true, answer: "Shall I start with the mast?" } };
      },
    });
    const first = await startedInBackground(earlier);
    await asked.promise;
    const second = await startedInBackground("yes please, and then the sails", first.conversationId);
    const other = await harness.ask("and what about the ropes of mine");
    expect(other.result).toBe("Shall I start with the mast?");
    expect((await harness.run(second.runId)).status).toBe("queued");
    gate.resolve();
    await expect.poll(async () => (await harness.run(second.runId)).status).toBe("ended");
    expect(shown).toContain("Shall I start with the mast?");
  });

  it("does not wait for one that waits for an approval, and shows the model what that is", async () => {
    await harness.set({
      answer: (request) => {
        if (purposeOf(request) !== "plan") return { say: "All right." };
        shown = promptOf(request);
        return shown.includes("Request: tidy up")
          ? act("fs_delete", { path: "packing.txt" })
          : { json: { thought: "Known.", respond: true, answer: "Ouagadougou." } };
      },
    });
    await mkdir(join(harness.profile, "out"), { recursive: true });
    await writeFile(join(harness.profile, "out", "packing.txt"), "socks");
    const waiting = await startedInBackground("tidy up my lists");
    await expect.poll(async () => (await harness.run(waiting.runId)).status).toBe("waiting");
    await harness.ask("what is the capital of burkina faso?", { conversationId: waiting.conversationId });
    expect(shown).toContain("(“tidy up my lists” waits for the person's approval: Delete out/packing.txt?");
  });
});

async function startedInBackground(goal: string, conversationId?: string) {
  const { body } = await harness.owner.post("/api/operator", { goal, background: true, conversationId });
  return z.object({ runId: z.string(), conversationId: z.string() }).parse(body);
}
