const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Elements whose content is not shown. */
const HIDDEN = /^(?:script|style|template|noscript|svg|head)$/iu;
/** Tags that end a line. */
const LINE_ENDS =
  /^(?:br|hr|\/(?:p|div|li|ul|ol|tr|table|h[1-6]|section|article|header|footer|nav|pre|blockquote))$/iu;
const TAG_NAME = /<(\/?[a-z][a-z0-9-]*|[/!?])/iuy;

/**
 * Extracts the visible text of an HTML page, in one pass: a page cannot make it slow. For display only: the result is not
 * sanitized HTML.
 */
export function htmlToText(html: string): string {
  return visibleText(html)
    .replace(/&(?:#(?<code>\d{1,7})|#x(?<hex>[0-9a-f]{1,6})|(?<name>[a-z]{2,5}));/giu, (entity, ...found) => {
      const groups: unknown = found.at(-1);
      return character(groups) ?? entity;
    })
    .replace(/[^\S\n]+/gu, " ")
    .replace(/ ?\n ?/gu, "\n")
    .replace(/\n{3,}/gu, "\n\n")
    .trim();
}

/** The text between the tags, with lines where the tags end them. */
function visibleText(html: string): string {
  const parts: string[] = [];
  const lastClose = html.lastIndexOf(">");
  let index = 0;
  while (index < html.length) {
    const open = html.indexOf("<", index);
    // A "<" after the last ">" does not open a tag.
    if (open < 0 || (open > lastClose && !html.startsWith("<!--", open))) {
      parts.push(html.slice(index));
      break;
    }
    parts.push(html.slice(index, open));
    if (html.startsWith("<!--", open)) {
      parts.push(" ");
      index = indexAfter(html, "-->", open);
      continue;
    }
    TAG_NAME.lastIndex = open;
    const name = TAG_NAME.exec(html)?.[1];
    if (name === undefined) {
      parts.push("<");
      index = open + 1;
      continue;
    }
    index = indexAfter(html, ">", open);
    if (HIDDEN.test(name)) index = afterElement(html, name, index);
    parts.push(LINE_ENDS.test(name) ? "\n" : name.toLowerCase() === "li" ? "- " : " ");
  }
  return parts.join("");
}

/** The index after the next occurrence of `end`, or the end of the text. */
function indexAfter(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from);
  return found < 0 ? html.length : found + end.length;
}

/** The index after the end tag of this element, or the end of the text. */
function afterElement(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\s*>`, "giu");
  end.lastIndex = from;
  return end.test(html) ? end.lastIndex : html.length;
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
