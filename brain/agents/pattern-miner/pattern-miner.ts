import { z } from "zod";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import {
  findPatterns,
  type FoundPattern,
  type Interaction,
} from "@metahuman/core/memory/patterns/find-patterns";
import {
  isSamePattern,
  patternFacts,
  type PatternFacts,
  patternMemory,
  updatedFacts,
} from "@metahuman/core/memory/patterns/pattern-memory";
import { splitExchange } from "@metahuman/core/text/exchange";
import type { BackgroundAgent } from "../background/background-agent.ts";

export interface PatternMinerPorts {
  memory: Pick<MemoryPort, "add" | "edit" | "list">;
  /** Occurrences that make a pattern. */
  threshold: () => number;
}

interface KnownPattern {
  record: MemoryRecord;
  facts: PatternFacts;
}

const MAX_PATTERNS = 5_000;
const PAGE = 200;

/** The newest interaction that was looked at, what was looked for, and the keys of all patterns ever kept. */
const Memo = z.object({ newest: z.string(), threshold: z.int(), keys: z.array(z.string()) });

/** Finds what a person asks again and again, and keeps one `pattern` memory of each; a second pass changes nothing. */
export function createPatternMiner({ memory, threshold }: PatternMinerPorts): BackgroundAgent {
  async function knownPatterns(signal: AbortSignal): Promise<KnownPattern[]> {
    const known: KnownPattern[] = [];
    for (let cursor: string | null | undefined; cursor !== null && known.length < MAX_PATTERNS;) {
      signal.throwIfAborted();
      const page = await memory.list({
        types: ["pattern"],
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const record of page.items) {
        const facts = patternFacts(record);
        if (facts) known.push({ record, facts });
      }
      cursor = page.nextCursor;
    }
    return known;
  }

  async function keep(
    found: FoundPattern,
    known: KnownPattern | undefined,
    { records, keys }: { records: ReadonlyMap<string, MemoryRecord>; keys: Set<string> },
  ): Promise<"added" | "updated" | undefined> {
    const facts = updatedFacts(found, known?.facts);
    // One that was kept before and is gone was deleted by a person, who does not want it again.
    if (!facts || (!known && keys.has(facts.key))) return undefined;
    keys.add(facts.key);
    const updated = patternMemory(facts);
    if (known) {
      await memory.edit(known.record.id, updated);
      return "updated";
    }
    // A request consists of the person's own words, whatever its answer was based on, unless it came from another
    // source.
    const isOwn = found.members.every(({ id }) =>
      ["user", "operator"].includes(records.get(id)?.source.kind ?? ""),
    );
    await memory.add(
      {
        type: "pattern",
        ...updated,
        context: facts.context,
        links: facts.examples.map(({ id }) => ({ id, relation: "occurrence" })),
      },
      { source: { kind: "agent" }, trust: isOwn ? "trusted" : "untrusted" },
    );
    return "added";
  }

  return {
    name: "pattern-miner",
    title: "Pattern miner",
    about: "Finds requests and notes that repeat, so that a repeated request can become a function.",
    needsModel: false,
    async work({ signal, log, memo }) {
      const wanted = threshold();
      const { interactions, records } = await readInteractions(memory, signal);
      const newest = interactions.reduce((last, { id }) => (id > last ? id : last), "");
      const before = Memo.safeParse(await memo.read()).data;
      if (before?.newest === newest && before.threshold === wanted)
        return { summary: "There are no new requests or notes.", changed: false };

      const known = await knownPatterns(signal);
      const keys = new Set(before?.keys);
      const counts = { added: 0, updated: 0 };
      for (const found of await findPatterns(interactions, { threshold: wanted, signal })) {
        signal.throwIfAborted();
        const index = known.findIndex(({ facts }) => isSamePattern(facts, found));
        const [same] = index === -1 ? [] : known.splice(index, 1);
        const outcome = await keep(found, same, { records, keys });
        if (!outcome) continue;
        counts[outcome] += 1;
        await log(`“${found.text}”: ${found.members.length} times, ${outcome}.`);
      }
      await memo.save({ newest, threshold: wanted, keys: [...keys] });
      return {
        summary: `Checked ${interactions.length} requests and observations: ${counts.added} new patterns, ${counts.updated} updated.`,
        changed: counts.added + counts.updated > 0,
      };
    },
  };
}

/** The maximum number of interactions that are read, newest first. */
const MAX_INTERACTIONS = 2_000;
const MAX_RECORDS = 8_000;

/** Longer observations are documents, not habits. */
const MAX_OBSERVATION_LENGTH = 300;
/** Sources of observations that a person noted. */
const OWN_SOURCES: ReadonlySet<string> = new Set(["user", "operator", "import"]);
/** Skills that find, write or run functions: what they did is not a habit that could become a function. */
const WORKS_ON_FUNCTIONS = /^function_/u;

/** The latest requests with the skills that ran for each, and the latest short observations, read from memory. */
async function readInteractions(
  memory: Pick<MemoryPort, "list">,
  signal: AbortSignal,
): Promise<{ interactions: Interaction[]; records: ReadonlyMap<string, MemoryRecord> }> {
  const records = new Map<string, MemoryRecord>();
  const skills = new Map<string, string[]>();
  let seen = 0;
  for (let cursor: string | null | undefined; cursor !== null && seen < MAX_RECORDS;) {
    signal.throwIfAborted();
    const page = await memory.list({
      types: ["conversation", "tool_invocation", "observation"],
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    for (const record of page.items) {
      const { runId } = record.source;
      if (isInteraction(record)) records.set(record.id, record);
      else if (runId !== undefined && record.metadata.toolName !== undefined)
        // The list is newest first, and the skills are listed in the order in which they ran.
        skills.set(runId, [record.metadata.toolName, ...(skills.get(runId) ?? [])]);
    }
    seen += page.items.length;
    cursor = records.size >= MAX_INTERACTIONS ? null : page.nextCursor;
  }
  const interactions = [...records.values()].map((record): Interaction => ({
    id: record.id,
    kind: record.type === "observation" ? "observation" : "request",
    request: splitExchange(record.content)?.asked ?? record.content,
    skills: record.type === "observation" ? [] : (skills.get(record.source.runId ?? "") ?? []),
    at: record.timestamp,
    context: record.context,
  }));
  return {
    interactions: interactions.filter((one) => !one.skills.some((skill) => WORKS_ON_FUNCTIONS.test(skill))),
    records,
  };
}

/** A request, unless it was a single call or ran a function; or a short observation. */
function isInteraction({ type, content, source, context, metadata }: MemoryRecord): boolean {
  if (type === "conversation") return context["function"] === undefined && metadata["direct"] !== true;
  return type === "observation" && content.length <= MAX_OBSERVATION_LENGTH && OWN_SOURCES.has(source.kind);
}
