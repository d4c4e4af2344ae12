import type { Region } from "@metahuman/core/contract/region";
import type { Observation, ScratchpadEntry } from "@metahuman/core/contract/run";
import { uncapitalize } from "@metahuman/core/text/format";
import type { Skill } from "@metahuman/skills/define-skill";
import { linePreview } from "@metahuman/skills/support/phrasing";
import { ANSWER_SKILL, type AnswerWriter } from "./answer-writer.ts";

/** The number of sentences in a summary. */
const SUMMARY_SENTENCES = 3;

const NOTHING_TO_SAY =
  "Nothing was looked up for this request, and an answer in free words needs a model. Start Ollama, or add a model server under Settings → Models.";

interface Finding {
  sentence: string;
  detail: string;
  success: boolean;
}

/** The findings of a run: one for each call that was made and is not only about steering it. */
export function findingsOf(
  scratchpad: readonly ScratchpadEntry[],
  skills: readonly Skill[],
  region?: Region,
): Finding[] {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  return scratchpad.flatMap(({ action, observation, functionId }): Finding[] => {
    const skill = action && byId.get(action.tool);
    // A text that a step of a function composed is a finding; the answer of the run is not.
    const isComposed = action?.tool === ANSWER_SKILL && functionId !== undefined;
    if (!action || !observation || (skill?.category === "agent" && !isComposed)) return [];
    if (observation.error?.code === "LOOP_DETECTED") return [];
    if (!observation.success) {
      const task =
        skill === undefined ? `use ${action.tool}` : uncapitalize(skill.summary).replace(/[,:]\s.*$/u, "");
      const sentence =
        observation.error?.code === "APPROVAL_DENIED"
          ? `Not done: ${askedIn(observation) ?? `${task}${subjectIn(action.args)}`}. ${denialOf(observation)}`
          : `Couldn’t ${task}: ${observation.error?.message ?? observation.content}`;
      return [{ sentence, detail: sentence, success: false }];
    }
    const outputs = observation.outputs;
    // The skill may have changed since the run was stored; then the stored text is shown.
    if (!skill || !outputs || !skill.output.safeParse(outputs).success) {
      return [{ sentence: observation.content, detail: observation.content, success: true }];
    }
    return [
      { sentence: skill.narrate(outputs, region), detail: skill.structure(outputs, region), success: true },
    ];
  });
}

/** What the person was asked to allow: "change out/fees.csv" of "Change out/fees.csv?". */
function askedIn({ error }: Observation): string | undefined {
  const title = error?.context?.["title"];
  return typeof title === "string" ? uncapitalize(title.replace(/\?$/u, "")) : undefined;
}

/** What a call is for, in parentheses: " (out/fees.csv)"; its error names it only where the call failed by itself. */
function subjectIn(args: Record<string, unknown>): string {
  const subject = ["path", "from", "title", "text", "url", "id"]
    .map((name) => args[name])
    .find((one) => typeof one === "string");
  return subject === undefined ? "" : ` (${linePreview(subject)})`;
}

/** The sentence for a call that was denied, or that nobody decided on in time. */
function denialOf({ error, content }: Observation): string {
  if (error?.context?.["isDecided"] !== true) return error?.message ?? content;
  const { reason } = error.context;
  return typeof reason === "string" ? `You denied this: ${reason}` : "You denied this.";
}

/** Lists the observations without a model, so that nothing can be invented. Says so when there are none. */
export function createBuiltInAnswerWriter(skills: readonly Skill[]): AnswerWriter {
  return {
    async write({ style, scratchpad, state: { timeZone, locale } }, { onText }) {
      const findings = findingsOf(scratchpad, skills, { timeZone, locale });
      const text = findings.length === 0 ? NOTHING_TO_SAY : inStyle(findings);
      onText(text, 0);
      return text;

      function inStyle(found: readonly Finding[]): string {
        switch (style) {
          case "strict":
            return found.map((finding) => finding.detail).join("\n\n");
          case "summary":
            return summary(found);
          case "default":
            return found.map((finding) => finding.sentence).join("\n");
          default:
            return style satisfies never;
        }
      }
    },
  };
}

/** The first findings, and the number of the others. */
function summary(findings: readonly Finding[]): string {
  const shown = findings.length > SUMMARY_SENTENCES ? findings.slice(0, SUMMARY_SENTENCES - 1) : findings;
  const left = findings.length - shown.length;
  return [
    ...shown.map((finding) => finding.sentence),
    ...(left > 0 ? [`${left} more steps were taken.`] : []),
  ].join(" ");
}
