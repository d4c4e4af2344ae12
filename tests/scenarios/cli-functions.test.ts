import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { CurationAnswer, FunctionRunAnswer } from "@metahuman/core/contract/curation";
import { mh, mhProcess } from "../support/cli.ts";
import { startModelServer } from "../support/model-server/server.ts";
import { act, finish, purposeOf } from "../support/model-harness.ts";
import { startOwnedServer, type TestServer } from "../support/server.ts";

let server: TestServer;
let id: string;

beforeAll(async () => {
  const owned = await startOwnedServer();
  const { owner } = owned;
  ({ server } = owned);
  const note = {
    title: "Keep a fence note",
    summary: "One line about the fence.",
    steps: ["Write out/notes/fence.md."],
    skillsUsed: ["fs_write"],
  };
  id = FunctionAnswer.parse((await owner.post("/api/functions", note)).body).function.id;
});
afterAll(() => server.dispose());

const functions = (...args: string[]) => mh(server.home, ["functions", ...args]);

it("manages functions on the command line while the server runs", async () => {
  expect((await functions("list", "--trust", "draft")).out).toContain(`${id}  draft  guide`);
  expect((await functions("list", "--kind", "guide")).out).toContain(id);
  expect((await functions("list", "--kind", "recipe")).out).toContain("No functions match.");
  expect((await functions("promote", "keep-fence-note")).out).toContain("verified, active");
  const found = await functions("search", "keep a note about the fence", "--verified", "--explain");
  expect(found.out).toContain(id);
  expect((await functions("search", "what is the capital of France")).out.trim()).toBe("No functions match.");

  const edited = await functions("edit", id, '{"steps": ["Write it."]}');
  expect(edited.out).toContain("became a proposal");
  expect((await functions("show", id)).out).toContain("Changed the steps.");
  expect((await functions("history", id)).out).toContain("v1");
  expect((await functions("maintain", "--dry-run")).out).toContain("nothing to do");

  expect((await functions("demote", id)).code).toBe(0);
  await functions("edit", id, '{"skillsUsed": ["fly_to_moon"]}');
  const report = await functions("verify", id);
  expect([report.code, report.out]).toEqual([1, expect.stringContaining("✗ skills exist")]);
  expect((await functions("delete", id)).code).toBe(0);
  expect((await functions("show", id)).code).not.toBe(0);
  expect((await functions("undelete", id)).out).toContain("Restored");
  const wrong = await functions("edit", id, "not json");
  expect([wrong.code, wrong.err]).toEqual([expect.any(Number), expect.stringContaining("not valid JSON")]);
  expect(wrong.code).not.toBe(0);
});

const DOUBLE = `export async function main({ n }: { n: number }) {
  return { twice: n * 2 };
}
`;
const READING = `export async function main({ n }: { n: number }) {
  const { content } = await skills.fs_read({ path: "by.md" });
  return { twice: n * Number(content) };
}
`;
const FAKED = `fake("fs_read", () => ({ path: "out/by.md", content: "2", bytes: 1, truncated: false }));
assert.deepEqual(await main({ n: 4 }), { twice: 8 });`;
const PARAMETERS = [{ name: "n", type: "number", description: "The number", required: true }];

it("registers, runs, improves and approves code from files, and accepts no path as a name", async () => {
  const folder = join(server.home, "files");
  await mkdir(folder);
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const code = await file("double.ts", DOUBLE);
  const tests = await file("double.tests.ts", "assert.deepEqual(await main({ n: 4 }), { twice: 8 });");
  const options = ["--parameters", await file("double.json", JSON.stringify(PARAMETERS)), "--tests", tests];
  const registered = await functions("register", "double", code, ...options);
  expect([registered.code, registered.out]).toEqual([0, expect.stringContaining("1 assertion held")]);
  const ran = await functions("run", "double", "--set", "n=21", "--json");
  expect(FunctionRunAnswer.parse(JSON.parse(ran.out)).result).toEqual({ twice: 42 });

  const reading = await file("reading.ts", READING);
  await file("double.tests.ts", FAKED);
  const curated = await functions("curate", "double", "by a file", "--code", reading, ...options, "--json");
  const { published, stages } = CurationAnswer.parse(JSON.parse(curated.out));
  expect(stages.map(({ name, ok }) => `${name} ${ok}`)).toEqual([
    "gather true",
    "write true",
    "verify true",
    "publish true",
  ]);
  const proposal = published?.proposalId ?? "";
  expect((await functions("show", "double")).out).toMatch(
    new RegExp(`Proposal ${proposal} by .* It adds permissions: fs_read\\.`, "u"),
  );
  const approved = await functions("approve", "double", "--proposal", proposal);
  expect(approved.out).toContain("accepted, version 2");

  const before = await readdir(server.home, { recursive: true });
  const refused = await functions("register", "../x", code);
  expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining("name")]);
  const made = (await readdir(server.home, { recursive: true })).filter((path) => !before.includes(path));
  expect(made.filter((path) => path.endsWith("x") || path.includes("functions/2"))).toEqual([]);
});

it("ends without an error if it is closed while a model still describes a learned function", async () => {
  const plan = [
    act("fs_write", { path: "packing/tent.md", content: "tent" }),
    act("task_create", { title: "dry the tent" }),
    finish,
  ];
  const models = await startModelServer({
    answer: (request) => {
      const purpose = purposeOf(request);
      if (purpose === "plan") return plan.shift() ?? finish;
      if (purpose === "answer") return { say: "Both are there [1] [2]." };
      return { fault: "silent" };
    },
  });
  const home = await mkdtemp(join(tmpdir(), "metahuman-cli-"));
  try {
    await mh(home, ["init", "ada"], { METAHUMAN_PASSWORD: "correct horse battery" });
    await mh(home, ["trust", "bounded_auto"]);
    const goal = 'keep "tent" in packing/tent.md and make "dry the tent" a task in some way';
    const { code, out, err } = await mhProcess(home, ["operator", goal], { OLLAMA_HOST: models.url });
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Both are there") });
    expect(err).toContain("learned a draft");
    expect(err).not.toContain("AbortError");
    expect(err).not.toMatch(/^\{/mu);
  } finally {
    await models.close();
    await rm(home, { recursive: true, force: true });
  }
});
