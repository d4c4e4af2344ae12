import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsExists } from "../fs-exists/skill.ts";
import { fsMkdir } from "./skill.ts";

const harness = skillHarness();

describe("fs_mkdir and fs_exists", () => {
  it("create a folder with its parents, and keep an existing one", async () => {
    const made = await harness.call(fsMkdir, { path: "trips/oslo" });
    expect(made.assessment).toMatchObject({
      risk: "low",
      paths: ["out/trips/oslo/"],
      grant: { pathPrefix: "out/trips/oslo/" },
    });
    expect(made.outputs).toEqual({ path: "out/trips/oslo", created: true });
    expect((await stat(join(harness.folder("out"), "trips/oslo"))).isDirectory()).toBe(true);
    expect((await harness.call(fsMkdir, { path: "trips/oslo" })).outputs).toMatchObject({ created: false });
    expect((await harness.call(fsExists, { path: "trips/oslo" })).narrative).toBe(
      "Yes, out/trips/oslo/ is there; it is a folder.",
    );
  });

  it("reject the name of a file, and suggest existing names", async () => {
    await writeFile(join(harness.folder("out"), "drafts"), "x");
    await expect(harness.call(fsMkdir, { path: "drafts" })).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect((await harness.call(fsExists, { path: "drafts" })).narrative).toBe("Yes, out/drafts is there.");
    expect((await harness.call(fsExists, { path: "draft" })).outputs).toMatchObject({
      kind: "absent",
      nearest: ["out/drafts"],
    });
  });
});
