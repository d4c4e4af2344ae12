import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "@metahuman/core/errors/node-error";
import { makeFolder, replaceFile } from "@metahuman/core/files/durable-file";
import { CodeDraft, VerificationReport, CurationOutcome } from "@metahuman/core/contract/curation";
import { FunctionName } from "@metahuman/core/contract/function";
import { z } from "zod";
import { ExplorationTurn } from "./explore.ts";

/** One attempt at a function: its state, and the call that made it. */
const Staged = z.strictObject({
  name: FunctionName,
  callKey: z.string(),
  attempt: z.int().positive(),
  /** The raw reply of the model; empty if a person wrote the draft. */
  reply: z.string(),
  /** The model's inspections before it wrote, in this or an earlier attempt. */
  looked: z.array(ExplorationTurn).optional(),
  draft: CodeDraft.optional(),
  /** The reason why the reply contains no draft. */
  unreadable: z.string().optional(),
  verification: VerificationReport.optional(),
  published: CurationOutcome.shape.published,
});
export type Staged = z.infer<typeof Staged>;

/**
 * Stores the last attempt for each name, so that an interrupted call can continue and people can inspect failed drafts.
 */
export interface Staging {
  get(name: string): Promise<Staged | undefined>;
  put(staged: Staged): Promise<void>;
}

/** `name` must be a valid function name, because it becomes a file name. */
export function openStaging(folder: string): Staging {
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    async get(name) {
      try {
        return Staged.parse(JSON.parse(await readFile(path(name), "utf8")));
      } catch (error) {
        // A missing or unusable file is written again.
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
