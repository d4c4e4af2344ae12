import { Parser } from "htmlparser2";
import { readText } from "./read-text.ts";

/** What is never shown as text. */
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
/** What begins on a line of its own. */
const BLOCKS = new Set(
  "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul".split(
    " ",
  ),
);

/** The words of a page as a reader sees them; the title first. Nothing of it is run or fetched. */
export function readHtml(html: string): string[] {
  let title = "";
  let text = "";
  let unseen = 0;
  let inTitle = false;
  const parser = new Parser(
    {
      onopentag(name) {
        if (UNSEEN.has(name)) unseen += 1;
        if (name === "title") inTitle = true;
        if (BLOCKS.has(name)) text += "\n\n";
      },
      ontext(words) {
        if (inTitle) title += words;
        else if (unseen === 0) text += words.replaceAll(/\s+/gu, " ");
      },
      onclosetag(name) {
        if (UNSEEN.has(name)) unseen = Math.max(0, unseen - 1);
        if (name === "title") inTitle = false;
        if (BLOCKS.has(name)) text += "\n\n";
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => paragraph.replaceAll(/ +/g, " ").trim());
  return readText([title.trim(), ...paragraphs].filter((words) => words !== "").join("\n\n"));
}
