import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../support/event-reader.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, finish, openModelStage, purposeOf, type ModelStage } from "../support/model-stage.ts";

// A model that claims what nothing shows, over HTTP, with the settings that a new profile has.

const INVENTED = "I sent the mail, filed it in out/xyz.md and your 45 tasks are all done [1].";
const Delta = z.object({ text: z.string() });
const GOAL = "get my tasks into shape somehow and let Ada know";

let stage: ModelStage;
beforeAll(async () => {
  stage = await openModelStage();
});
afterAll(() => stage.close());

/** Looks at the tasks once, then answers; once that was sent back, in the words of `better`. */
function saying(first: string, better = first): Answer {
  let planned = 0;
  return (request): ChatScript => {
    const isSentBack = JSON.stringify(request.messages).includes("claims what no observation shows");
    const words = { say: isSentBack ? better : first };
    if (purposeOf(request) !== "plan") return words;
    if (request.tools.length > 0)
      return planned++ === 0 ? { call: [{ name: "task_list", args: {} }] } : words;
    return planned++ === 0 ? act("task_list") : finish;
  };
}

it("is shown to the model that is to mend it where a plan carried the answer", async () => {
  stage.models.script((request) => {
    const isSentBack = JSON.stringify(request.messages).includes("claims what no observation shows");
    const answer = isSentBack ? "I have sent no mail." : INVENTED;
    return { json: { thought: "Known.", respond: true, answer } };
  });
  stage.models.requests.splice(0);
  expect((await stage.ask(GOAL)).result).toBe("I have sent no mail.");
  const [, mending] = stage.models.chats();
  const own = mending?.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
  expect(own?.join("\n")).toContain(INVENTED.replace(" [1]", ""));
});

describe.each([
  ["structured", true],
  ["tool-calling", false],
])("an answer that invents, planned in %s mode", (_mode, reactV2) => {
  beforeEach(async () => {
    await stage.configure("runtime", { operator: { reactV2 } });
  });

  it("is sent back once with what nothing shows, and the better one stands", async () => {
    stage.models.script(saying(INVENTED, "You have no tasks [1]. No mail was sent."));
    const answer = await stage.ask(GOAL);
    expect(answer).toMatchObject({
      outcome: "answered",
      result: "You have no tasks [1]. No mail was sent.",
      actions: ["task_list"],
    });
    const rejectedAnswer = answer.scratchpad.filter(({ action }) => action === undefined);
    expect(rejectedAnswer).toHaveLength(1);
    const found = rejectedAnswer[0]?.observation?.content ?? "";
    expect(found).toContain("out/xyz.md");
    expect(found).toContain("sent");
    expect(found).toContain("45");
    expect((await stage.run(answer.runId)).warnings).toEqual([]);
  });

  it("is held back from the stream where it invents, and streamed where it does not", async () => {
    const words = `The list is short. ${INVENTED} Have a good day!`;
    const script = saying(words);
    stage.models.script(async (request, index) => {
      const reply = await script(request, index);
      return "say" in reply ? { ...reply, pieces: 40 } : reply;
    });
    const stream = { accept: "text/event-stream" };
    const response = await stage.owner.raw("POST", "/api/operator", { goal: GOAL }, stream);
    let streamed = "";
    for await (const { event, data } of readEvents(response))
      if (event === "answer-delta") streamed += Delta.parse(data).text;
    expect(streamed).toContain("The list is short.");
    expect(streamed).toContain("Have a good day!");
    for (const invented of ["sent", "xyz", "45"]) expect(streamed).not.toContain(invented);
  });

  it("is shown, once, to the model that is to mend it", async () => {
    stage.models.script(saying(INVENTED, "You have no tasks [1]. No mail was sent."));
    stage.models.requests.splice(0);
    await stage.ask(GOAL);
    const isSentBack = ({ messages }: SeenRequest) =>
      JSON.stringify(messages).includes("claims what no observation shows");
    const mending = stage.models.chats().filter(isSentBack);
    expect(mending.length).toBeGreaterThan(0);
    for (const { messages } of mending)
      expect(
        messages
          .map(({ content }) => content)
          .join("\n")
          .split(INVENTED),
      ).toHaveLength(2);
  });

  it("is marked where it stands when it comes again, with a warning, and is not remembered", async () => {
    stage.models.script(saying(`The list is empty. ${INVENTED}`));
    const answer = await stage.ask(GOAL);
    expect(answer.outcome).toBe("answered");
    expect(answer.result).toBe(`The list is empty. ${INVENTED} *not confirmed*`);
    expect((await stage.run(answer.runId)).warnings.join()).toContain("out/xyz.md");

    const { body } = await stage.owner.get("/api/memories?type=conversation&limit=100");
    const remembered = JSON.stringify(body);
    expect(remembered).toContain("The list is empty.");
    expect(remembered).not.toContain("out/xyz.md");
    expect(remembered).not.toContain("I sent the mail");

    stage.models.script(saying("I don't know."));
    await stage.ask("get whatever is known of the mail and the 45 tasks into shape somehow");
    const prompt = JSON.stringify(
      stage.models.chats().findLast((one) => purposeOf(one) === "plan")?.messages,
    );
    expect(prompt).not.toContain("I sent the mail");
  });
});

it("does not hold up or touch an answer of general knowledge", async () => {
  await stage.configure("runtime", { operator: { reactV2: false } });
  stage.models.script(() => ({ say: "Mont Blanc is 4,806 m high." }));
  const answer = await stage.ask("how high is the tallest mountain of the Alps, roughly?");
  expect(answer.scratchpad.filter(({ action }) => action === undefined)).toEqual([]);
});
