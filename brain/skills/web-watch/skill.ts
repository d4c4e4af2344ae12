import { Timestamp } from "@metahuman/core/contract/ids";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { NetworkError } from "@metahuman/core/errors/service-errors";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { formatCount } from "@metahuman/core/text/format";
import type { WebResponse } from "@metahuman/sandbox/network/exchange";
import { z } from "zod";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { defineSkill } from "../define-skill.ts";
import { codeBlock } from "../markdown.ts";
import { bodyAsText, htmlToText } from "../support/html-to-text.ts";

const changes = "(changes|change|changed|is different|is new|is updated|updates)";
const it = "(it|that|this|the page|the site|anything|something|anything there|something there)";
const look =
  "(check|watch|monitor|look at|open|visit|get|fetch|read|load|see|keep an eye on) [me] [the] [page|url|site|website|web page|address] [at]";
const notify = "(tell|notify|inform|alert|warn|message|ping) me|let me know|say|report";

const phrases: readonly (string | Phrase)[] = [
  `${look} {url} and (${notify}) (when|if|whenever|whether|once|as soon as) ${it} [has] ${changes}`,
  `${look} {url} and (${notify}) [about] (what [has] ${changes}|[any|the] changes)`,
  `${look} {url} for (changes|updates|news|anything new)`,
  "(watch|monitor|keep an eye on) [the] [page|url|site|website|web page|address] [at] {url}",
  `(${notify}) (when|if|whenever|whether|once|as soon as) [the] [page|site|website] {url} [has] ${changes}`,
  `(${notify}) (when|if|whenever|whether|once|as soon as) [there is] (anything|something) [new] [has] [changes|changed] (on|at) {url}`,
  `has [the] [page|site|website] {url} (changed|been updated)`,
  `what [has] (is new|changed) (on|at) [the] [page|site|website] {url}`,
];

const slots: Record<string, SlotType | Slot> = {
  url: { type: "text", like: /^https?:\/\/\S+$/iu, sample: "https://example.org/" },
};

const MAX_BYTES = 1_000_000;
/** Control and direction characters, which would act on the terminal or the page that shows them. */
const UNSHOWN = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}]/gu;
/** The maximum length of the part of a page that is compared, in characters. */
const MAX_TEXT = 200_000;
/** How many changed lines are shown, and how long each. */
const MAX_LINES = 5;
const MAX_LINE = 160;
/** How much of a long line is shown before its first difference. */
const CONTEXT_BEFORE = 30;

export const WebWatchOutput = z.strictObject({
  url: z.string(),
  state: z.enum(["first", "unchanged", "changed"]),
  since: Timestamp.optional().describe("When the page was first found as it was before"),
  added: z.array(z.string()).describe("New lines, at most five, clipped"),
  removed: z.array(z.string()).describe("Lines that are gone, at most five, clipped"),
  addedCount: z.int().nonnegative(),
  removedCount: z.int().nonnegative(),
  lines: z.int().nonnegative().describe("The length of the page"),
  truncated: z.boolean().describe("True when only the beginning was compared"),
  scheduled: z.boolean().describe("Whether a schedule looks at it again"),
});
export type WebWatchOutput = z.infer<typeof WebWatchOutput>;

export const webWatch = defineSkill({
  id: "web_watch",
  summary: "Check whether a page on the web has changed since the last check",
  category: "web",
  input: z.strictObject({
    url: z.string().trim().min(1).max(4_000).describe("A whole address, http or https"),
  }),
  output: WebWatchOutput,
  effects: "network",
  risk: "medium",
  asksPerHost: true,
  idempotent: true,
  timeoutMs: 60_000,
  notes:
    "Compares the visible text with what the person was told last. To check regularly, schedule the request “check <url> and tell me when it changes”.",
  phrases,
  slots,
  assess: async ({ url }, { web }) => {
    const target = web.check(url);
    return {
      risk: "medium",
      preview: {
        title: `Check ${target.href} for changes?`,
        target: target.href,
        facts: [{ label: "host", value: target.host }],
      },
      paths: [],
      hosts: [target.host],
      grant: { host: target.host },
    };
  },
  narrate: (outputs, region) => describeFinding(outputs, (at) => formatMoment(at, region)),
  structure(outputs, region) {
    const { added, removed } = outputs;
    const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
    const summary = describeCounts(outputs, (at) => formatMoment(at, region));
    return lines.length === 0 ? summary : `${summary}\n\n${codeBlock(lines.join("\n"))}`;
  },
  run: async ({ url }, { ports: { web, watchedPages }, signal, runId, scheduleId, now }) => {
    const answer = await web.get(url, { headers: {}, maxBytes: MAX_BYTES, signal });
    requirePage(answer);
    const full = (await textOf(answer)).replaceAll(UNSHOWN, "");
    const text = full.slice(0, MAX_TEXT).toWellFormed();
    const href = web.check(url).href;
    const before = await watchedPages.replace(
      { scheduleId, url: href, runId },
      { text, at: now.toISOString() },
    );
    const state: WebWatchOutput["state"] =
      before === undefined ? "first" : before.text === text ? "unchanged" : "changed";
    return {
      url: href,
      state,
      ...(before && { since: before.at }),
      ...differences(before?.text ?? text, text),
      lines: linesOf(text).length,
      truncated: answer.truncated || full.length > text.length,
      scheduled: scheduleId !== undefined,
    };
  },
});

/** Throws unless the server has answered with the page. A server that is overloaded may answer later. */
function requirePage({ status, finalUrl }: WebResponse): void {
  if (status >= 200 && status < 300) return;
  const { host } = new URL(finalUrl);
  if (status >= 500 || status === 408 || status === 429)
    throw new NetworkError(`${host} answered with an error (${status}).`);
  throw new InvalidArgsError(
    status === 404 || status === 410
      ? `${host} has no page at this address any more (${status}).`
      : `${host} does not show this page (${status}).`,
    { suggestions: ["Open the address in a browser: only pages that need no signing in can be watched."] },
  );
}

/** The visible text of a page, line by line; for other content, its size and its hash. */
async function textOf({ body, contentType }: WebResponse): Promise<string> {
  const text = bodyAsText(body, contentType);
  if (text === undefined) {
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(body)));
    const hex = Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${formatCount(body.length, "byte")}, ${contentType}, SHA-256 ${hex}`;
  }
  if (/html/iu.test(contentType)) return htmlToText(text);
  return /json/iu.test(contentType) ? jsonLines(text) : text.replaceAll("\r\n", "\n").trim();
}

const JSON_PART = /"[^"\\]*(?:\\.[^"\\]*)*"?|\s+|[{}[\],]/gsu;

/** Formats JSON with one value per line, so that a diff shows only the changed values. */
function jsonLines(text: string): string {
  return text.replace(JSON_PART, (part) => {
    if (part.startsWith('"')) return part;
    if (part === "," || part === "{" || part === "[") return `${part}\n`;
    return part === "}" || part === "]" ? `\n${part}` : "";
  });
}

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The lines that one text has more often than the other. */
function differences(
  before: string,
  after: string,
): Pick<WebWatchOutput, "added" | "removed" | "addedCount" | "removedCount"> {
  const [removed, added] = [linesWithout(before, after), linesWithout(after, before)];
  const clippedTo = (line: string, other: string | undefined) => clippedLine(line, other ?? "");
  return {
    added: added.slice(0, MAX_LINES).map((line, index) => clippedTo(line, removed[index])),
    removed: removed.slice(0, MAX_LINES).map((line, index) => clippedTo(line, added[index])),
    addedCount: added.length,
    removedCount: removed.length,
  };
}

function linesWithout(text: string, other: string): string[] {
  const counts = new Map<string, number>();
  for (const line of linesOf(other)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return linesOf(text).filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

/** A long line from shortly before the first place where it differs from its counterpart. */
function clippedLine(line: string, counterpart: string): string {
  if (line.length <= MAX_LINE) return line;
  let same = 0;
  while (same < counterpart.length && line[same] === counterpart[same]) same++;
  const start = Math.max(0, Math.min(same - CONTEXT_BEFORE, line.length - MAX_LINE));
  const end = start + MAX_LINE;
  const excerpt = line.slice(start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${excerpt}${end < line.length ? "…" : ""}`;
}

function describeCounts(
  { url, state, since, addedCount, removedCount, lines, truncated, scheduled }: WebWatchOutput,
  format: (at: string) => string,
): string {
  const part = truncated ? " Only the beginning of the page was compared." : "";
  const from = since === undefined ? "" : ` since ${format(since)}`;
  switch (state) {
    case "first": {
      const again = scheduled
        ? "You are told when it changes."
        : `To be told when it changes, ask: every 2 hours check ${url} and tell me when it changes.`;
      return `Remembered ${url} as it is now (${formatCount(lines, "line")}). ${again}${part}`;
    }
    case "unchanged":
      return `${url} has not changed${from}.${part}`;
    case "changed": {
      const counts = [
        ...(addedCount > 0 ? [formatCount(addedCount, "new line")] : []),
        ...(removedCount > 0 ? [`${formatCount(removedCount, "line")} gone`] : []),
      ];
      const what = counts.length === 0 ? "its lines are in another order" : counts.join(", ");
      return `${url} has changed${from}: ${what}.${part}`;
    }
    default:
      return state satisfies never;
  }
}

/** The findings with the changed lines, in one paragraph. */
function describeFinding(outputs: WebWatchOutput, format: (at: string) => string): string {
  const { added, removed } = outputs;
  // Quotation marks of the page must not end the quotation.
  const quoteLines = (lines: readonly string[]) =>
    lines.map((line) => `“${line.replaceAll(/[“”]/gu, '"')}”`).join("; ");
  return [
    describeCounts(outputs, format),
    ...(added.length > 0 ? [`New: ${quoteLines(added)}.`] : []),
    ...(removed.length > 0 ? [`Gone: ${quoteLines(removed)}.`] : []),
  ].join(" ");
}
