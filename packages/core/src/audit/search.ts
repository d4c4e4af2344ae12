import { join } from "node:path";
import { z } from "zod";
import { AuditQuery, type AuditPage } from "../contract/audit.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { parseLine, seqOf } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import { readHead } from "./head.ts";
import { readLines } from "./read-lines.ts";

const Cursor = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .transform(Number);

/** Newest first. Reads file by file in small pieces; what does not parse is `verify`'s to report. */
export async function searchEntries(
  folder: string,
  request: AuditQuery,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const query = AuditQuery.parse(request);
  const before = query.cursor === undefined ? Infinity : readCursor(query.cursor);
  const matches = matcher(query);
  // Every line is in the file of its day or, after the clock was set back, of a later one; never of an earlier one.
  const oldest = query.since?.slice(0, 10) ?? "";
  const files = (await dayFiles(folder)).filter((file) => file.slice(0, 10) >= oldest).toReversed();

  const found: string[] = [];
  let total = 0;
  for (const file of files) {
    const wanted = query.limit + 1 - found.length;
    // Without a condition the total is known from the log's end, and the rest need not be read.
    if (!matches && wanted <= 0) break;
    const kept: string[] = [];
    for await (const lines of readLines(join(folder, file), 0, signal)) {
      for (const { text, complete } of lines) {
        if (!complete || matches?.(text) === false) continue;
        total += 1;
        if ((seqOf(text) ?? Infinity) >= before) continue;
        kept.push(text);
        if (kept.length > Math.max(wanted, 0)) kept.shift();
      }
    }
    found.push(...kept.toReversed());
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

/** Judges a line; undefined when there is no condition and every line will do. */
function matcher({
  event,
  runId,
  since,
  until,
  query,
}: z.output<typeof AuditQuery>): ((line: string) => boolean) | undefined {
  const words =
    query
      ?.toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "") ?? [];
  if (
    event === undefined &&
    runId === undefined &&
    since === undefined &&
    until === undefined &&
    words.length === 0
  )
    return undefined;
  // As they stand in the line's JSON: most lines can be left out without parsing them.
  const quoted = [event, runId].filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  const escaped = words.map((word) => JSON.stringify(word).slice(1, -1));
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
    const { previous: _previous, seq: _seq, ...said } = entry;
    return hasWords(JSON.stringify(said));
  };
}

function readCursor(cursor: string): number {
  const parsed = Cursor.safeParse(cursor);
  if (!parsed.success)
    throw new InvalidArgsError("This cursor does not come from a search of the audit log.");
  return parsed.data;
}
