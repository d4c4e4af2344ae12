import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { FunctionMemory } from "@metahuman/core/contract/function";
import type { OperatorAnswer } from "@metahuman/core/contract/http";
import { FunctionPage, FunctionProposalPage } from "@metahuman/core/contract/answers";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";
import { act, openModelHarness, play, type ModelHarness } from "../support/model-harness.ts";

// Differences between requests become parameters, and a second request of the same kind generalizes the function.

const One = z.object({ function: FunctionMemory });
type Call = [tool: string, args: Record<string, unknown>];

const member = (name: string): Call[] => [
  ["fs_append", { path: "members.csv", text: `${name},active` }],
  ["task_create", { title: `Print a card for ${name}` }],
];
const phoned = (name: string, topic: string, due?: string): Call[] => [
  ["fs_append", { path: "calls.md", text: `- ${name}: ${topic}` }],
  ["task_create", { title: `Ring ${name} back`, ...(due !== undefined && { due }) }],
];
const project = (name: string, folder: string): Call[] => [
  ["fs_mkdir", { path: `projects/${folder}` }],
  ["fs_write", { path: `projects/${folder}/README.md`, content: `# ${name}\n` }],
];

const argsOf = ({ recipe }: FunctionMemory): unknown[] => recipe?.actions.map(({ args }) => args) ?? [];

describe("runs of a model", () => {
  let harness: ModelHarness;
  beforeAll(async () => {
    harness = await openModelHarness();
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto", skillOverrides: {} });
    const names = ["a", "b", "c", "d", "drafts/song", "drafts/poem", "sent/one", "letters/ann", "post/bob"];
    for (const name of names) {
      const path = join(harness.profile, "out", `${name}.md`);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `This is ${name}.md.\n`);
    }
  });
  afterAll(() => harness.close());

  /** The answer to a request that a model plans as these calls. */
  async function carriedOut(goal: string, calls: readonly Call[]): Promise<OperatorAnswer> {
    await harness.set({ answer: play(calls.map(([tool, args]) => act(tool, args))) });
    const answer = await harness.ask(goal);
    expect(answer.outcome).toBe("answered");
    return answer;
  }

  async function load(id: string): Promise<FunctionMemory> {
    return One.parse((await harness.owner.get(`/api/functions/${id}`)).body).function;
  }

  async function learnedFrom(goal: string, calls: readonly Call[]): Promise<FunctionMemory> {
    const { learnedFunction, runId } = await carriedOut(goal, calls);
    return load(learnedFunction?.id ?? `nothing was learned from ${runId}`);
  }

  async function promote(id: string): Promise<void> {
    const promoted = await harness.owner.post("/api/functions/promote", { id });
    expect([promoted.status, promoted.body]).toMatchObject([200, { verification: { ok: true } }]);
  }

  it("have one parameter for a folder that two calls use, and that another request names", async () => {
    const draft = await learnedFrom("move a.md and b.md to archive/", [
      ["fs_move", { from: "a.md", to: "archive/a.md" }],
      ["fs_move", { from: "b.md", to: "archive/b.md" }],
    ]);
    expect(draft.recipe?.promptTemplates).toEqual(["move {from} and {file} to {folder}"]);
    expect(argsOf(draft)).toEqual([
      { from: "${from}", to: "${folder}/${from|name}" },
      { from: "${file}", to: "${folder}/${file|name}" },
    ]);
    await promote(draft.id);
    const again = await carriedOut("move drafts/song.md and d.md to done/", []);
    expect(again).toMatchObject({ planner: "replay", actions: ["fs_move", "fs_move"] });
    expect((await harness.owner.get("/api/files?path=out/done")).body).toMatchObject({
      items: [{ name: "d.md" }, { name: "song.md" }],
    });
  });

  it("keep a file's name if only its folder changes", async () => {
    const draft = await learnedFrom(
      "get letters/ann.md ready to go: a second one in sent/, and what lies beside it",
      [
        ["fs_read", { path: "letters/ann.md" }],
        ["fs_copy", { from: "letters/ann.md", to: "sent/ann.md" }],
        ["fs_list", { path: "letters" }],
      ],
    );
    expect(draft.kind).toBe("recipe");
    expect(argsOf(draft)).toEqual([
      { path: "${path}" },
      { from: "${path}", to: "${folder}/${path|name}" },
      { path: "${path|folder}" },
    ]);
    await promote(draft.id);
    const parameters = { path: "post/bob.md", folder: "sent" };
    const { body } = await harness.owner.post(`/api/functions/${draft.id}/run`, { parameters });
    const { scratchpad } = await harness.run(z.object({ runId: z.string() }).parse(body).runId);
    expect(scratchpad.at(-1)?.observation).toMatchObject({ success: true });
    expect((await harness.owner.get("/api/files?path=out/sent")).body).toMatchObject({
      items: [{ name: "ann.md" }, { name: "bob.md" }, { name: "one.md" }],
    });
  });

  it("are examples of one function if one repeats a file name and the other uses “it”", async () => {
    const draft = await learnedFrom('create hike/one.md with "boots", add "map" to it and show it', [
      ["fs_write", { path: "hike/one.md", content: "boots" }],
      ["fs_append", { path: "out/hike/one.md", text: "map" }],
      ["fs_read", { path: "out/hike/one.md" }],
    ]);
    const again = await carriedOut(
      'start hike/two.md with the words "hat", put "rope" at the end of hike/two.md and then show hike/two.md',
      [
        ["fs_write", { path: "hike/two.md", content: "hat" }],
        ["fs_append", { path: "hike/two.md", text: "rope" }],
        ["fs_read", { path: "hike/two.md" }],
      ],
    );
    expect(again.learnedFunction).toBeUndefined();
    const widened = await load(draft.id);
    expect(argsOf(widened)).toEqual(argsOf(draft));
    expect(widened.recipe?.promptTemplates[1]).toBe(
      "start {path} with the words {content}, put {text} at the end of {path} and then show {path}",
    );
  });

  it("of guides are examples of one guide if only the wording and the values differ", async () => {
    const run = (name: string): Call[] => [
      ["fs_mkdir", { path: `customers/${name.toLowerCase()}` }],
      ["fs_write", { path: `customers/${name.toLowerCase()}/notes.md`, content: name }],
      ["task_create", { title: `Send a welcome to ${name}` }],
    ];
    const draft = await learnedFrom("new client Dune", run("Dune"));
    expect(draft.kind).toBe("guide");
    const again = await carriedOut("somebody else hired us, they are called Esso", run("Esso"));
    expect(again.learnedFunction).toBeUndefined();
    expect((await load(draft.id)).examples).toHaveLength(2);
  });

  describe("of one job in three different wordings", () => {
    it.each<[string, Record<string, unknown>[], [string, Call[]][]]>([
      [
        "compose the same text around a name",
        [{ path: "${path}", text: "${name},active" }, { title: "Print a card for ${name}" }],
        [
          [
            "Nina Falk joined the club today. Add her to members.csv and add a task to print a card for Nina Falk",
            member("Nina Falk"),
          ],
          [
            "we have a new member, Tom Ude! members.csv please, and someone has to print his card, add the task",
            member("Tom Ude"),
          ],
          ["new in the club: Ada Voss -> members.csv + task card", member("Ada Voss")],
        ],
      ],
      [
        "say a day only sometimes",
        [
          { path: "${path}", text: "- ${name}: ${text}" },
          { title: "Ring ${name} back", due: "${due}" },
        ],
        [
          [
            "Lena Brandt called about the gate, please log it in calls.md and remind me to ring her back by 4 December",
            phoned("Lena Brandt", "the gate", "2026-12-04"),
          ],
          [
            "phone call from Omar Said, topic: broken window. put it in calls.md and make a task to ring back",
            phoned("Omar Said", "broken window"),
          ],
          [
            "can you note that Mrs Li phoned because of invoice 44 (calls.md as always) and that I have to ring back Mrs Li",
            phoned("Mrs Li", "invoice 44"),
          ],
        ],
      ],
      [
        "name the place only once",
        [{ path: "${path}" }, { path: "${path2}", content: "# ${name}\n" }],
        [
          [
            "start a new project called Lighthouse: folder projects/lighthouse with a readme in it",
            project("Lighthouse", "lighthouse"),
          ],
          ["I need a place for the Orchard project, with a readme", project("Orchard", "orchard")],
          ['set me up for "Tide Pools" the usual way', project("Tide Pools", "tide-pools")],
        ],
      ],
    ])("become one recipe with three examples if they %s", async (_, args, runs) => {
      const drafts: (string | undefined)[] = [];
      for (const [goal, calls] of runs) drafts.push((await carriedOut(goal, calls)).learnedFunction?.id);
      const [id = "", ...others] = drafts;
      expect(others).toEqual([undefined, undefined]);
      const learned = await load(id);
      expect(learned).toMatchObject({
        kind: "recipe",
        recipe: { actions: args.map((one) => ({ args: one })) },
      });
      expect(learned.recipe?.promptTemplates).toHaveLength(3);
      expect(learned.examples.map(({ prompt }) => prompt)).toEqual(runs.map(([goal]) => goal));
      await promote(id);
    });
  });

  it("compose a text about another topic with the same recipe", async () => {
    const spent = (topic: string, month: string): [string, Call[]] => [
      `what did we spend on ${topic} in ${month}.csv? write it to ${topic}-${month}.md`,
      [
        ["fs_read", { path: `${month}.csv` }],
        ["fs_write", { path: `${topic}-${month}.md`, content: `In ${month}.csv: ${topic}, amount` }],
      ],
    ];
    for (const month of ["may", "june"])
      await writeFile(join(harness.profile, "out", `${month}.csv`), "category,amount\ntravel,40\nfood,12\n");
    const draft = await learnedFrom(...spent("travel", "may"));
    expect((await carriedOut(...spent("food", "june"))).learnedFunction).toBeUndefined();
    const widened = await load(draft.id);
    expect(widened).toMatchObject({
      title: "What did we spend on … in …? write it to …",
      recipe: { promptTemplates: ["what did we spend on {topic} in {path}? write it to {file}"] },
      examples: [{ parameters: { topic: "travel" } }, { parameters: { topic: "food" } }],
    });
    expect(widened.steps.join("\n")).not.toContain("travel");
  });
});

describe("runs without a model", () => {
  let harness: LearningHarness;
  beforeAll(async () => {
    harness = await openLearningHarness();
  });
  afterAll(() => harness.server.dispose());

  const functions = async (): Promise<FunctionMemory[]> =>
    FunctionPage.parse((await harness.owner.get("/api/functions?limit=100")).body).items;

  it("have one slot for a file that the request names twice", async () => {
    const draft = await harness.learnFrom('write "3 eggs" to cake.md, copy cake.md to backup/cake.md');
    expect(draft.recipe?.promptTemplates).toEqual(["write {content} to {path}, copy {path} to {to}"]);
    await harness.promote(draft.id);
    const again = await harness.ask('write "2 eggs" to pie.md, copy pie.md to backup/pie.md');
    expect(again.planner).toBe("replay");
    expect(await harness.file("backup/pie.md")).toBe("2 eggs");
    const other = await harness.ask('write "5 eggs" to bun.md, copy pie.md to backup/bun.md');
    expect(other.planner).not.toBe("replay");
    expect(await harness.file("backup/bun.md")).toBe("2 eggs");
  });

  it("extend the first function when another one is requested in other words", async () => {
    const draft = await harness.learnFrom(
      'make the folder clients/acme and create clients/acme/notes.md saying "call back"',
    );
    const again = await harness.ask(
      'set up a folder for clients/dune, and then write "send the offer" to clients/dune/plan.md',
    );
    await expect.poll(async () => (await harness.load(draft.id)).examples.length).toBe(2);
    expect((await harness.run(again.runId)).learnedFunction).toBeUndefined();
    expect((await functions()).filter(({ skillsUsed }) => skillsUsed.includes("fs_mkdir"))).toHaveLength(1);

    const { function: verified } = await harness.promote(draft.id);
    expect(verified).toMatchObject({ trust: "verified", verification: { ok: true } });
    const settings = join(harness.server.home, "etc/operator.json");
    await mkdir(dirname(settings), { recursive: true });
    await writeFile(settings, JSON.stringify({ functions: { prefer: false } }));
    await harness.ask('create a directory clients/esso and save "hello" as clients/esso/start.md');
    await rm(settings);
    const proposals = await harness.owner.get(`/api/functions/${draft.id}/proposals`);
    expect(FunctionProposalPage.parse(proposals.body).items).toHaveLength(1);
    // The live version and its report stay until a person accepts the proposal.
    const { offeredCount: _offered, ...served } = await harness.load(draft.id);
    const { offeredCount: _before, ...proven } = verified;
    expect(served).toEqual(proven);
  });

  it("have one parameter for each value that their texts share, and answer to other words", async () => {
    const request = (name: string, file: string, berth: string, fee: number, due: string): string =>
      `new member ${name}: create a file members/${file}.md with the text "Berth ${berth}, fee ${String(fee)}", add a task to send ${name} the harbour rules by ${due} and append "${name}, ${berth}" to berths.md`;
    const { id } = await harness.learnFrom(request("Sanna Virta", "sanna-virta", "A12", 180, "3 march"));
    await harness.ask(request("Kalle Salo", "kalle-salo", "B7", 240, "3 march"));
    await expect.poll(async () => (await harness.load(id)).examples.length).toBe(2);
    await harness.ask(request("Liisa Ranta", "liisa-ranta", "C3", 90, "9 april"));
    await expect.poll(async () => (await harness.load(id)).examples.length).toBe(3);
    const { function: learned } = await harness.promote(id);
    expect(learned.title).toBe("New member …");
    expect(learned.parameters.map(({ name, default: preset }) => [name, preset])).toEqual([
      ["name", undefined],
      ["berth", undefined],
      ["fee", undefined],
      ["due", undefined],
      ["file", "berths.md"],
    ]);
    const short = await harness.ask("new member Olavi Heino, berth D4, fee 310, harbour rules by 2 may");
    expect(short).toMatchObject({ planner: "replay", actions: ["fs_write", "task_create", "fs_append"] });
    expect(await harness.file("members/olavi-heino.md")).toContain("Berth D4, fee 310");
    expect(await harness.file("berths.md")).toContain("Olavi Heino, D4");
    const long = await harness.ask(
      'Elli Koski joins us: make the file members/elli-koski.md saying "Berth E1, fee 75", put a task on my list to send Elli Koski the harbour rules by 4 may, and write "Elli Koski, E1" at the end of berths.md',
    );
    expect(long.offers).toMatchObject([{ values: { name: "Elli Koski", berth: "E1", fee: 75 } }]);
  });

  it("work again with the same values, as a schedule does", async () => {
    const draft = await harness.learnFrom('make the folder weekly, then add "watered" to weekly/log.md');
    await harness.promote(draft.id);
    const parameters = draft.examples[0]?.parameters ?? {};
    for (const times of [2, 3]) {
      const { status, body } = await harness.owner.post(`/api/functions/${draft.id}/run`, { parameters });
      expect([status, body]).toMatchObject([200, { result: { steps: [{}, {}] } }]);
      expect((await harness.file("weekly/log.md")).match(/watered/g)).toHaveLength(times);
    }
  });

  it("with one command teach nothing, although it looks up its target", async () => {
    await harness.ask("add a task to feed the cat");
    const done = await harness.ask("mark feed the cat as done");
    expect(done.actions).toEqual(["task_find", "task_update_status"]);
    expect((await functions()).map(({ skillsUsed }) => skillsUsed.join())).not.toContain(
      "task_find,task_update_status",
    );
    const { status } = await harness.owner.post("/api/functions/learn", { runId: done.runId });
    expect(status).toBe(201);
  });

  it("do not restore a deleted function, in other words either, until its deletion is undone", async () => {
    const draft = await harness.learnFrom('write "rye" to seeds/rye.md and remember that the rye is sown');
    expect((await harness.owner.send("DELETE", `/api/functions/${draft.id}`)).status).toBe(200);
    const other = 'create the file seeds/oat.md with the text "oat", and note that the oat grows';
    const again = await harness.ask(other);
    expect(again.actions).toEqual(["fs_write", "memory_remember"]);
    expect(again.learnedFunction).toBeUndefined();
    expect((await functions()).map(({ skillsUsed }) => skillsUsed.join())).not.toContain(
      "fs_write,memory_remember",
    );
    expect((await harness.owner.post(`/api/functions/${draft.id}/undelete`)).status).toBe(200);
    await harness.ask(other.replaceAll("oat", "hop"));
    await expect.poll(async () => (await harness.load(draft.id)).examples.length).toBe(2);
  });

  it("need a folder once if the path of a later call contains it", async () => {
    const draft = await harness.learnFrom(
      'create a folder trips/oslo, then create the file trips/oslo/packing.md with the text "tent", then add a task to pack',
    );
    expect(draft.parameters).toMatchObject([
      { name: "path", required: true },
      { name: "file", required: false, default: "${path}/packing.md" },
      { name: "content", required: true },
      { name: "title", required: true },
    ]);
    await harness.promote(draft.id);
    const parameters = { path: "trips/rome", content: "hat", title: "pack for Rome" };
    const ran = await harness.owner.post(`/api/functions/${draft.id}/run`, { parameters });
    expect(ran.status).toBe(200);
    expect(await harness.file("trips/rome/packing.md")).toBe("hat");
    const again = await harness.ask(
      'create a folder trips/bern, then create the file trips/bern/list.md with the text "map", then add a task to pack',
    );
    expect(again.planner, JSON.stringify([again, await functions()])).toBe("replay");
    expect(await harness.file("trips/bern/list.md")).toBe("map");
  });
});
