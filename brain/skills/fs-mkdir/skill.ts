import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import * as speech from "./phrases.ts";

export const fsMkdir = defineSkill({
  id: "fs_mkdir",
  summary: "Create a folder",
  category: "files",
  input: z.strictObject({ path: WorkspacePath }),
  output: z.strictObject({
    path: z.string(),
    created: z.boolean().describe("False when it was there already"),
  }),
  effects: "write",
  risk: "low",
  idempotent: true,
  ...speech,
  assess: async ({ path }, { files }) => {
    const { path: target, root } = files.resolve(path);
    const { kind } = await files.state(target);
    if (kind === "file")
      throw new AlreadyExistsError(`${target} is there already, and it is a file.`, {
        suggestions: [await files.freePath(target)],
        context: { path: target },
      });
    return {
      risk: root === "out" ? "low" : "high",
      preview: { title: `Create the folder ${target}/?`, target, facts: [{ label: "path", value: target }] },
      paths: [`${target}/`],
      hosts: [],
      grant: { pathPrefix: `${target}/` },
    };
  },
  narrate: ({ path, created }) =>
    created ? `Created the folder ${path}/.` : `The folder ${path}/ is there already.`,
  run: async ({ path }, { ports: { files }, signal }) => await files.makeFolder(path, { signal }),
});
