/**
 * Sentences that speak to whoever reads the function as a prompt rather than saying how a task is done. A list of known
 * forms cannot be complete; it catches what was copied, and people read the rest before they promote.
 */
const FORMS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|earlier|above|prior|all|any|your|system|other)\b.{0,40}\b(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|context)\b/isu,
  /\byou are (?:now|no longer)\b/iu,
  /\b(?:reveal|print|repeat|show|output|leak)\b.{0,30}\b(?:system prompt|hidden prompt|your instructions|your prompt)\b/isu,
  /<\/?\s*(?:system|assistant|instructions?|developer)\b[^>]{0,80}>/iu,
  /\[\/?(?:INST|SYS(?:TEM)?)\]|<<\/?SYS>>|<\|im_(?:start|end)\|>/iu,
  /^\s*(?:system|assistant|developer)\s*:/imu,
  /\b(?:do not|don['’]?t|never|without)\b.{0,20}\b(?:tell|telling|inform|informing|ask|asking|mention|show)\b.{0,25}\b(?:user|person|owner|human)\b/isu,
  /\b(?:approve|promote|verify|register|grant|allow)\b.{0,40}\b(?:yourself|itself|automatically|without (?:asking|approval|confirmation))\b/isu,
  /\b(?:change|raise|set|switch)\b.{0,20}\b(?:trust level|policy|permissions?)\b/isu,
];

/** The first passage that reads like an instruction to the planner; undefined when there is none. */
export function instructionIn(text: string): string | undefined {
  for (const form of FORMS) {
    const match = form.exec(text);
    if (match) return match[0].slice(0, 80);
  }
  return undefined;
}
