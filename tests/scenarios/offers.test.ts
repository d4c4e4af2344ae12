import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { mh, mhInTerminal } from "../support/cli.ts";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";
import { CONTACT_RECIPE, SOWING_RECIPE } from "../support/sample-recipes.ts";

// The likely function is offered with all its calls; a person decides, and both answers are remembered.

let harness: LearningHarness;
beforeAll(async () => {
  harness = await openLearningHarness();
});
afterAll(() => harness.server.dispose());

const UNSURE = "Tom Ash should be in my contacts, his e-mail is tom@ash.example";
/** Its file is a value. */
const SHIFT_RECIPE = {
  title: "Note a shift",
  summary: "Adds a line to a file of shifts.",
  steps: ["Append a line to the shifts"],
  skillsUsed: ["fs_append"],
  kind: "recipe",
  parameters: [
    { name: "file", type: "path", description: "The shifts", required: true },
    { name: "person", type: "string", description: "Who works", required: true },
    { name: "day", type: "date", description: "When", required: true },
  ],
  examples: [
    {
      prompt: "note in shifts/bakery.md that Jonas covers the bakery shift on 2026-12-03",
      parameters: { file: "shifts/bakery.md", person: "Jonas", day: "2026-12-03" },
    },
  ],
  recipe: {
    promptTemplates: ["note in {file} that {person} covers the bakery shift on {day}"],
    actions: [{ skill: "fs_append", args: { path: "${file}", text: "- ${day}: ${person}" }, expect: [] }],
  },
};
const OTHER = UNSURE.replace("Tom Ash", "Ida Holm").replace("tom@ash", "ida@holm");

describe("a request that a function likely means", () => {
  let functionId = "";
  beforeAll(async () => {
    const { id } = await harness.write(CONTACT_RECIPE);
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    functionId = id;
  });

  it("is answered with an offer that names values and calls, and nothing is done", async () => {
    const answer = await harness.ask(UNSURE);
    expect(answer).toMatchObject({
      outcome: "answered",
      planner: "built-in",
      actions: [],
      offers: [
        {
          functionId,
          title: "Add a contact",
          values: { name: "Tom Ash", email: "tom@ash.example" },
          calls: [{ tool: "fs_append", args: { path: "contacts.md", text: "- Tom Ash <tom@ash.example>" } }],
        },
      ],
    });
    expect((await harness.run(answer.runId)).offers).toEqual(answer.offers);
    expect(answer.result).toContain(
      "Add text at the end of a file: contacts.md, “- Tom Ash <tom@ash.example>”",
    );
    await expect(harness.file("contacts.md")).rejects.toThrow("ENOENT");
    expect((await harness.load(functionId)).stats.executions).toBe(0);
  });

  it("is refused with 409 if the function is at another version, and with 422 for unusable values", async () => {
    const { offers = [], runId } = await harness.ask(UNSURE);
    const [{ version, values } = { version: 0, values: {} }] = offers;
    const follow = { functionId, version, values, runId };
    const post = (changed: object) =>
      harness.owner.post("/api/operator", { goal: UNSURE, follow: { ...follow, ...changed } });
    expect((await post({ version: version + 1 })).status).toBe(409);
    expect((await post({ values: { name: "Tom Ash" } })).status).toBe(422);
    await expect(harness.file("contacts.md")).rejects.toThrow("ENOENT");
  });

  it("is refused with 422 and the reason if a value makes a path that cannot be used", async () => {
    const { id } = await harness.write(SHIFT_RECIPE);
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    const goal = "bakery shift in shifts/bakery.md 2026-12-04: Ines";
    const { offers = [], runId } = await harness.ask(goal);
    const [{ values } = { values: {} }] = offers;
    expect(values).toEqual({ file: "shifts/bakery.md", person: "Ines", day: "2026-12-04" });
    const post = (file: string) =>
      harness.owner.post("/api/operator", {
        goal,
        follow: { functionId: id, version: 1, values: { ...values, file }, runId },
      });
    for (const [file, reason] of [
      ["../../etc/passwd", "it points to another folder"],
      ["/etc/passwd", "it is absolute"],
      ["shifts/con.md", "it is the name of a device on Windows"],
    ] as const) {
      const refused = await post(file);
      expect(refused.status).toBe(422);
      const message = `The path ${JSON.stringify(file)} cannot be used: ${reason}.`;
      expect(refused.body).toMatchObject({
        error: { code: "INVALID_ARGS", details: { issues: [{ path: "file", message }] } },
      });
    }
    expect((await harness.load(id)).taught ?? []).toEqual([]);
    expect((await post("shifts/north.md")).body).toMatchObject({ outcome: "answered", planner: "replay" });
    expect(await harness.file("shifts/north.md")).toContain("- 2026-12-04: Ines");
  });

  it("is not offered again for words that a person refused, until that is undone", async () => {
    const { runId } = await harness.ask(UNSURE);
    const no = { verdict: "not_useful", functionId };
    expect((await harness.owner.post(`/api/runs/${runId}/feedback`, no)).status).toBe(200);
    expect((await harness.ask(UNSURE)).offers).toBeUndefined();
    expect((await harness.ask(OTHER)).offers).toBeUndefined();

    const [wording] = (await harness.load(functionId)).refused ?? [];
    const history = await harness.owner.get(`/api/functions/${functionId}/versions`);
    expect(history.body).toMatchObject({
      items: [{ version: 1 }],
      templates: [{ id: wording?.id, kind: "refused", template: wording?.template, by: "ada" }],
    });
    expect((await harness.load(functionId)).stats).toMatchObject({ executions: 0, failures: 0 });
    const path = `/api/functions/${functionId}/templates/${String(wording?.id)}`;
    expect((await harness.owner.send("DELETE", path)).status).toBe(200);
    expect((await harness.ask(UNSURE)).offers).toHaveLength(1);
    expect((await harness.owner.send("DELETE", path)).status).toBe(404);
  });

  it("is executed when a person accepts it, and teaches the function these words for other values", async () => {
    const { offers = [], runId } = await harness.ask(UNSURE);
    const [{ version, values } = { version: 0, values: {} }] = offers;
    const followed = await harness.owner.post("/api/operator", {
      goal: UNSURE,
      follow: { functionId, version, values, runId },
    });
    expect(followed.body).toMatchObject({ outcome: "answered", planner: "replay", actions: ["fs_append"] });
    expect(await harness.file("contacts.md")).toContain("- Tom Ash <tom@ash.example>");

    expect(await harness.load(functionId)).toMatchObject({
      version,
      trust: "verified",
      taught: [{ template: "{name} should be in my contacts, his e-mail is {email}" }],
    });
    expect(await harness.ask(OTHER)).toMatchObject({ planner: "replay", usage: { planningCalls: 0 } });
    expect(await harness.file("contacts.md")).toContain("- Ida Holm <ida@holm.example>");
  });

  it("teaches words that mh shows and forgets, after which they are offered again", async () => {
    const functions = (...args: string[]) => mh(harness.server.home, ["functions", ...args]);
    const [wording] = (await harness.load(functionId)).taught ?? [];
    const shown = await functions("show", functionId);
    expect(shown.out).toContain(String(wording?.id));
    expect(shown.out).toContain(String(wording?.template));
    const history = await functions("history", functionId);
    expect(history.out).toMatch(/taught +.* ada +“\{name\} should be in my contacts,.* tmpl-/u);
    const forgotten = await functions("forget-words", functionId, String(wording?.id));
    expect([forgotten.code, forgotten.out]).toEqual([0, "Add a contact: this wording is forgotten.\n"]);
    expect(await harness.ask(OTHER)).toMatchObject({ planner: "built-in", offers: [{ functionId }] });
    const again = await functions("forget-words", functionId, String(wording?.id));
    expect(again.code).not.toBe(0);
    expect(again.err).toContain("This function has no such wording.");
  });

  it("is executed after a message that only agrees, as after its button", async () => {
    const offered = await harness.ask(OTHER);
    expect(offered.offers).toHaveLength(1);
    const { conversationId } = offered;
    const unclear = await harness.owner.post("/api/operator", { goal: "yes, but tomorrow", conversationId });
    expect(unclear.body).not.toMatchObject({ planner: "replay" });

    const again = await harness.ask(OTHER);
    const agreed = await harness.owner.post("/api/operator", {
      goal: "Yes please!",
      conversationId: again.conversationId,
    });
    expect(agreed.body).toMatchObject({ outcome: "answered", planner: "replay", actions: ["fs_append"] });
    const [wording] = (await harness.load(functionId)).taught ?? [];
    expect(wording?.template).toBe("{name} should be in my contacts, his e-mail is {email}");
    const path = `/api/functions/${functionId}/templates/${String(wording?.id)}`;
    expect((await harness.owner.send("DELETE", path)).status).toBe(200);
  });

  it("is not made again after a message that only refuses, as after its button", async () => {
    const asked = await harness.ask(OTHER);
    expect(asked.offers).toHaveLength(1);
    const { conversationId } = asked;
    const { body } = await harness.owner.post("/api/operator", { goal: "no thanks", conversationId });
    expect(body).toMatchObject({ outcome: "answered", actions: [], planner: "built-in" });
    expect(OperatorAnswer.parse(body).result).toContain("nothing was done");
    expect((await harness.ask(UNSURE)).offers).toBeUndefined();
    const [words] = (await harness.load(functionId)).refused ?? [];
    expect(words?.template).toBe("{name} should be in my contacts, his e-mail is {email}");
    const path = `/api/functions/${functionId}/templates/${String(words?.id)}`;
    expect((await harness.owner.send("DELETE", path)).status).toBe(200);
  });

  it("is asked about again if several are offered and the reply names none of them", async () => {
    const { id } = await harness.write({
      ...CONTACT_RECIPE,
      title: "Add a supplier",
      summary: "Adds a person and their mail address to the suppliers.",
      recipe: {
        ...CONTACT_RECIPE.recipe,
        actions: [
          { skill: "fs_append", args: { path: "suppliers.md", text: "- ${name} <${email}>" }, expect: [] },
        ],
      },
    });
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    const request = "Kai Moll should be in my contacts, his e-mail is kai@moll.example";
    const { offers = [], conversationId } = await harness.ask(request);
    expect(offers).toHaveLength(2);
    const reply = async (goal: string) =>
      OperatorAnswer.parse((await harness.owner.post("/api/operator", { goal, conversationId })).body);

    expect(await reply("yup")).toMatchObject({ actions: [], offers });
    const unclear = await reply("yes");
    expect(unclear).toMatchObject({ actions: [], offers });
    expect(unclear.result).toMatch(/^Which one do you mean\?.*1\. “.*2\. “/su);
    const chosen = await reply("the second one");
    expect(chosen).toMatchObject({ planner: "replay", actions: ["fs_append"] });
    expect(chosen.functionsUsed).toMatchObject([{ id: offers[1]?.functionId }]);
    const taught = (await harness.load(String(offers[1]?.functionId))).taught ?? [];
    expect(taught.map(({ template }) => template)).toEqual([
      "{name} should be in my contacts, his e-mail is {email}",
    ]);
    await harness.owner.send("DELETE", `/api/functions/${id}`);
    const path = `/api/functions/${functionId}/templates/${String(taught[0]?.id)}`;
    await harness.owner.send("DELETE", path);
  });

  it("teaches nothing if a value is not in the words", async () => {
    const request = "new contact Ben Ray <ben@ray.example>, met him at the fair";
    const { offers: [offer] = [], runId } = await harness.ask(request);
    const before = (await harness.load(functionId)).taught;
    const values = { name: "Somebody Else", email: "ben@ray.example" };
    const follow = { functionId, version: offer?.version, values, runId };
    const { body } = await harness.owner.post("/api/operator", { goal: request, follow });
    expect(body).toMatchObject({ outcome: "answered", planner: "replay" });
    expect((await harness.load(functionId)).taught).toEqual(before);
  });
});

describe("an offer of a function whose steps use earlier results", () => {
  it("names these results in words, or by the value that the step is given", async () => {
    const { id } = await harness.write({
      ...CONTACT_RECIPE,
      title: "Start a trip file",
      skillsUsed: ["fs_write", "fs_read", "fs_append"],
      parameters: [
        { name: "path", type: "path", description: "the file", required: true },
        { name: "text", type: "string", description: "the first line", required: true },
      ],
      examples: [
        {
          prompt: "start a trip file: trips/oslo.md, tent",
          parameters: { path: "trips/oslo.md", text: "tent" },
        },
      ],
      recipe: {
        promptTemplates: ["start a trip file: {path}, {text}"],
        actions: [
          { skill: "fs_write", args: { path: "${path}", content: "${text}" }, expect: [] },
          { skill: "fs_read", args: { path: "${steps.1.path}" }, expect: [] },
          { skill: "fs_append", args: { path: "${steps.2.path}", text: "${steps.2.bytes}" }, expect: [] },
        ],
      },
    });
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    const { offers, result } = await harness.ask(
      "there should be a trip file trips/voss.md, starting with helmet",
    );
    expect(offers?.[0]).toMatchObject({
      functionId: id,
      calls: [{}, { args: { path: "${steps.1.path}" } }, {}],
    });
    expect(result).toContain("2. Read a text file: trips/voss.md");
    expect(result).toContain("3. Add text at the end of a file: trips/voss.md, “the bytes of step 2”");
  });
});

describe("an offer in the terminal", () => {
  const ask = (request: string, ...keys: (readonly [string, string])[]) =>
    mhInTerminal(harness.server.home, ["operator", request], keys);

  it("is executed after yes", async () => {
    const { code, err, screen } = await ask(
      "Nora Berg should be in our contacts, her e-mail is nora@berg.example",
      ["Do it: Add a contact?", "y"],
    );
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining("With other values") });
    expect(err).toContain("Nothing has been done yet");
    expect(await harness.file("contacts.md")).toContain("- Nora Berg <nora@berg.example>");
  });

  it("is executed with the values that are typed", async () => {
    const keys = [["Do it", "v"] as const, ["name", "-Lund\r"] as const, ["email", ".org\r"] as const];
    const request = "a colleague, Olaf Berg, his mail is olaf@berg.example, note him with my contacts";
    const { code } = await ask(request, ...keys);
    expect(code).toBe(0);
    expect(await harness.file("contacts.md")).toContain("- Olaf Berg-Lund <olaf@berg.example.org>");
  });

  it("is asked about again, with the reason, after a value that cannot be used", async () => {
    const keys = [
      ["Do it", "v"],
      ["file", "/../../..\r"],
      ["person", "\r"],
      ["day", "\r"],
      ["Do it", "y"],
    ] as const;
    const { code, err } = await ask("bakery shift in shifts/south.md 2026-12-05: Ines", ...keys);
    expect(err).toContain('The path "shifts/south.md/../../.." cannot be used: it points to another folder.');
    expect(code).toBe(0);
    expect(await harness.file("shifts/south.md")).toContain("- 2026-12-05: Ines");
  });

  it("is not made again for words that were answered with no, and nothing is done", async () => {
    const before = await harness.file("contacts.md");
    const request = "a neighbor, Pia Berg, her mail is pia@berg.example, note her with my contacts";
    const asked = await ask(request, ["Do it: Add a contact?", "n"]);
    expect(asked.screen).toContain("Do it: Add a contact?");
    const again = await ask(request);
    expect(again.screen).not.toContain("Do it");
    expect(await harness.file("contacts.md")).toBe(before);
  });
});

describe("a value that a person types into the form of an offer", () => {
  it("counts as named by the person, also if a step of the function reads it", async () => {
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto", skillOverrides: {} });
    const { id, version } = await harness.write({
      title: "Bin a page",
      summary: "Shows a page and deletes it.",
      steps: ["Read the page", "Delete the page"],
      skillsUsed: ["fs_read", "fs_delete"],
      kind: "recipe",
      parameters: [{ name: "path", type: "path", description: "the page", required: true }],
      examples: [{ prompt: "bin the page pages/one.md", parameters: { path: "pages/one.md" } }],
      recipe: {
        promptTemplates: ["bin the page {path}"],
        actions: [
          { skill: "fs_read", args: { path: "${path}" }, expect: [] },
          { skill: "fs_delete", args: { path: "${path}" }, expect: [] },
        ],
      },
    });
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    for (const name of ["one", "two"])
      await harness.ask(`create a file pages/${name}.md with the text "This is pages/${name}.md."`);
    const follow = { functionId: id, version, values: { path: "pages/two.md" } };
    const goal = "the page pages/one.md has had its day, so bin it";
    const { status, body } = await harness.owner.post("/api/operator", { goal, follow });
    expect([status, body]).toMatchObject([200, { actions: ["fs_read", "fs_delete"], outcome: "answered" }]);
    await expect(harness.file("pages/two.md")).rejects.toThrow("ENOENT");
    expect(await harness.file("pages/one.md")).toContain("pages/one.md");
  });
});

describe("a question about a function", () => {
  const say = async (goal: string, conversationId?: string): Promise<OperatorAnswer> => {
    const body = { goal, ...(conversationId && { conversationId }) };
    return OperatorAnswer.parse((await harness.owner.post("/api/operator", body)).body);
  };

  it("is answered for the function that the conversation was about, or that it names", async () => {
    const { conversationId } = await say("bakery shift in shifts/east.md 2026-12-06: Ines");
    const answer = await say("what does this function do?", conversationId);
    expect(answer).toMatchObject({ outcome: "answered", actions: ["function_load"] });
    expect(answer.result).toContain("Adds a line to a file of shifts.");
    expect((await say("what does the shift function do")).result).toContain(
      "Adds a line to a file of shifts.",
    );
  });

  it("lists the functions if the conversation was about none", async () => {
    const answer = await say("what does this function do");
    expect(answer).toMatchObject({ outcome: "answered", actions: ["function_list"] });
    expect(answer.result).toContain("Note a shift");
  });

  it("says where to look at a draft that was just learned", async () => {
    const learned = await say(
      'create a file dives/one.md with the text "deep", append "cold" to it and read it',
    );
    expect(learned.learnedFunction).toBeDefined();
    const { result } = await say("what does this function do", learned.conversationId);
    expect(result).toContain("is a draft. Look at it on the page Functions");
  });
});

describe("a request to run a function by its title", () => {
  it("asks for each value that the request lacks, and runs the function with the answers", async () => {
    const parameters = [
      { name: "plant", type: "string", description: "What was sown", required: true },
      { name: "rowCount", type: "number", description: "", required: true },
    ];
    const [action] = SOWING_RECIPE.recipe.actions;
    const args = { path: "rows.md", text: "${rowCount} of ${plant}" };
    const { id } = await harness.write({
      ...SOWING_RECIPE,
      title: "Note the rows",
      parameters,
      examples: [{ prompt: "note 2 rows of beans", parameters: { plant: "beans", rowCount: 2 } }],
      recipe: { promptTemplates: ["note {rowCount} rows of {plant}"], actions: [{ ...action, args }] },
    });
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    const { body } = await harness.owner.post("/api/operator", { goal: "run the function Note the rows" });
    const { runId } = OperatorPending.parse(body);
    const question = async () => (await harness.run(runId)).pending;
    const reply = (text: string) => harness.owner.post(`/api/runs/${runId}/answer`, { text });
    expect(await question()).toMatchObject({
      question: "What is the plant for “Note the rows”? (What was sown)",
    });
    expect((await harness.run(runId)).scratchpad.at(-1)?.thought).toBe(
      "“run the function Note the rows” lacks a value; the person gives it.",
    );
    await reply("leeks");
    await expect.poll(question).toMatchObject({ question: "What is the row count for “Note the rows”?" });
    await reply("3");
    await expect.poll(async () => (await harness.run(runId)).status).toBe("ended");
    expect(await harness.run(runId)).toMatchObject({ outcome: "answered" });
    expect(await harness.file("rows.md")).toContain("3 of leeks");
  });
});
