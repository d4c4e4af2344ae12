import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { Interaction } from "@metahuman/core/memory/patterns/find-patterns";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";

/** How far back habits are looked for. */
const MOST_CONVERSATIONS = 2_000;
const MOST_RECORDS = 8_000;
const PAGE = 200;

/** What a person asked, of what the operator keeps of an exchange (`Asked: … Answered: …`); anything else as it is. */
function requestOf({ content }: MemoryRecord): string {
  return /^Asked: ([\s\S]*?)(?:\nAnswered: |$)/.exec(content)?.[1] ?? content;
}

/** The latest exchanges with the skills that each was followed by, read from memory. */
export async function readInteractions(
  memory: Pick<MemoryPort, "list">,
  signal: AbortSignal,
): Promise<{ interactions: Interaction[]; records: ReadonlyMap<string, MemoryRecord> }> {
  const records = new Map<string, MemoryRecord>();
  const skills = new Map<string, string[]>();
  let seen = 0;
  for (let cursor: string | null | undefined; cursor !== null && seen < MOST_RECORDS;) {
    signal.throwIfAborted();
    const page = await memory.list({
      types: ["conversation", "tool_invocation"],
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    for (const record of page.items) {
      const { runId } = record.source;
      if (record.type === "conversation") records.set(record.id, record);
      else if (runId !== undefined && record.metadata.toolName !== undefined)
        // The list is newest first, what was done is told from the first step on.
        skills.set(runId, [record.metadata.toolName, ...(skills.get(runId) ?? [])]);
    }
    seen += page.items.length;
    cursor = records.size >= MOST_CONVERSATIONS ? null : page.nextCursor;
  }
  const interactions = [...records.values()].map((record) => ({
    id: record.id,
    request: requestOf(record),
    skills: skills.get(record.source.runId ?? "") ?? [],
    at: record.timestamp,
    context: record.context,
  }));
  return { interactions, records };
}
