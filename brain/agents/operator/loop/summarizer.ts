import { formatCount } from "@metahuman/core/text/format";
import { fenceData } from "@metahuman/core/context/fenced";
import { clipToTokens, charactersFor } from "@metahuman/core/contract/tokens";
import { parseJson } from "@metahuman/core/contract/parse-json";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import { isRecord } from "@metahuman/core/text/is-record";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import { ask } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import type { ChatMessage } from "@metahuman/models/provider";
import type { Summarizer } from "@metahuman/skills/ports";
import { unshownSentences, withoutSentences } from "../answer/summary-claims.ts";
import type { PlanState } from "../planner.ts";
import { promptBudget } from "../planners/model/prompt-budget.ts";
import { prompt } from "../prompts/load-prompt.ts";

/** For tests and profiles without models: summaries consist of extracted sentences. */
export const noSummarizer: Summarizer = { summarize: async () => undefined };

/** The maximum length of a text in one prompt, in tokens, even for models with a larger context. */
const PART_TOKENS = 3_000;
/** The maximum number of parts of a text. One more call joins their summaries. */
const MAX_PARTS = 6;

/**
 * Summarizes with the model of role `summarizer` and reports its calls to the run. Summarizes a text that is longer
 * than one prompt part by part. A summary with figures, days or names that the text does not have is asked for once more; sentences that
 * still have some are left out.
 */
export function createModelSummarizer(router: ModelRouter): (state: PlanState) => Summarizer {
  return (state) => {
    /** `corrected` is an earlier summary with what the text does not say. */
    async function summary(
      material: string,
      length: string,
      signal: AbortSignal,
      corrected?: { text: string; unshown: readonly string[] },
    ): Promise<string> {
      const correction: ChatMessage[] =
        corrected === undefined
          ? []
          : [
              { role: "assistant", content: corrected.text },
              { role: "user", content: `${NOT_IN_TEXT}\n${corrected.unshown.join("\n")}` },
            ];
      const reply = await ask(
        {
          messages: [
            { role: "system", content: prompt("summary", { length }) },
            { role: "user", content: fenceData(`\n${material}\n`) },
            ...correction,
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
      return textWithin(reply.text);
    }

    return {
      async summarize(text, { maxWords, maxSentences, signal }) {
        if ((await router.modelsFor("summarizer")).models.length === 0) return undefined;
        const available = Math.floor((await promptBudget(router, "summarizer")) * 0.8);
        const parts = partsOf(text, charactersFor(Math.min(PART_TOKENS, available))).slice(0, MAX_PARTS);
        const covered = parts.reduce((sum, part) => sum + part.length, 0);
        try {
          const words = formatCount(maxWords, "word");
          const length =
            maxSentences === undefined ? words : `${formatCount(maxSentences, "sentence")} and ${words}`;
          const summaries: string[] = [];
          for (const part of parts)
            summaries.push(await summary(part, parts.length > 1 ? words : length, signal));
          const found = summaries
            .map((one, index) => (parts.length > 1 ? withoutUnshown(one, parts[index] ?? "") : one))
            .filter((one) => one !== "");
          const material = found.length > 1 ? clipToTokens(found.join("\n\n"), available) : (parts[0] ?? "");
          const first = found.length > 1 ? await summary(material, length, signal) : (found[0] ?? "");
          const unshown = unshownSentences(first, text).map(
            (one) => `- ${one.text} (${one.unshown.join(", ")})`,
          );
          const second =
            unshown.length === 0 ? first : await summary(material, length, signal, { text: first, unshown });
          const whole = withoutUnshown(second, text);
          if (whole !== second)
            state.onWarning?.(
              "Sentences of the summary with figures or names that the text does not have were left out.",
            );
          if (whole === "") return undefined;
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

/** The text of a summary that a model wrote as JSON: the only text of an object, or its longest one. */
function textWithin(reply: string): string {
  const text = reply.trim();
  const json = /^(?:```(?:json)?\s*)?(\{[\s\S]*\})(?:\s*```)?$/u.exec(text)?.[1];
  const value = json === undefined ? undefined : parseJson(json);
  if (!isRecord(value)) return text;
  const texts = leavesOf(value).flatMap((leaf) =>
    typeof leaf.value === "string" ? [leaf.value.trim()] : [],
  );
  return texts.toSorted((a, b) => b.length - a.length)[0] ?? "";
}

const NOT_IN_TEXT =
  "The text does not have what stands in brackets. Write the whole summary again, with what the text says or without it:";

/** A summary without the sentences that state figures, days or names that the text does not have. */
const withoutUnshown = (summary: string, text: string): string => {
  const unshown = unshownSentences(summary, text);
  return unshown.length === 0 ? summary : withoutSentences(summary, unshown);
};

/** Splits a text into parts of at most `length` characters, preferably after a paragraph, a line or a word. */
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
