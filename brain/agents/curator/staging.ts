import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "@metahuman/core/errors/node-error";
import { makeFolder, removeFile, replaceFile } from "@metahuman/core/memory/files/durable-file";
import { CodeDraft } from "@metahuman/core/contract/curation";
import { z } from "zod";

/** A draft that is not published, and the run that wrote it. */
const Staged = z.strictObject({ runId: z.string(), attempt: z.int().positive(), draft: CodeDraft });
export type Staged = z.infer<typeof Staged>;

/** Where drafts stay until they are published, one for each name; people may look at what failed. */
export interface Staging {
  get(name: string): Promise<Staged | undefined>;
  put(staged: Staged): Promise<void>;
  remove(name: string): Promise<void>;
}

/** `name` has been checked to be a function's name: no path can be made of it. */
export function openStaging(folder: string): Staging {
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    async get(name) {
      try {
        return Staged.parse(JSON.parse(await readFile(path(name), "utf8")));
      } catch (error) {
        // Nothing there, or nothing that could be gone on with: it is written anew.
        if (systemCode(error) === "ENOENT" || error instanceof SyntaxError || error instanceof z.ZodError)
          return undefined;
        throw error;
      }
    },
    async put(staged) {
      await makeFolder(folder, "the staging folder of functions");
      const text = `${JSON.stringify(staged, undefined, 2)}\n`;
      await replaceFile(path(staged.draft.name), text, `the staged function ${staged.draft.name}`);
    },
    remove: (name) => removeFile(path(name), `the staged function ${name}`),
  };
}
