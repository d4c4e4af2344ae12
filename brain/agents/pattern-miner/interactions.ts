import type { MemoryRecord } from "@metahuman/core/contract/memory";
import type { Interaction } from "@metahuman/core/memory/patterns/find-patterns";
import { splitExchange } from "@metahuman/core/text/exchange";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";

/** The maximum number of interactions that are read, newest first. */
const MAX_INTERACTIONS = 2_000;
const MAX_RECORDS = 8_000;
const PAGE = 200;

/** Longer observations are documents, not habits. */
const MAX_OBSERVATION_LENGTH = 300;
/** Sources of observations that a person noted. */
const OWN_SOURCES: ReadonlySet<string> = new Set(["user", "operator", "import"]);
/** Skills that find, write or run functions: what they did is no habit that could become a function. */
const WORKS_ON_FUNCTIONS = /^function_/u;

/** The latest requests with the skills that ran for each, and the latest short observations, read from memory. */
export async function readInteractions(
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
