/** Characters per token to plan with: low for English prose, about right for JSON and paths. */
const CHARACTERS_PER_TOKEN = 3.5;

/** About how many tokens a text costs; budgets are planned with it, real counts come from the server's replies. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** How many characters fit into about that many tokens. */
export function charactersFor(tokens: number): number {
  return Math.floor(tokens * CHARACTERS_PER_TOKEN);
}

/** The text, or as much of its beginning as the tokens allow, with the clip stated. */
export function clipToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const length = Math.max(0, Math.floor((text.length * tokens) / estimateTokens(text)) - 60);
  return `${text.slice(0, length).toWellFormed()}\n[… ${String(text.length - length)} more characters are left out]`;
}
