import { afterAll, beforeAll, expect, it } from "vitest";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { mh } from "../support/cli.ts";
import { startTestServer } from "../support/server.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let id: string;

beforeAll(async () => {
  server = await startTestServer();
  const owner = await server.owner();
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

it("looks after functions on the command line while the server runs", async () => {
  expect((await functions("list", "--trust", "draft")).out).toContain(`${id}  draft  guide`);
  expect((await functions("promote", "keep-fence-note")).out).toContain("verified, active");
  const found = await functions("search", "keep a note about the fence", "--verified", "--explain");
  expect(found.out).toContain(id);
  expect((await functions("search", "what is the capital of France")).out.trim()).toBe("Nothing fits.");

  const edited = await functions("edit", id, '{"steps": ["Write it."]}');
  expect(edited.out).toContain("waits as a proposal");
  expect((await functions("show", id)).out).toContain("Changed the steps.");
  expect((await functions("history", id)).out).toContain("v1");
  expect((await functions("maintain", "--dry-run")).out).toContain("nothing to do");

  expect((await functions("demote", id)).code).toBe(0);
  await functions("edit", id, '{"skillsUsed": ["fly_to_moon"]}');
  const report = await functions("verify", id);
  expect([report.code, report.out]).toEqual([1, expect.stringContaining("✗ skills exist")]);
  expect((await functions("delete", id)).code).toBe(0);
  expect((await functions("show", id)).code).not.toBe(0);
  expect((await functions("undelete", id)).out).toContain("is back");
  const wrong = await functions("edit", id, "not json");
  expect([wrong.code, wrong.err]).toEqual([expect.any(Number), expect.stringContaining("not JSON")]);
  expect(wrong.code).not.toBe(0);
});
