import { formatCount } from "@metahuman/core/text/format";
import { fenced } from "@metahuman/core/context/fenced";
import { charactersFor } from "@metahuman/core/contract/tokens";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { Summarizer } from "@metahuman/skills/ports";
import type { PlanState } from "../planner.ts";
import { clipToTokens, promptBudget } from "../planners/model/prompt-budget.ts";
import { prompt } from "../prompts/load-prompt.ts";

/** For tests and profiles without models: every summary is made of the text's own sentences. */
export const noSummarizer: Summarizer = { summarize: async () => undefined };

/** What one prompt holds of a text, in tokens, also where the model could take more. */
const PART_TOKENS = 3_000;
/** A text of more parts is covered up to its last one; one more call puts their summaries together. */
const MOST_PARTS = 6;

/**
 * Summarizes with the model of role `summarizer`; what it costs is the run's. A text that is longer than one prompt is
 * summarized part by part, and its summary is made of theirs.
 */
export function createModelSummarizer(router: ModelRouter): (state: PlanState) => Summarizer {
  return (state) => {
    async function summary(material: string, length: string, signal: AbortSignal): Promise<string> {
      const reply = await ask(
        {
          messages: [
            { role: "system", content: prompt("summary", { length }) },
            { role: "user", content: fenced(`\n${material}\n`) },
          ],
        },
        {
          router,
          role: "summarizer",
          purpose: "summarize",
          signal,
          onModelCall: state.onModelCall,
          onWarning: state.onWarning,
        },
      );
      return reply.text.trim();
    }

    return {
      async summarize(text, { maxWords, maxSentences, signal }) {
        if ((await router.modelsFor("summarizer")).models.length === 0) return undefined;
        const available = Math.floor((await promptBudget(router, "summarizer")) * 0.8);
        const parts = partsOf(text, charactersFor(Math.min(PART_TOKENS, available))).slice(0, MOST_PARTS);
        const covered = parts.reduce((sum, part) => sum + part.length, 0);
        try {
          const words = formatCount(maxWords, "word");
          const length =
            maxSentences === undefined ? words : `${formatCount(maxSentences, "sentence")} and ${words}`;
          const summaries: string[] = [];
          for (const part of parts)
            summaries.push(await summary(part, parts.length > 1 ? words : length, signal));
          const found = summaries.filter((one) => one !== "");
          const whole =
            found.length > 1
              ? await summary(clipToTokens(found.join("\n\n"), available), length, signal)
              : found[0];
          if (!whole) return undefined;
          if (covered < text.length)
            state.onWarning?.(
              `The summary covers the first ${String(covered)} of ${String(text.length)} characters of the text.`,
            );
          return { text: whole, covered };
        } catch (error) {
          if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
          state.onWarning?.(`${error.message} The summary is made of the text's own sentences.`);
          return undefined;
        }
      },
    };
  };
}

/** The text in parts of at most `length` characters, each ending with a paragraph, a line or a word where it can. */
function partsOf(text: string, length: number): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const piece = text.slice(from, from + length);
    const isLast = from + piece.length >= text.length;
    const ends = ["\n\n", "\n", " "].map((mark) => piece.lastIndexOf(mark) + mark.length);
    const end = ends.find((at) => at > length / 2) ?? (/[\uD800-\uDBFF]$/u.test(piece) ? length - 1 : length);
    const part = isLast ? piece : piece.slice(0, end);
    parts.push(part);
    from += part.length;
  }
  return parts;
}
