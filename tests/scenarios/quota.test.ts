import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageUsage } from "@metahuman/core/contract/http";
import { expect, it } from "vitest";
import { serveBeforeAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import type { TestServer } from "../support/server.ts";

let server: TestServer;
let owner: Client;
serveBeforeAll((served) => ({ server, owner } = served));

const at = (path: string) => join(server.home, "profiles/ada", path);

/** Sets the quota to this many bytes more than the profile has. */
async function leaveSpace(bytes: number): Promise<void> {
  const usage = StorageUsage.parse((await owner.get("/api/storage")).body);
  await mkdir(join(server.home, "etc"), { recursive: true });
  await writeFile(
    join(server.home, "etc/storage.json"),
    JSON.stringify({ profile: { maxBytes: usage.bytes + bytes } }),
  );
  await expect
    .poll(async () => StorageUsage.parse((await owner.get("/api/storage")).body).maxBytes)
    .toBe(usage.bytes + bytes);
}

it("a full profile refuses to write more, with a clear error and without partial files", async () => {
  expect(
    (await owner.post("/api/operator", { goal: "create a file called a.txt with the text 'one'" })).status,
  ).toBe(200);
  await leaveSpace(4);
  const { status, body } = await owner.post("/api/memories", { type: "observation", content: "too much" });
  expect({ status, body }).toMatchObject({ status: 507, body: { error: { code: "QUOTA_EXCEEDED" } } });
  expect((await owner.post("/api/tasks", { title: "too much" })).status).toBe(507);
  const letter = await owner.raw("POST", "/api/inbox?name=letter.txt", "too much", {
    "content-type": "application/octet-stream",
  });
  expect(letter.status).toBe(507);
  const run = await owner.post("/api/operator", {
    goal: "create a file called b.txt with the text 'too much'",
  });
  expect(run).toMatchObject({
    status: 200,
    body: { outcome: "stuck", scratchpad: [{ observation: { error: { code: "QUOTA_EXCEEDED" } } }, {}] },
  });
  expect(await readdir(at("out"))).toEqual(["a.txt"]);
  expect(await readdir(at("inbox"))).toEqual([]);
  expect(await readFile(at("out/a.txt"), "utf8")).toBe("one");
});

it("the usage is shown, and a full profile can delete", async () => {
  const usage = StorageUsage.parse((await owner.get("/api/storage")).body);
  expect((await mh(server.home, ["status"])).out).toMatch(
    /storage +[\d.]+ \w+ of [\d.]+ \w+, \d+ of 1,000,000 files/,
  );
  expect(JSON.parse((await mh(server.home, ["--json", "status"])).out)).toMatchObject({
    storage: { files: usage.files, maxBytes: usage.maxBytes },
  });
  expect((await mh(server.home, ["operator", "--yes", "delete a.txt"])).code).toBe(0);
  expect(await readdir(at("out"))).toEqual([]);
});
