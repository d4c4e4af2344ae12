import { join } from "node:path";
import { z } from "zod";
import { AuditQuery, type AuditPage } from "../contract/audit.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { parseLine, seqOf, dayFiles, readHead } from "./signed-chain.ts";
import { readLines } from "./read-lines.ts";

const Cursor = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number);

/** Searches newest first, file by file in chunks. Skips invalid lines, which `verify` reports. */
export async function searchEntries(
  folder: string,
  request: AuditQuery,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const query = AuditQuery.parse(request);
  const before = query.cursor === undefined ? Infinity : readCursor(query.cursor);
  const matches = createFilter(query);
  // A line is in the file of its day, or of a later day if the clock was set back; never of an earlier day.
  const oldest = query.since?.slice(0, 10) ?? "";
  const files = (await dayFiles(folder)).filter((file) => file.slice(0, 10) >= oldest).toReversed();

  const found: string[] = [];
  let total = 0;
  for (const file of files) {
    const remaining = query.limit + 1 - found.length;
    // Without a filter, the end of the log gives the total, and the rest is not read.
    if (!matches && remaining <= 0) break;
    const matched: string[] = [];
    for await (const lines of readLines(join(folder, file), 0, signal)) {
      for (const { text, complete } of lines) {
        if (!complete || matches?.(text) === false) continue;
        total += 1;
        if ((seqOf(text) ?? Infinity) >= before) continue;
        matched.push(text);
        if (matched.length > Math.max(remaining, 0)) matched.shift();
      }
    }
    found.push(...matched.toReversed());
  }
  const items = found
    .slice(0, query.limit)
    .map(parseLine)
    .filter((entry) => entry !== undefined);
  return {
    items,
    nextCursor: found.length > query.limit ? String(items.at(-1)?.seq) : null,
    total: matches ? total : ((await readHead(folder))?.seq ?? total),
  };
}

/** The words of a query, as they appear in the lower-case JSON text of a line. */
export function queryWords(query: string | undefined): string[] {
  const words = query?.toLowerCase().split(/\s+/) ?? [];
  return words.filter((word) => word !== "").map((word) => JSON.stringify(word).slice(1, -1));
}

/** Returns a predicate for lines; undefined without a filter. */
function createFilter({
  event,
  runId,
  since,
  until,
  query,
}: z.output<typeof AuditQuery>): ((line: string) => boolean) | undefined {
  const escaped = queryWords(query);
  if (
    event === undefined &&
    runId === undefined &&
    since === undefined &&
    until === undefined &&
    escaped.length === 0
  )
    return undefined;
  // Values as they appear in the JSON text, which excludes most lines without parsing.
  const quoted = [event, runId].filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  const hasWords = (text: string): boolean => {
    const lower = text.toLowerCase();
    return escaped.every((word) => lower.includes(word));
  };
  const from = since === undefined ? -Infinity : Date.parse(since);
  const to = until === undefined ? Infinity : Date.parse(until);

  return (line) => {
    if (!quoted.every((value) => line.includes(value)) || !hasWords(line)) return false;
    const entry = parseLine(line);
    if (
      !entry ||
      (event !== undefined && entry.event !== event) ||
      (runId !== undefined && entry.runId !== runId)
    )
      return false;
    const at = Date.parse(entry.at);
    if (at < from || at >= to) return false;
    const { previous: _previous, seq: _seq, ...content } = entry;
    return hasWords(JSON.stringify(content));
  };
}

/** The number of a line in a cursor. Throws `InvalidArgsError`. */
export function readCursor(cursor: string): number {
  const parsed = Cursor.safeParse(cursor);
  if (!parsed.success) throw new InvalidArgsError("The cursor is not from a search of the audit log.");
  return parsed.data;
}
