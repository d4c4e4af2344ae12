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
});
const Task = z.object({ id: z.string(), entry: z.string(), description: z.string(), source: z.string() });

/** Reads the data sets under `folder`. Its README describes the format. */
export function readLabelledSets(folder: string): LabelledSet[] {
  const lines = <Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema>[] =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => schema.parse(JSON.parse(line)));

  const retrieval = ["bfcl-dev", "procedures-dev"].map((name): LabelledSet => ({
    name,
    documents: lines(`${name}/corpus.jsonl`, Document).map(({ id, title, text }) => ({
      id,
      text: `${title}\n${text}`,
    })),
    queries: lines(`${name}/queries.jsonl`, Query).map(({ query, relevant }) => ({
      query,
      relevant: new Map(
        Array.isArray(relevant) ? relevant.map((id) => [id, 1] as const) : Object.entries(relevant),
      ),
    })),
  }));
  const tasks = lines("typescript-functions-dev/tasks.jsonl", Task);
  return [
    ...retrieval,
    {
      name: "typescript-functions-dev",
      documents: tasks.map(({ id, entry, source }) => ({ id, text: `${entry}\n${source}` })),
      queries: tasks.map(({ id, description }) => ({ query: description, relevant: new Map([[id, 1]]) })),
    },
  ];
}
