import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { readEvents } from "../support/event-reader.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { verdicts } from "../support/model-server/server.ts";
import { act, finish, openModelHarness, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A model that makes unsupported claims, over HTTP, with the settings of a new profile.

const INVENTED = "I sent the mail, filed it in out/xyz.md and your 45 tasks are all done [1].";
const Delta = z.object({ text: z.string() });
const Ended = z.object({ runId: z.string() });
const GOAL = "get my tasks into shape somehow and let Ada know";

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

/** Lists the tasks once, then answers; after that is rejected, it answers with `better`. */
function saying(first: string, better = first): Answer {
  let planned = 0;
  return (request): ChatScript => {
    const isSentBack = JSON.stringify(request.messages).includes(
      "contains claims that no observation supports",
    );
    const words = { say: isSentBack ? better : first };
    if (purposeOf(request) !== "plan") return words;
    if (request.tools.length > 0)
      return planned++ === 0 ? { call: [{ name: "task_list", args: {} }] } : words;
    return planned++ === 0 ? act("task_list") : finish;
  };
}

it("is shown to the model that corrects it if a plan contained the answer", async () => {
  harness.models.script((request) => {
    const isSentBack = JSON.stringify(request.messages).includes(
      "contains claims that no observation supports",
    );
    const answer = isSentBack ? "I have sent no mail." : INVENTED;
    return { json: { thought: "Known.", respond: true, answer } };
  });
  harness.models.requests.splice(0);
  expect((await harness.ask(GOAL)).result).toBe("I have sent no mail.");
  const [, mending] = harness.models.chats();
  const own = mending?.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
  expect(own?.join("\n")).toContain(INVENTED.replace(" [1]", ""));
  // A reply to the review alone ("You are right, …") would lose the rest of the answer.
  expect(mending?.messages.at(-1)?.content).toContain("write the whole answer again");
});

it("stays, with its marks, if the model cannot write it again", async () => {
  let planned = 0;
  harness.models.script((request) => {
    if (purposeOf(request) !== "plan") return { say: "" };
    planned += 1;
    if (planned === 1) return act("fs_write", { path: "ausgaben.md", content: "- Miete: 1.234,50" });
    const answer = "The list is in ausgaben.md [1]. I emailed it to Ada.";
    return planned === 2 ? { json: { thought: "Done.", respond: true, answer } } : { say: "" };
  });
  const { outcome, result } = await harness.ask("put the rent into ausgaben.md");
  expect(outcome).toBe("answered");
  expect(result).toBe("The list is in ausgaben.md [1]. I emailed it to Ada. *not confirmed*");
});

it("tells in its own language what was done", async () => {
  const plan = [
    act("fs_write", { path: "einkauf.md", content: "- Milch" }),
    act("task_create", { title: "Kuchen backen" }),
  ];
  harness.models.script((request) => {
    if (purposeOf(request) !== "plan") return { say: "" };
    const isSentBack = JSON.stringify(request.messages).includes("in the language of the answer");
    const added = isSentBack ? " Die Aufgabe „Kuchen backen“ ist angelegt." : "";
    const answer = `Ich habe die Liste in einkauf.md für dich angelegt.${added}`;
    return plan.shift() ?? { json: { thought: "Done.", respond: true, answer } };
  });
  const { result } = await harness.ask("mach eine Liste mit Milch und eine Aufgabe zum Backen");
  expect(result).toBe(
    "Ich habe die Liste in einkauf.md für dich angelegt. Die Aufgabe „Kuchen backen“ ist angelegt.",
  );
});

describe("a long text with one false sentence", () => {
  const GUIDE =
    "Choose a shady corner with bare soil, so that worms can get in. Layer dry leaves and fresh peels in turn. " +
    "Turn the heap with a fork every few weeks, because air keeps it from smelling. Water it when it is dry. " +
    "Dark crumbs that smell of forest are ready for the beds.";
  const ask = async (better: string) => {
    harness.models.script((request) => {
      const isSentBack = JSON.stringify(request.messages).includes(
        "contains claims that no observation supports",
      );
      const answer = isSentBack ? better : `${GUIDE} I saved this guide for you.`;
      return { json: { thought: "Known.", respond: true, answer } };
    });
    return (await harness.ask("Write me a thorough guide to composting for beginners")).result;
  };

  it("is kept without that sentence if the model only apologizes", async () => {
    expect(await ask("You're right, I did not save it. The guide above stays the same.")).toBe(GUIDE);
  });
  it("is replaced by an answer of about the same length", async () => {
    const better = GUIDE.replace("Dark", "Soft and dark");
    expect(await ask(better)).toBe(better);
  });
});

describe.each([
  ["structured", true],
  ["tool-calling", false],
])("an answer that invents, planned in %s mode", (_mode, reactV2) => {
  beforeEach(async () => {
    await harness.configure("runtime", { operator: { reactV2 } });
  });

  it("is returned and shown to the model once with its unconfirmed claims, and the better answer is used", async () => {
    harness.models.script(saying(INVENTED, "You have no tasks [1]. No mail was sent."));
    harness.models.requests.splice(0);
    const answer = await harness.ask(GOAL);
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
    expect((await harness.run(answer.runId)).warnings).toEqual([]);

    const isSentBack = ({ messages }: SeenRequest) =>
      JSON.stringify(messages).includes("contains claims that no observation supports");
    const mending = harness.models.chats().filter(isSentBack);
    expect(mending.length).toBeGreaterThan(0);
    for (const { messages } of mending)
      expect(
        messages
          .map(({ content }) => content)
          .join("\n")
          .split(INVENTED),
      ).toHaveLength(2);
  });

  it("is not streamed until it is checked, unlike one without inventions", async () => {
    const words = `The list is short. ${INVENTED} Have a good day!`;
    const script = saying(words);
    harness.models.script(async (request, index) => {
      const reply = await script(request, index);
      return "say" in reply ? { ...reply, pieces: 40 } : reply;
    });
    const stream = { accept: "text/event-stream" };
    const response = await harness.owner.raw("POST", "/api/operator", { goal: GOAL }, stream);
    let streamed = "";
    for await (const { event, data } of readEvents(response))
      if (event === "answer-delta") streamed += Delta.parse(data).text;
    expect(streamed).toContain("The list is short.");
    expect(streamed).toContain("Have a good day!");
    for (const invented of ["sent", "xyz", "45"]) expect(streamed).not.toContain(invented);
  });

  it("is marked at its position if it is repeated, with a warning, and is not remembered", async () => {
    harness.models.script(saying(`The list is empty. ${INVENTED}`));
    const answer = await harness.ask(GOAL);
    expect(answer.outcome).toBe("answered");
    expect(answer.result).toBe(`The list is empty. ${INVENTED} *not confirmed*`);
    expect((await harness.run(answer.runId)).warnings.join()).toContain("out/xyz.md");

    const { body } = await harness.owner.get("/api/memories?type=conversation&limit=100");
    const remembered = JSON.stringify(body);
    expect(remembered).toContain("The list is empty.");
    expect(remembered).not.toContain("out/xyz.md");
    expect(remembered).not.toContain("I sent the mail");

    harness.models.script(saying("I don't know."));
    await harness.ask("get whatever is known of the mail and the 45 tasks into shape somehow");
    const prompt = JSON.stringify(
      harness.models.chats().findLast((one) => purposeOf(one) === "plan")?.messages,
    );
    expect(prompt).not.toContain("I sent the mail");
  });
});

it("does not hold up or touch an answer of general knowledge", async () => {
  await harness.configure("runtime", { operator: { reactV2: false } });
  harness.models.script(() => ({ say: "Mont Blanc is 4,806 m high." }));
  const answer = await harness.ask("how high is the tallest mountain of the Alps, roughly?");
  expect(answer.scratchpad.filter(({ action }) => action === undefined)).toEqual([]);
});

describe("an answer with sentences that code does not refute", () => {
  const TRUE = "The cake is by Helga [1].";
  const MADE_UP = "The plum cake of Helga is her mother's.";
  const QUOTE = "Plum cake by Helga";
  const WEIGHT = "1900 g";
  let cakes = 0;
  const cook = (words: string): Answer => {
    let planned = 0;
    const path = `out/cakes/${String((cakes += 1))}.md`;
    return (request) => {
      if (purposeOf(request) !== "plan") return { say: words };
      return planned++ === 0 ? act("fs_write", { path, content: "Plum cake by Helga, 1900 g" }) : finish;
    };
  };
  const ask = async (words: string) => {
    harness.models.script(cook(words));
    return harness.ask("put the plum cake by Helga, 1900 g, into out/cakes somehow");
  };

  beforeEach(async () => {
    await harness.configure("runtime", {});
    await harness.configure("operator", {});
    harness.models.sentenceChecks.splice(0);
    harness.models.onSentenceCheck = (sentences) =>
      verdicts(sentences, (sentence) => (sentence.includes("mother") ? "not shown" : "shown"), QUOTE);
  });

  it("are compared with the observations in one counted call per attempt; then what is not confirmed is marked and not remembered", async () => {
    const answer = await ask(`${TRUE} ${MADE_UP}`);
    expect(harness.models.sentenceChecks).toHaveLength(2);
    const prompt = harness.models.sentenceChecks[0]?.messages.at(-1)?.content ?? "";
    expect(prompt).toContain(QUOTE);
    expect(prompt.split("Sentences:")[1]).toContain(`1. ${TRUE}\n2. ${MADE_UP}`);
    // "You" is shown by what the evidence says of the person.
    expect(prompt).toContain('The sentences speak to ada: that is "you".');
    const { modelCalls, warnings } = await harness.run(answer.runId);
    expect(modelCalls?.filter(({ purpose }) => purpose === "review")).toHaveLength(2);
    expect(answer.result).toBe(`${TRUE} ${MADE_UP} *not confirmed*`);
    expect(answer.scratchpad.filter(({ action }) => action === undefined)).toHaveLength(1);
    expect(warnings.join()).toContain("her mother");
    const { body } = await harness.owner.get("/api/memories?type=conversation&limit=100");
    expect(JSON.stringify(body)).not.toContain("her mother");
  });

  it("is sent back once if the model finds nothing that confirms it, so that it can be found out", async () => {
    let planned = 0;
    const looks = [
      act("fs_list", { path: "out" }),
      finish,
      act("fs_read", { path: "out/nut-bread.md" }),
      finish,
    ];
    await mkdir(join(harness.profile, "out"), { recursive: true });
    await writeFile(join(harness.profile, "out/nut-bread.md"), "Olga bakes the nut bread on Fridays.");
    const words = "Olga bakes the nut bread.";
    harness.models.script((request) =>
      purposeOf(request) === "plan" ? (looks[planned++] ?? finish) : { say: words },
    );
    harness.models.onSentenceCheck = (sentences) => {
      const isRead = harness.models.sentenceChecks.at(-1)?.messages.at(-1)?.content.includes("on Fridays");
      return verdicts(sentences, () => (isRead ? "shown" : "not shown"), "Olga bakes the nut bread");
    };
    const answer = await harness.ask("who bakes the nut bread, have a look around in my files");
    expect(answer).toMatchObject({ result: words, actions: ["fs_list", "fs_read"] });
  });

  it("is marked in tool-calling mode as well, after it was streamed unchanged", async () => {
    await harness.configure("runtime", { operator: { reactV2: false } });
    const path = `out/cakes/${String((cakes += 1))}.md`;
    let planned = 0;
    // Work after the run before may ask for something else meanwhile.
    harness.models.script((request) =>
      purposeOf(request) === "plan" && planned++ === 0
        ? { call: [{ name: "fs_write", args: { path, content: "Plum cake by Helga, 1900 g" } }] }
        : { say: `${TRUE} ${MADE_UP}`, pieces: 20 },
    );
    const goal = "put the plum cake by Helga into out/cakes somehow";
    const response = await harness.owner.raw(
      "POST",
      "/api/operator",
      { goal },
      { accept: "text/event-stream" },
    );
    let streamed = "";
    let runId = "";
    for await (const { event, data } of readEvents(response)) {
      if (event === "answer-delta") streamed += Delta.parse(data).text;
      if (event === "run-ended") runId = Ended.parse(data).runId;
    }
    // The last mark comes with the end of the answer.
    expect(streamed).toContain(MADE_UP.slice(0, -1));
    expect((await harness.run(runId)).result).toBe(`${TRUE} ${MADE_UP} *not confirmed*`);
  });

  describe("with a number that code doubts", () => {
    const DERIVED = "At that weight it feeds 23 guests.";
    const verdictOn = (verdict: "worked out" | "shown" | "not shown", quote = QUOTE): void => {
      harness.models.onSentenceCheck = (sentences) =>
        verdicts(sentences, (sentence) => (sentence === TRUE ? "shown" : verdict), quote);
    };
    const sentBack = (answer: Awaited<ReturnType<typeof ask>>) =>
      answer.scratchpad.filter(({ action }) => action === undefined);

    it("stays without a mark or another attempt if the model confirms it", async () => {
      verdictOn("worked out", WEIGHT);
      const answer = await ask(`${TRUE} ${DERIVED}`);
      expect(answer.result).toBe(`${TRUE} ${DERIVED}`);
      expect(sentBack(answer)).toEqual([]);
      expect(harness.models.sentenceChecks).toHaveLength(1);
      expect((await harness.run(answer.runId)).warnings).toEqual([]);
    });

    it("is returned if the model finds it only in a text that the operator wrote itself", async () => {
      verdictOn("worked out", WEIGHT);
      harness.models.script(cook(`${TRUE} ${DERIVED}`));
      const answer = await harness.ask("put the plum cake by Helga into out/cakes somehow");
      expect(answer.result).toBe(`${TRUE} ${DERIVED} *not confirmed*`);
      expect(sentBack(answer)).toHaveLength(1);
    });

    it("is checked together with the sentences that code cannot decide", async () => {
      await ask(`${DERIVED} ${MADE_UP}`);
      const [first] = harness.models.sentenceChecks;
      const asked = first?.messages.at(-1)?.content.split("Sentences:")[1];
      expect(asked).toContain(DERIVED);
      expect(asked).toContain(MADE_UP);
    });

    it("is returned once and then marked if the model does not confirm it either", async () => {
      verdictOn("not shown");
      const invented = "At that weight it feeds 31 guests.";
      const answer = await ask(`${TRUE} ${invented}`);
      expect(answer.result).toBe(`${TRUE} ${invented} *not confirmed*`);
      expect(sentBack(answer)).toHaveLength(1);
      expect(harness.models.sentenceChecks).toHaveLength(2);
      const { body } = await harness.owner.get("/api/memories?type=conversation&limit=100");
      expect(JSON.stringify(body)).not.toContain("31 guests");
    });

    it("is returned without a check by the model if code refutes another sentence", async () => {
      verdictOn("worked out", WEIGHT);
      const answer = await ask(`${DERIVED} It is in out/ghost.md.`);
      const [rejected] = sentBack(answer);
      expect(rejected?.observation?.content).toContain("out/ghost.md");
      expect(rejected?.observation?.content).not.toContain("23");
      const [words, changes] = answer.result.split("\n\n");
      expect(words).toBe(`${DERIVED} It is in out/ghost.md. *not confirmed*`);
      expect(changes).toMatch(/^Created out\/cakes\//u);
      expect(harness.models.sentenceChecks).toHaveLength(1);
    });

    it.each([
      ["the model gives no verdict", () => ({ say: "Looks good!" })],
      [
        "the model confirms it by words that the evidence does not contain",
        (sentences: readonly string[]) => verdicts(sentences, () => "worked out", "it feeds 23 guests"),
      ],
    ])("is marked by the code's verdict if %s", async (_, reply) => {
      harness.models.onSentenceCheck = reply;
      const answer = await ask(`${TRUE} ${DERIVED}`);
      expect(answer.result).toBe(`${TRUE} ${DERIVED} *not confirmed*`);
      expect(sentBack(answer)).toHaveLength(1);
    });

    it("is marked by the code's verdict if the check by a model is disabled", async () => {
      await harness.configure("operator", { answers: { checkWithModel: false } });
      const answer = await ask(`${TRUE} ${DERIVED}`);
      expect(answer.result).toBe(`${TRUE} ${DERIVED} *not confirmed*`);
      expect(sentBack(answer)).toHaveLength(1);
      expect(harness.models.sentenceChecks).toEqual([]);
    });
  });

  it("stays unchanged if the model gives no verdict", async () => {
    harness.models.onSentenceCheck = () => ({ say: "Looks good!" });
    const answer = await ask(`${TRUE} ${MADE_UP}`);
    expect(answer).toMatchObject({ outcome: "answered", result: `${TRUE} ${MADE_UP}` });
  });

  it("stays unchanged, with a warning, if the model confirms nothing at all", async () => {
    harness.models.onSentenceCheck = (sentences) => verdicts(sentences, () => "not shown");
    const words = `${TRUE} ${MADE_UP} The plum cake of Helga is hers.`;
    const answer = await ask(words);
    expect(answer.result).toBe(words);
    expect((await harness.run(answer.runId)).warnings.join()).toContain("its check was not used");
  });

  it("needs no call of the model if the check is disabled", async () => {
    await harness.configure("operator", { answers: { checkWithModel: false } });
    expect((await ask(`${TRUE} ${MADE_UP}`)).result).toBe(`${TRUE} ${MADE_UP}`);
    expect(harness.models.sentenceChecks).toEqual([]);
  });
});
