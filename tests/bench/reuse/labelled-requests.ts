import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Values = z.record(z.string(), z.union([z.string(), z.number()]));

/** A recipe as the labelled data describes it; `url` and `enum` are types that the data has and functions do not. */
export const LabelledRecipe = z.object({
  id: z.string(),
  functionPrompt: z.string(),
  summary: z.string(),
  parameters: z.array(
    z.object({
      name: z.string(),
      type: z.enum(["string", "number", "date", "path", "url", "enum"]),
      description: z.string(),
      required: z.boolean(),
      options: z.array(z.string()).optional(),
    }),
  ),
  actions: z.array(z.object({ skill: z.string(), args: z.record(z.string(), z.unknown()) })),
  learnedValues: Values,
  promptTemplates: z.array(z.string()),
});
export type LabelledRecipe = z.infer<typeof LabelledRecipe>;

/** A request near one recipe, and whether exactly that recipe is asked for. */
export const LabelledRequest = z.object({
  recipe: z.string(),
  request: z.string(),
  shouldReplay: z.boolean(),
  values: Values.optional(),
  alsoAccepted: z.record(z.string(), z.array(z.union([z.string(), z.number()]))).optional(),
  otherRecipe: z.string().optional(),
  why: z.string(),
});
export type LabelledRequest = z.infer<typeof LabelledRequest>;

const ExpectedTask = z.object({
  title: z.string(),
  status: z.enum(["todo", "in_progress", "blocked", "done", "cancelled"]).optional(),
  priority: z.enum(["low", "normal", "high"]).optional(),
  /** A day, or a time of the day: `2026-11-26T08:30`. */
  due: z.string().optional(),
  tags: z.array(z.string()).optional(),
});
export type ExpectedTask = z.infer<typeof ExpectedTask>;

/** One request, or several in one conversation, with what must be there before and after. */
export const PlainRequest = z
  .object({
    request: z.string().optional(),
    turns: z.array(z.string()).optional(),
    setup: z
      .object({
        files: z.record(z.string(), z.string()).default({}),
        tasks: z.array(ExpectedTask).default([]),
        memories: z.array(z.string()).default([]),
      })
      .prefault({}),
    expect: z.object({
      /** Absent: effects alone decide. */
      actions: z
        .array(z.union([z.string(), z.object({ skill: z.string() }).transform(({ skill }) => skill)]))
        .optional(),
      files: z.record(z.string(), z.string().nullable()).default({}),
      tasks: z.array(ExpectedTask).default([]),
      memories: z.array(z.string()).default([]),
      answerIncludes: z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]),
      nothing: z.boolean().default(false),
    }),
    kind: z.string(),
  })
  .transform(({ request, turns = request === undefined ? [] : [request], ...rest }) => ({ ...rest, turns }));
export type PlainRequest = z.infer<typeof PlainRequest>;

/** Labelled requests from one source. A part that is not there is empty. */
export interface LabelledRequests {
  name: string;
  recipes: LabelledRecipe[];
  replay: LabelledRequest[];
  plain: PlainRequest[];
}

/** Reads `replay-recipes.json` and `replay.jsonl` from `replayFolder` and `requests.jsonl` from `plainFolder`. */
export function readLabelledRequests(
  name: string,
  { replayFolder, plainFolder }: { replayFolder: string; plainFolder: string },
): LabelledRequests {
  const recipes = join(replayFolder, "replay-recipes.json");
  return {
    name,
    recipes: existsSync(recipes)
      ? z.array(LabelledRecipe).parse(JSON.parse(readFileSync(recipes, "utf8")))
      : [],
    replay: lines(join(replayFolder, "replay.jsonl"), LabelledRequest),
    plain: lines(join(plainFolder, "requests.jsonl"), PlainRequest),
  };
}

/** The lines of a file of JSON lines; none if it is missing. Throws an error with the number of the line that does not fit. */
export function lines<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema>[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, index) => {
      const parsed = schema.safeParse(JSON.parse(line));
      if (parsed.success) return parsed.data;
      throw new Error(`${file}, line ${String(index + 1)}: ${z.prettifyError(parsed.error)}`);
    });
}
