const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Extracts the visible text of an HTML page. For display only: the result is not sanitised HTML. */
export function htmlToText(html: string): string {
  return html
    .replace(/<!--[\s\S]*?(?:-->|$)/gu, " ")
    .replace(/<(script|style|template|noscript|svg|head)\b[^>]*>[\s\S]*?(?:<\/\1\s*>|$)/giu, " ")
    .replace(
      /<(?:br|hr)\b[^>]*>|<\/(?:p|div|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|nav|pre|blockquote)\s*>/giu,
      "\n",
    )
    .replace(/<li\b[^>]*>/giu, "- ")
    .replace(/<[a-z/!?][^>]*>/giu, " ")
    .replace(/&(?:#(?<code>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>[a-z]{2,5}));/giu, (whole, ...found) => {
      const groups: unknown = found.at(-1);
      return character(groups) ?? whole;
    })
    .replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .replace(/\n{3,}/gu, "\n\n")
    .trim();
}

function character(groups: unknown): string | undefined {
  if (typeof groups !== "object" || groups === null) return undefined;
  if ("name" in groups && typeof groups.name === "string") return ENTITIES[groups.name.toLowerCase()];
  const code =
    "code" in groups && typeof groups.code === "string"
      ? Number(groups.code)
      : "hex" in groups && typeof groups.hex === "string"
        ? Number.parseInt(groups.hex, 16)
        : 0;
  return code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    ? String.fromCodePoint(code)
    : undefined;
}

const TEXT =
  /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml|x-www-form-urlencoded)|image\/svg)/iu;

/** Returns the body as text; undefined for other content, such as an image. */
export function bodyAsText(body: Uint8Array, contentType: string): string | undefined {
  const isText = contentType === "" ? !body.includes(0) : TEXT.test(contentType);
  if (!isText) return undefined;
  const charset = /charset="?(?<name>[\w-]+)/iu.exec(contentType)?.groups?.name ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder().decode(body);
    throw error;
  }
}
