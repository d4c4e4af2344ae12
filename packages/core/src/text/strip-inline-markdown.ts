/**
 * Returns the words of a Markdown text without marks of code, emphasis and links. Underscores that are part of a name stay.
 * Lists of titles load this without the rest of `strip-markdown.ts`.
 */
export function stripInlineMarkdown(text: string): string {
  return text
    .replaceAll(/!?\[([^\][]+)\]\((?:[^()\s]+)\)/gu, "$1")
    .replaceAll(/(?<!\\)(\*{1,3})(?=[^\s*])([^*]*[^\s*\\])\1/gu, "$2")
    .replaceAll(/(?<=^|[\s("“[])(_{1,3})(?=[^\s_])([^_]*[^\s_\\])\1(?=[.,;:!?)\]"”]*(?:\s|$))/gu, "$2")
    .replaceAll(/(?<!\\)`([^`]+)`/gu, "$1")
    .replaceAll(/\\([\\`*_[\]<>|#])/gu, "$1");
}
