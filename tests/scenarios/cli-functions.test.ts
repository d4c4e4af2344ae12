import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mh } from "../support/cli.ts";
import { LONGEST, WORD } from "../support/code-samples.ts";

// A developer's way with code functions: files, commands, exit codes.

let home: string;
const file = (name: string) => join(home, name);
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-cli-functions-"));
  await mh(home, ["init", "ada"], { METAHUMAN_PASSWORD: "correct horse battery" });
  await writeFile(file("longest.ts"), LONGEST.source);
  await writeFile(file("longest.tests.ts"), LONGEST.tests);
  await writeFile(file("failing.tests.ts"), `assert.equal(main({ words: ["a"] }).longest, "b");`);
  await writeFile(file("longest.json"), JSON.stringify([WORD]));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const written = () => ["--tests", file("longest.tests.ts"), "--parameters", file("longest.json")];

describe("code functions on the command line", () => {
  it("are registered from files, verified, run, and promoted", async () => {
    const registered = await mh(home, ["functions", "register", "longest", file("longest.ts"), ...written()]);
    expect(registered).toMatchObject({ code: 0, err: "" });
    expect(registered.out).toMatch(/✓ types\n✓ lint\n✓ grants\n✓ tests/u);
    const run = await mh(home, ["--json", "functions", "run", "longest", "--set", 'words=["ox","horse"]']);
    expect(run.code).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ result: { longest: "horse" } });
    expect((await mh(home, ["functions", "promote", "longest"])).code).toBe(0);
  });

  it("say what failed, with an exit code that scripts can tell", async () => {
    const failing = ["--tests", file("failing.tests.ts"), "--parameters", file("longest.json")];
    const registered = await mh(home, ["functions", "register", "failing", file("longest.ts"), ...failing]);
    expect(registered.code).toBe(1);
    expect(registered.out).toContain('expected "b", got "a" (tests line 1)');
    const broken = await mh(home, ["functions", "run", "failing", "--set", "words=[]"]);
    expect(broken).toMatchObject({ code: 1, err: expect.stringContaining("there are no words") });
    expect((await mh(home, ["functions", "run", "failing", "--set", "words=ox"])).code).toBe(2);
    expect((await mh(home, ["functions", "register", "../up", file("longest.ts")])).code).toBe(2);
  });

  it("are curated from a person's code without a model", async () => {
    const args = ["functions", "curate", "by-hand", "find the longest word", "--code", file("longest.ts")];
    const curated = await mh(home, [...args, ...written()]);
    expect(curated).toMatchObject({ code: 0, out: expect.stringContaining("✓ publish: as a draft") });
    const without = await mh(home, ["functions", "curate", "no-model", "find the longest word"]);
    expect(without).toMatchObject({ code: 1, err: expect.stringContaining("No language model") });
  });
});
