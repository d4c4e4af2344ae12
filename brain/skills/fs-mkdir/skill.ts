import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const make = "(create|add|set up|start|build|prepare) a [new|brand new] [empty]";
const folder = "(folder|subfolder)";
/** The purpose of the folder; it changes nothing. */
const purpose: Slot = { type: "description" };

const phrases: readonly (string | Phrase)[] = [
  `${make} ${folder} (called|with name|for|:|with the name) {path}`,
  `${make} ${folder} {path}`,
  `${make} {path} ${folder}`,
  {
    template: "create [a] [new] {path}",
    slots: { path: { type: "folder", bare: false, ending: "/", sample: "drafts/" } },
  },
  "(mkdir|new folder|new directory) [called] {path}",
  `I (need|want|would like|need to have) a [new] ${folder} [called|with name] {path}`,
  `(create|add|set up|need|want) [me] [the] [new] [two|three|four|five] folders [called] {path}`,
  {
    template: `(${make} ${folder}|I (need|want) a [new] ${folder}) (for|about) [the] {purpose} [called|:|at|in|under|and call it] {path}`,
    slots: { purpose, path: { type: "folder", bare: false } },
  },
  {
    template: `${make} ${folder} [called] {name} (in|inside|under|within) [the] [folder] {path} [folder]`,
    slots: { name: { type: "folder" } },
    compose: { path: "{path}/{name}" },
  },
  {
    template: `${make} ${folder} [called] {path} (with|containing|and|that has) [in it|inside] [the] [two|three|four|five|some] (subfolders|subfolder|folders|folder) [called|named|for|:] {name} [in it|inside|inside it]`,
    slots: { name: { type: "folder" } },
    compose: { path: "{path}/{name}" },
  },
  {
    template: `(in|inside|under) [the] [folder] {path} [folder] (create|make|add) a [new] ${folder} [called] {name}`,
    slots: { name: { type: "folder" } },
    compose: { path: "{path}/{name}" },
  },
  {
    template: `${make} ${folder}`,
    asks: { path: "What should the folder be called?" },
  },
];

const slots: Record<string, SlotType | Slot> = { path: { type: "folder", sample: "drafts" } };

const results: Results = { path: "path" };

export const fsMkdir = defineSkill({
  id: "fs_mkdir",
  summary: "Create a folder",
  category: "files",
  input: z.strictObject({ path: WorkspacePath }),
  output: z.strictObject({
    path: z.string(),
    created: z.boolean().describe("False if it already existed"),
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
      throw new AlreadyExistsError(`${target} already exists and is a file.`, {
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
  reverse: ({ outputs: { path, created } }) =>
    typeof path === "string" && created === true
      ? [{ skill: "fs_delete", args: { path, recursive: true } }]
      : undefined,
  narrate: ({ path, created }) =>
    created ? `Created the folder ${path}/.` : `The folder ${path}/ already exists.`,
  run: async ({ path }, { ports: { files }, signal }) => await files.makeFolder(path, { signal }),
});
