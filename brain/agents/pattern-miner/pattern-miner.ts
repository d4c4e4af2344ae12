import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { findPatterns, type FoundPattern } from "@metahuman/core/memory/patterns/find-patterns";
import {
  isSamePattern,
  patternFacts,
  patternMemory,
  updatedFacts,
  type PatternFacts,
} from "@metahuman/core/memory/patterns/pattern-memory";
import { z } from "zod";
import type { BackgroundAgent } from "../background/background-agent.ts";
import { readInteractions } from "./interactions.ts";

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
      await memo.keep({ newest, threshold: wanted, keys: [...keys] });
      return {
        summary: `Checked ${interactions.length} requests and observations: ${counts.added} new patterns, ${counts.updated} updated.`,
        changed: counts.added + counts.updated > 0,
      };
    },
  };
}
