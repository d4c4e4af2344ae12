import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A set of labelled retrieval data: texts, and requests with the texts that answer them, if any. */
export interface LabelledSet {
  name: string;
  documents: { id: string; text: string }[];
  queries: { query: string; relevant: ReadonlyMap<string, number> }[];
}

const Document = z.object({ id: z.string(), title: z.string(), text: z.string() });
const Query = z.object({
  query: z.string(),
  relevant: z.union([z.array(z.string()), z.record(z.string(), z.number())]),
  /** What kind of request it is, for reporting. */
  group: z.string().optional(),
});
const Task = z.object({ id: z.string(), entry: z.string(), description: z.string(), source: z.string() });

const HOUSEHOLD = join(import.meta.dirname, "../fixtures/recall/household");

/** The set of this repository: the memories of a household and questions about them, once all and once those in other words. */
export function readHousehold(): LabelledSet[] {
  return [
    readRetrievalSet(HOUSEHOLD, "household"),
    readRetrievalSet(HOUSEHOLD, "household, other words", "other"),
  ];
}

/** Reads the data sets under `folder`. Its README describes the format. */
export function readLabelledSets(folder: string): LabelledSet[] {
  const tasks = lines(join(folder, "typescript-functions-dev/tasks.jsonl"), Task);
  return [
    ...["bfcl-dev", "procedures-dev"].map((name) => readRetrievalSet(join(folder, name), name)),
    {
      name: "typescript-functions-dev",
      documents: tasks.map(({ id, entry, source }) => ({ id, text: `${entry}\n${source}` })),
      queries: tasks.map(({ id, description }) => ({ query: description, relevant: new Map([[id, 1]]) })),
    },
  ];
}

/** With `only`, the requests of one group. */
function readRetrievalSet(folder: string, name: string, only?: string): LabelledSet {
  return {
    name,
    documents: lines(join(folder, "corpus.jsonl"), Document).map(({ id, title, text }) => ({
      id,
      text: `${title}\n${text}`.trim(),
    })),
    queries: lines(join(folder, "queries.jsonl"), Query)
      .filter(({ group }) => only === undefined || group === only)
      .map(({ query, relevant }) => ({
        query,
        relevant: new Map(
          Array.isArray(relevant) ? relevant.map((id) => [id, 1] as const) : Object.entries(relevant),
        ),
      })),
  };
}

function lines<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema>[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => schema.parse(JSON.parse(line)));
}
