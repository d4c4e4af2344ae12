import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeModelKeys } from "./model-keys.suite.ts";
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

describeModelKeys("in files", async () => {
  const place = await mkdtemp(join(tmpdir(), "metahuman-keys-"));
  return {
    open: async () => openModelKeys(place, {}),
    close: () => rm(place, { recursive: true, force: true }),
  };
});

it("keeps a key encrypted, readable only by its owner", async () => {
  const keys = openModelKeys(home, {});
  await keys.store(KEY, SERVER);
  for (const file of await files()) {
    expect(await readFile(file, "utf8")).not.toContain(KEY);
    expect((await stat(file)).mode & 0o077).toBe(0);
  }
});

it("reads no key that was changed or renamed", async () => {
  const keys = openModelKeys(home, {});
  const id = await keys.store(KEY, SERVER);
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
