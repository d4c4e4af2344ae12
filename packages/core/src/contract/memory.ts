import { z } from "zod";
import { MemoryId, Timestamp } from "./ids.ts";
import { parseJson } from "./parse-json.ts";

/** The kind of a memory. */
export const MemoryType = z.enum([
  "conversation",
  "observation",
  "tool_invocation",
  "action",
  "inner_dialogue",
  "reflection",
  "dream",
  "audio",
  "curiosity_question",
  "function_usage",
  "curated",
  "pattern",
]);
export type MemoryType = z.infer<typeof MemoryType>;

/** Text from a tool, a file or the web is `untrusted`, and so are summaries of it. */
export const MemoryTrust = z.enum(["trusted", "untrusted"]);
export type MemoryTrust = z.infer<typeof MemoryTrust>;

/** A link from one memory to another. */
export const MemoryLink = z.strictObject({ id: MemoryId, relation: z.string().min(1).max(64) });
export type MemoryLink = z.infer<typeof MemoryLink>;

/** The origin of a memory. */
export const MemorySource = z.strictObject({
  kind: z.enum(["user", "operator", "agent", "import", "tool"]),
  runId: z.string().optional(),
  conversationId: z.string().optional(),
  url: z.string().optional(),
});
export type MemorySource = z.infer<typeof MemorySource>;

/** Metadata of an episodic event; the function fields belong to `function_usage`. */
export const EpisodicEventMetadata = z.looseObject({
  conversationId: z.string().optional(),
  sessionId: z.string().optional(),
  toolName: z.string().optional(),
  toolInputs: z.record(z.string(), z.unknown()).optional(),
  toolOutputs: z.record(z.string(), z.unknown()).optional(),
  success: z.boolean().optional(),
  error: z.string().optional(),
  executionTimeMs: z.number().nonnegative().optional(),
  functionId: z.string().optional(),
  functionTitle: z.string().optional(),
  functionInputs: z.record(z.string(), z.unknown()).optional(),
  functionOutputs: z.record(z.string(), z.unknown()).optional(),
  functionSuccess: z.boolean().optional(),
  functionError: z.string().optional(),
  functionExecutionTimeMs: z.number().nonnegative().optional(),
});
export type EpisodicEventMetadata = z.infer<typeof EpisodicEventMetadata>;

/** Maximum content length of a memory, in UTF-16 code units. */
const MAX_MEMORY_CONTENT = 10_000_000;

/** Maximum number of links of a memory. */
export const MAX_LINKS = 256;

/** A memory in the form in which it is stored and returned. */
export const MemoryRecord = z.strictObject({
  id: MemoryId,
  type: MemoryType,
  content: z.string().min(1).max(MAX_MEMORY_CONTENT),
  timestamp: Timestamp,
  tags: z.array(z.string().min(1).max(64)).max(64),
  entities: z.array(z.string().min(1).max(128)).max(256),
  links: z.array(MemoryLink).max(MAX_LINKS),
  source: MemorySource,
  /** Where it belongs: `conversation`, `project`, `file`, `skill`, `function`, or keys of the caller's own. */
  context: z.record(z.string(), z.string()),
  metadata: EpisodicEventMetadata,
  importance: z.number().min(0).max(1),
  pinned: z.boolean(),
  trust: MemoryTrust,
  /** The number of edits. Default: 1. Automatic links and verdicts are not edits. */
  version: z.int().positive().optional(),
});
export type MemoryRecord = z.infer<typeof MemoryRecord>;

/** The caller's input for a new memory; the store adds the other fields. */
export const NewMemory = z.strictObject({
  type: MemoryType,
  content: MemoryRecord.shape.content,
  tags: MemoryRecord.shape.tags.optional(),
  /** Default: those that the content names. */
  entities: MemoryRecord.shape.entities.optional(),
  links: MemoryRecord.shape.links.optional(),
  context: MemoryRecord.shape.context.optional(),
  metadata: EpisodicEventMetadata.optional(),
  importance: MemoryRecord.shape.importance.optional(),
  pinned: z.boolean().optional(),
});
export type NewMemory = z.infer<typeof NewMemory>;

/** A linked memory, as displayed. */
export const LinkedMemory = z.strictObject({
  id: MemoryId,
  relation: MemoryLink.shape.relation,
  /**
   * `to`: the other memory names this one; `from`: this one names the other; `near`: similar meaning without a
   * reference.
   */
  direction: z.enum(["to", "from", "near"]),
  type: MemoryType,
  /** The beginning of the content. */
  title: z.string(),
  timestamp: z.string(),
  trust: MemoryTrust,
});
export type LinkedMemory = z.infer<typeof LinkedMemory>;

/** How often a memory was useful, and when last. Search results do not count. */
export const UseCounts = z.strictObject({
  /** An answer used its words. */
  cited: z.int().nonnegative(),
  /** An action followed it. */
  followed: z.int().nonnegative(),
  /** A person opened it from a search. */
  opened: z.int().nonnegative(),
  /** A person confirmed it. */
  useful: z.int().nonnegative(),
  not_useful: z.int().nonnegative(),
  /** It was restored from the archive. */
  restored: z.int().nonnegative(),
  lastUsedAt: z.string().optional(),
});
export type UseCounts = z.infer<typeof UseCounts>;

/** The contribution of one term to the score of a recalled memory. */
export const RecallPart = z.strictObject({
  name: z.string(),
  value: z.number(),
  detail: z.string().optional(),
});
export type RecallPart = z.infer<typeof RecallPart>;

/** A recalled memory with its score. */
export const RecalledMemory = z.strictObject({
  memory: MemoryRecord,
  score: z.number().min(0).max(1),
  rank: z.int().positive(),
  parts: z.array(RecallPart),
  /** The match score independent of other results: 1 is the calibrated threshold. */
  fit: z.number().nonnegative().optional(),
});
export type RecalledMemory = z.infer<typeof RecalledMemory>;

/** A query for memories. */
export const RecallQuery = z.strictObject({
  query: z.string().max(100_000),
  types: z.array(MemoryType).optional(),
  since: Timestamp.optional(),
  until: Timestamp.optional(),
  tags: z.array(z.string()).optional(),
  /** People, places, files, dates or amounts that a memory must name, all of them, in any case. */
  entities: z.array(z.string().trim().min(1).max(128)).max(24).optional(),
  /** The place of the request, such as `project` or `file`. Memories of the same place rank higher. */
  context: z.record(z.string(), z.string()).optional(),
  limit: z.int().positive().max(200).optional(),
  explain: z.boolean().optional(),
  /** If nothing fits, returns what is nearest, with a fit below 1, for somebody who judges it. */
  orNearest: z.boolean().optional(),
});
export type RecallQuery = z.infer<typeof RecallQuery>;

const Pairs = z.record(z.string().min(1), z.string());

/** A context as people write it: `project:garden,file:out/plan.md`, or a JSON object; undefined for anything else. */
export function parseContext(text: string): Record<string, string> | undefined {
  if (text.trimStart().startsWith("{")) {
    return Pairs.safeParse(parseJson(text)).data;
  }
  const pairs = text.split(",").map((pair) => /^\s*([\w.-]+)\s*[:=]\s*(\S.*?)\s*$/u.exec(pair));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
}
