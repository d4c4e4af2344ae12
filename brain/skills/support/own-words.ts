const words = (text: string): string => {
  const folded = text.normalize("NFKC").toLowerCase();
  return ` ${(folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(" ")} `;
};

/**
 * Whether a person wrote `text` themselves: its words stand in their request, in this order and with nothing between.
 * Letter case, punctuation and spacing do not count. Text without any word is compared as it is.
 */
export function isOwnWords(text: string, request: string): boolean {
  const said = words(text);
  return said.trim() === "" ? request.includes(text) : words(request).includes(said);
}
