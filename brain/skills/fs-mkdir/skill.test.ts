import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { fsExists } from "../fs-exists/skill.ts";
import { fsMkdir } from "./skill.ts";

const bench = skillBench();

describe("fs_mkdir and fs_exists", () => {
  it("create a folder with its parents, and keep an existing one", async () => {
    const made = await bench.call(fsMkdir, { path: "trips/oslo" });
    expect(made.assessment).toMatchObject({
      risk: "low",
      paths: ["out/trips/oslo/"],
      grant: { pathPrefix: "out/trips/oslo/" },
    });
    expect(made.outputs).toEqual({ path: "out/trips/oslo", created: true });
    expect((await stat(join(bench.folder("out"), "trips/oslo"))).isDirectory()).toBe(true);
    expect((await bench.call(fsMkdir, { path: "trips/oslo" })).outputs).toMatchObject({ created: false });
    expect((await bench.call(fsExists, { path: "trips/oslo" })).narrative).toBe(
      "Yes, out/trips/oslo/ is there; it is a folder.",
    );
  });

  it("reject the name of a file, and suggest existing names", async () => {
    await writeFile(join(bench.folder("out"), "drafts"), "x");
    await expect(bench.call(fsMkdir, { path: "drafts" })).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect((await bench.call(fsExists, { path: "drafts" })).narrative).toBe("Yes, out/drafts is there.");
    expect((await bench.call(fsExists, { path: "draft" })).outputs).toMatchObject({
      kind: "absent",
      nearest: ["out/drafts"],
    });
  });
});
