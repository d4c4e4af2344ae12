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

  it("are said to be that for a memory, and what is there can still be found", () => {
    expect(results).toMatchObject({ memory: "PERMISSION_DENIED", found: ["one walnut"] });
    const memory = join(home, "profiles/ada/memory");
    const names = readdirSync(memory, { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(names.filter((name) => /^episodic.*\.json$/.test(name))).toHaveLength(1);
  });

  it("are said to be that for many at once: none of them is there, or will be after the next start", () => {
    expect(results).toMatchObject({ manyMemories: "PERMISSION_DENIED" });
    expect(readdirSync(join(home, "profiles/ada/memory")).includes("journal")).toBe(false);
  });

  it("are said to be that for files, and listing goes on around it", () => {
    expect(results).toMatchObject({
      reading: "PERMISSION_DENIED",
      archiving: "PERMISSION_DENIED",
      listed: 1,
      listedByPaths: "done",
    });
    chmodSync(join(home, "profiles/ada/out/closed"), 0o755);
    expect(readdirSync(join(home, "profiles/ada/out/closed"))).toEqual(["x.md"]);
  });

  it("are said to be that for a database", () => {
    expect(results).toMatchObject({ database: "PERMISSION_DENIED" });
  });
});
