import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { REPOSITORY } from "../paths/data-root.ts";
import { changeConfig } from "./change-config.ts";

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "change-config-"));
  await mkdir(join(home, "profiles"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const setPlanner = (value: unknown) =>
  changeConfig(
    { home, shippedEtc: join(REPOSITORY, "etc") },
    { section: "models", keyPath: ["roles", "planner"], value },
  );
const written = async (): Promise<unknown> =>
  JSON.parse(await readFile(join(home, "etc/models.json"), "utf8"));

describe("a key of the user's configuration", () => {
  it("is set and removed", async () => {
    await setPlanner(["ollama/small"]);
    expect(await written()).toEqual({ roles: { planner: ["ollama/small"] } });
    await setPlanner(undefined);
    expect(await written()).toEqual({ roles: {} });
  });

  it("is removed without creating a file if it was never set", async () => {
    await setPlanner(undefined);
    await expect(written()).rejects.toMatchObject({ code: "ENOENT" });
  });
});
