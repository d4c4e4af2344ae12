import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let home: string;
let results: unknown;

// Windows has neither these users nor these permissions.
describe.skipIf(process.platform === "win32")("folders that may not be written", () => {
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "without-rights-"));
    // Others have to be able to look into it.
    chmodSync(home, 0o755);
    const program = join(import.meta.dirname, "test-processes", "without-rights.ts");
    results = JSON.parse(execFileSync(process.execPath, [program, home], { encoding: "utf8" }));
  });
  afterAll(() => {
    const profile = join(home, "profiles/ada");
    for (const path of ["out/closed", "memory", ...years()]) chmodSync(join(profile, path), 0o755);
    rmSync(home, { recursive: true });
  });

  const years = () =>
    readdirSync(join(home, "profiles/ada/memory/episodic")).map((year) => `memory/episodic/${year}`);

  it("cause a typed error for a memory, and existing ones can still be found", () => {
    expect(results).toMatchObject({ memory: "PERMISSION_DENIED", found: ["one walnut"] });
    const memory = join(home, "profiles/ada/memory");
    const names = readdirSync(memory, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(names.filter((name) => /^episodic.*\.json$/.test(name))).toHaveLength(1);
  });

  it("cause a typed error for a bulk write, of which nothing is stored, also after the next start", () => {
    expect(results).toMatchObject({ manyMemories: "PERMISSION_DENIED" });
    expect(readdirSync(join(home, "profiles/ada/memory")).includes("journal")).toBe(false);
  });

  it("cause a typed error for files, and the rest is listed", () => {
    expect(results).toMatchObject({
      reading: "PERMISSION_DENIED",
      archiving: "PERMISSION_DENIED",
      listed: 1,
      listedByPaths: "done",
    });
    chmodSync(join(home, "profiles/ada/out/closed"), 0o755);
    expect(readdirSync(join(home, "profiles/ada/out/closed"))).toEqual(["x.md"]);
  });

  it("cause a typed error for a database", () => {
    expect(results).toMatchObject({ database: "PERMISSION_DENIED" });
  });
});
