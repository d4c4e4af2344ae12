import type { Embedder } from "@metahuman/core/vectors/embedder";

type Use = NonNullable<Parameters<Embedder["embed"]>[2]>;

/**
 * What models were trained to find before a text, by the beginning of their name and as their cards say it. Without it
 * they still embed, and find less.
 */
const INSTRUCTIONS: readonly { model: RegExp; before: Record<Use, string> }[] = [
  { model: /^nomic-embed-text/, before: { passage: "search_document: ", query: "search_query: " } },
  {
    model: /^(mxbai-embed-large|snowflake-arctic-embed)/,
    before: { passage: "", query: "Represent this sentence for searching relevant passages: " },
  },
];

/** The text as the model wants it for this use. */
export function instructed(model: string, text: string, use: Use): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  const found = INSTRUCTIONS.find((instruction) => instruction.model.test(name));
  return `${found?.before[use] ?? ""}${text}`;
}
