import type { FunctionMemory } from "./function.ts";
import type { Reverification } from "./verification.ts";

/** "worked 12 of 13 times", "worked once". Percentages would mislead with few runs. */
export function successText({
  executions,
  successes,
}: Pick<FunctionMemory["stats"], "executions" | "successes">): string {
  if (executions === 0) return "not used yet";
  if (executions === 1) return successes === 1 ? "worked once" : "failed once";
  return `worked ${String(successes)} of ${String(executions)} times`;
}

/** One sentence per call: "2. fs_write: “path”: from your request; “content”: composed by the model, so this is a guide". */
export function valueOrigins({
  kind,
  provenance = [],
  examples,
  recipe,
}: Pick<FunctionMemory, "kind" | "provenance" | "examples" | "recipe">): string[] {
  const skills = recipe?.actions.map(({ skill }) => skill) ?? examples[0]?.skillSequence ?? [];
  const steps = [...new Set(provenance.map(({ step }) => step))].toSorted((one, other) => one - other);
  return steps.map((step) => {
    const values = provenance
      .filter((value) => value.step === step)
      .map(({ argument, from, detail }) => {
        const why = from === "composed" && kind === "guide" ? ", so this is a guide" : "";
        return `“${argument}”: ${detail}${why}`;
      });
    const skill = skills[step - 1];
    return `${String(step)}. ${skill === undefined ? "" : `${skill}: `}${values.join("; ")}`;
  });
}

/** Describes the progress of re-verification in sentences; undefined if there is nothing to report. */
export function describeReverification({
  status,
  total,
  checked,
  demoted,
  inconclusive,
}: Reverification): string | undefined {
  const joinTitles = (functions: Reverification["demoted"]): string =>
    functions.map(({ title }) => `“${title}”`).join(", ");
  const sentences = [
    status === "running"
      ? `Verified functions are checked again under stricter rules: ${String(checked)} of ${String(total)} done.`
      : "",
    demoted.length > 0 ? `No longer passing, and drafts again: ${joinTitles(demoted)}. Each says why.` : "",
    inconclusive.length > 0
      ? `Not checked, still in service, and checked again at the next start: ${joinTitles(inconclusive)}.`
      : "",
  ].filter((sentence) => sentence !== "");
  return sentences.length > 0 ? sentences.join(" ") : undefined;
}
