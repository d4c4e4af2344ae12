import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "@metahuman/core/errors/node-error";
import { makeFolder, replaceFile } from "@metahuman/core/memory/store/durable-file";
import { CodeDraft, CodeReport, CurationOutcome } from "@metahuman/core/contract/curation";
import { FunctionName } from "@metahuman/core/contract/function";
import { z } from "zod";
import { LookTurn } from "./look.ts";

/** One try at a function: how far it came, and which call made it. */
const Staged = z.strictObject({
  name: FunctionName,
  callKey: z.string(),
  attempt: z.int().positive(),
  /** A model's own words; empty where a person wrote the draft. */
  reply: z.string(),
  /** What the model looked at before it wrote, this time or an earlier one. */
  looked: z.array(LookTurn).optional(),
  draft: CodeDraft.optional(),
  /** Why no draft could be read from the reply. */
  unreadable: z.string().optional(),
  verification: CodeReport.optional(),
  published: CurationOutcome.shape.published,
});
export type Staged = z.infer<typeof Staged>;

/** Where the last try stays, one for each name: a call that was broken off goes on from it, and people may look at what failed. */
export interface Staging {
  get(name: string): Promise<Staged | undefined>;
  put(staged: Staged): Promise<void>;
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
      await replaceFile(path(staged.name), text, `the staged function ${staged.name}`);
    },
  };
}
