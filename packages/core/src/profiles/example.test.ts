import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { MemoryRecord } from "../contract/memory.ts";
import { Persona, ProfileSettings } from "../contract/profile.ts";
import { Task } from "../contract/task.ts";
import { profilePaths } from "../paths/profile-paths.ts";
import { REPOSITORY } from "../paths/data-root.ts";

const paths = profilePaths(REPOSITORY, "example");

/** The kinds of JSON files in a profile, by path. */
const kinds: [pattern: string, schema: z.ZodType][] = [
  ["profile.json", ProfileSettings],
  ["persona/core.json", Persona],
  ["memory/{episodic,curated}/????/*.json", MemoryRecord],
  ["memory/tasks/{active,completed}/*.json", Task],
];

describe("the sample profile", () => {
  const files = kinds.flatMap(([pattern, schema]) =>
    globSync(pattern, { cwd: paths.root }).map((file) => ({ file, schema })),
  );

  it.each(files)("has a valid $file", ({ file, schema }) => {
    const found: unknown = JSON.parse(readFileSync(join(paths.root, file), "utf8"));
    expect(schema.parse(found)).toEqual(found);
    if (typeof found === "object" && found !== null && "id" in found)
      expect(`${String(found.id)}.json`).toBe(basename(file));
  });

  it("has at least one file of each kind, and no JSON of another", () => {
    for (const [pattern] of kinds) expect(globSync(pattern, { cwd: paths.root }), pattern).not.toEqual([]);
    expect(globSync("**/*.json", { cwd: paths.root }).toSorted()).toEqual(
      files.map(({ file }) => file).toSorted(),
    );
  });
});
