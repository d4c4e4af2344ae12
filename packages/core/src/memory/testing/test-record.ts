import type { MemoryRecord } from "../../contract/memory.ts";

/** A record of one's own words, as plain as records get; what a test is about goes into `fields`. */
export function testRecord(fields: Partial<MemoryRecord> = {}): MemoryRecord {
  return {
    id: "evt-20260101T000000000Z-x",
    type: "observation",
    content: "The garage code is in the blue notebook.",
    timestamp: "2026-01-01T00:00:00.000Z",
    tags: [],
    entities: [],
    links: [],
    source: { kind: "user" },
    context: {},
    metadata: {},
    importance: 0.5,
    pinned: false,
    trust: "trusted",
    ...fields,
  };
}
