import { globSync, readFileSync } from "node:fs";
import { extname, join, relative, resolve } from "node:path";
import { parse } from "svelte/compiler";
import { describe, expect, it } from "vitest";

const SOURCE = resolve(import.meta.dirname, "..");
/** The copy files themselves, tables of labels for the server's names, and style sheets. */
const COPY = /(?:^|\/)(?:copy|[a-z-]+-(?:copy|labels)|call-phrases|examples|code-editor)\.ts$/u;
/** Attributes that a person reads. */
const READ = new Set([
  "about",
  "alt",
  "aria-label",
  "hint",
  "label",
  "legend",
  "placeholder",
  "text",
  "title",
]);

type Node = Record<string, unknown>;

describe("copy", () => {
  it("is in the copy file of its feature: only labels of up to three words are in components", () => {
    const files = [
      ...globSync(join(SOURCE, "{features,lib}/**/*.{svelte,ts}")),
      ...globSync(join(SOURCE, "{layouts,pages}/*.astro")),
    ].filter((file) => !COPY.test(file) && !/\.test\.ts$|\/testing\//u.test(file));
    expect(files.length).toBeGreaterThan(200);
    const found = files.flatMap((file) =>
      sentencesIn(readFileSync(file, "utf8"), extname(file)).map(
        (text) => `${relative(SOURCE, file)}: ${text}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ["<p>Nothing is here.</p>", ["Nothing is here."]],
    ["<p>About {count} in each prompt</p>", ["About in each prompt"]],
    ["<p>Loading…</p><code>npm run every single check</code>", []],
    ['<input placeholder="Same as the server" class="not one of the texts" />', ["Same as the server"]],
    ["<script>const said = `No parameter ${name}.`;</script>", ["No parameter ."]],
    ['<script>throw new Error("a stream without an end");</script>', []],
  ])("finds the sentences of %s", (source, sentences) => {
    expect(sentencesIn(source, ".svelte")).toEqual(sentences);
  });

  it("finds the sentences of a page and of its frontmatter", () => {
    const page = `---
const hint = "You are a guest.";
---
<Layout title="A page of its own">
  <p>It may have
  been deleted. {hint && <b>Nothing is here.</b>}</p>
</Layout>
<style>p { color: var(--ink); }</style>`;
    expect(sentencesIn(page, ".astro")).toEqual([
      "You are a guest.",
      "A page of its own",
      "It may have been deleted.",
      "Nothing is here.",
    ]);
  });
});

function sentencesIn(source: string, extension: string): string[] {
  if (extension === ".astro") return pageSentencesIn(source);
  const component = extension === ".svelte" ? source : `<script lang="ts">${source}</script>`;
  return textsIn(parse(component, { modern: true })).filter(isSentence);
}

/** Those of an Astro page, whose template the parser cannot read: its frontmatter, its texts and its attributes. */
function pageSentencesIn(source: string): string[] {
  const [, frontmatter = "", template = ""] = /^---\n([^]*?)\n---\n([^]*)$/u.exec(source) ?? [];
  const read = template.replaceAll(/<(style|script)[^]*?<\/\1>/gu, "");
  const texts = Array.from(
    read.matchAll(/(?: (?<name>[a-z-]+)="(?<value>[^"]*)"|[>}](?<text>[^<>{}]+))/gu),
    ({ groups }) => groups?.["text"] ?? (READ.has(groups?.["name"] ?? "") ? (groups?.["value"] ?? "") : ""),
  );
  return [
    ...sentencesIn(frontmatter, ".ts"),
    ...texts.map((text) => text.replaceAll(/\s+/gu, " ").trim()).filter(isSentence),
  ];
}

function isSentence(text: string): boolean {
  // Addresses, code, and lists of words are not read.
  if (/^https?:|[;{}\n]|\d(?:px|rem)|var\(|\[contenteditable|^a an the /u.test(text.trim())) return false;
  const words = text.split(/\s+/u).filter((part) => /\p{L}/u.test(part));
  return words.length >= 4 || (words.length >= 2 && /[.?!]["”]?$/u.test(text));
}

/** The texts below a node of the syntax tree, without what is inserted into them. */
function textsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (!isNode(node)) return [];
  switch (node["type"]) {
    case "ImportDeclaration":
    case "ImportExpression":
    case "ExportAllDeclaration":
    case "NewExpression":
      return [];
    case "RegularElement":
      if (node["name"] === "code" || node["name"] === "style") return [];
      break;
    case "Fragment":
      return [...runsOf(node["nodes"]), ...textsIn(node["nodes"])];
    case "Text":
      return [];
    case "Attribute":
      return READ.has(String(node["name"])) ? [joined(node["value"]), ...below(node)] : expressionsOf(node);
    case "Literal":
      return typeof node["value"] === "string" ? [node["value"]] : [];
    case "TemplateLiteral":
      return [joined(node["quasis"]), ...textsIn(node["expressions"])];
  }
  return below(node);
}

const below = (node: Node): string[] => Object.values(node).flatMap(textsIn);

/** Attributes such as `class` are not read, but handlers may show a text. */
function expressionsOf(attribute: Node): string[] {
  return ["class", "style", "href"].includes(String(attribute["name"])) ? [] : below(attribute);
}

/** Text and insertions that follow each other, as one text. */
function runsOf(nodes: unknown): string[] {
  const runs: string[] = [""];
  for (const node of Array.isArray(nodes) ? nodes : []) {
    if (isNode(node) && (node["type"] === "Text" || node["type"] === "ExpressionTag"))
      runs.push(`${runs.pop() ?? ""} ${textOf(node)}`);
    else runs.push("");
  }
  return runs.map((text) => text.replaceAll(/\s+/gu, " ").trim());
}

function joined(parts: unknown): string {
  const texts = (Array.isArray(parts) ? parts : []).map(textOf);
  return texts.join(" ").replaceAll(/ +/gu, " ").trim();
}

/** The characters of a text or of a part of a template. */
function textOf(node: unknown): string {
  if (!isNode(node)) return "";
  const { data, value } = node;
  if (typeof data === "string") return data;
  return isNode(value) && typeof value["cooked"] === "string" ? value["cooked"] : "";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}
