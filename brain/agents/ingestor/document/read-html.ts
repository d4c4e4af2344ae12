import { Parser } from "htmlparser2";
import { readText } from "./read-text.ts";

/** Elements whose content is not displayed. */
const UNSEEN = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
]);
/** Elements that start on a new line. */
const BLOCKS = new Set(
  "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul".split(
    " ",
  ),
);

/** Returns the visible text of a page, title first. Executes and fetches nothing. */
export function readHtml(html: string): string[] {
  let title = "";
  let text = "";
  let unseen = 0;
  let isInTitle = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (UNSEEN.has(name)) unseen += 1;
        if (name === "title") isInTitle = true;
        if (BLOCKS.has(name)) text += "\n\n";
      },
      ontext(words) {
        if (isInTitle) title += words;
        else if (unseen === 0) text += words.replaceAll(/\s+/gu, " ");
      },
      onclosetag(name) {
        if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
        if (name === "title") isInTitle = false;
        if (BLOCKS.has(name)) text += "\n\n";
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/ +/g, " ").trim());
  return readText([title.trim(), ...paragraphs].filter((words) => words !== "").join("\n\n"));
}
