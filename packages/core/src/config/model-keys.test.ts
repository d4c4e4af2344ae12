import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openModelKeys } from "./model-keys.ts";

const SERVER = "https://models.example/v1";
const KEY = "sk-very-secret-0123456789";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "metahuman-keys-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const files = async () =>
  (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

it("keeps a key encrypted, readable only by its owner, and gives it back to its server", async () => {
  const keys = openModelKeys(home, {});
  const id = await keys.store(KEY, SERVER);
  for (const file of await files()) {
    expect(await readFile(file, "utf8")).not.toContain(KEY);
    expect((await stat(file)).mode & 0o077).toBe(0);
  }
  expect(openModelKeys(home, {}).read(id, "https://models.example/v2")).toBe(KEY);
  await keys.remove(id);
  expect(keys.read(id, SERVER)).toBeUndefined();
  await keys.remove(id);
});

it("gives a key to no other server, and none that was changed or renamed", async () => {
  const keys = openModelKeys(home, {});
  const id = await keys.store(KEY, SERVER);
  for (const other of [
    "https://evil.example/v1",
    "http://models.example/v1",
    "https://models.example:444/v1",
  ])
    expect(keys.read(id, other)).toBeUndefined();
  const path = (await files()).find((file) => file.includes(id)) ?? "";
  const stored = await readFile(path, "utf8");
  const other = `model-key-${"0".repeat(16)}`;
  await writeFile(path.replace(id, other), stored);
  expect(keys.read(other, SERVER)).toBeUndefined();
  await writeFile(path, "{}");
  expect(keys.read(id, SERVER)).toBeUndefined();
});

it("uses the secret of the environment, without which the key cannot be read", async () => {
  const secret = { METAHUMAN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
  const id = await openModelKeys(home, secret).store(KEY, SERVER);
  expect(openModelKeys(home, secret).read(id, SERVER)).toBe(KEY);
  expect(openModelKeys(home, {}).read(id, SERVER)).toBeUndefined();
});
