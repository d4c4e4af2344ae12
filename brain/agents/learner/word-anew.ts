import { fenced } from "@metahuman/core/context/fenced";
import { z } from "zod";
import { askCurator, type Curating } from "./ask-curator.ts";
import type { EndedRun } from "./ended-run.ts";
import { holdsSecret } from "./should-learn.ts";

const Words = z.object({
  title: z.string().trim().min(3).max(120),
  summary: z.string().trim().min(3).max(600),
  tags: z.array(z.string().trim().min(1).max(40)).max(8).default([]),
});

/** Gives a new draft a title, summary and tags in a model's words; without a model it keeps those it has. */
export async function wordAnew(id: string, { functions, run }: EndedRun, curating: Curating): Promise<void> {
  const draft = await functions.loadFunction(id);
  const user = [
    `Request: ${fenced(run.goal)}`,
    `Steps:\n${fenced(draft.steps.map((step, index) => `${String(index + 1)}. ${step}`).join("\n"))}`,
    `Parameters: ${draft.parameters.map(({ name }) => name).join(", ") || "none"}`,
  ].join("\n");
  const words = await askCurator(Words, { prompt: "word-draft", user }, curating);
  if (words === undefined || holdsSecret(words)) return;
  const current = await functions.loadFunction(id);
  // Somebody may have worded it meanwhile: theirs stands.
  if (current.version !== draft.version) return;
  const tags = [...new Set([...current.tags, ...words.tags])];
  await functions.updateFunction(
    id,
    { title: words.title, summary: words.summary, tags, version: current.version },
    { by: "learner", isPerson: false, isOwner: false, runId: run.id },
  );
}
