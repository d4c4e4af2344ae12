import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const make = "(create|add|set up|start) a [new] [empty]";

const phrases: readonly (string | Phrase)[] = [
  `${make} folder (called|with name|for|:) {path}`,
  `${make} folder {path}`,
  `${make} {path} folder`,
  {
    template: "create [a] [new] {path}",
    slots: { path: { type: "folder", bare: false, ending: "/", sample: "drafts/" } },
  },
  "(mkdir|new folder) [called] {path}",
  "I (need|want|would like) a [new] folder called {path}",
];

const slots: Record<string, SlotType | Slot> = { path: { type: "folder", sample: "drafts" } };

const results: Results = {};

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
  phrases,
  slots,
  results,
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
