/** A model's reply without what it thought aloud before it. */
export function withoutThinking(text: string): string {
  return text.replaceAll(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, "").trim();
}
