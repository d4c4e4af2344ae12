/** Characters per token for estimates: low for English prose, about right for JSON and paths. */
const CHARACTERS_PER_TOKEN = 3.5;

/** Estimates the tokens of a text. Budgets use this estimate; real counts come from the server's replies. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Returns the approximate number of characters for a number of tokens. */
export function charactersFor(tokens: number): number {
  return Math.floor(tokens * CHARACTERS_PER_TOKEN);
}

/** Clips a text to a number of tokens, with a notice. */
export function clipToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const length = Math.max(0, Math.floor((text.length * tokens) / estimateTokens(text)) - 60);
  return `${text.slice(0, length).toWellFormed()}\n[… ${String(text.length - length)} more characters are left out]`;
}
