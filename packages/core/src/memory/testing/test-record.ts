import type { MemoryRecord } from "../../contract/memory.ts";
import { Schedule } from "../../contract/schedule.ts";
import type { Task } from "../../contract/task.ts";
import { ulid } from "../../text/ulid.ts";

/** A minimal record of a person's own words; a test sets what it is about in `fields`. */
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

let made = 0;
/** The end of an id that no other test uses. */
const nextNumber = (): string => String((made += 1)).padStart(4, "0");

/** A memory, a task and a schedule with an id of its own. */
export const newRecords = {
  memory: (): MemoryRecord =>
    testRecord({ id: `evt-20260101T000000000Z-walnut-${nextNumber()}`, version: 1 }),
  task: (): Task => ({
    id: `task-20260101T000000000Z-walnut-${nextNumber()}`,
    title: "Crack the walnuts",
    description: "",
    status: "todo",
    priority: "P2",
    tags: [],
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    version: 1,
  }),
  schedule: (): Schedule =>
    Schedule.parse({
      id: `sched-${ulid().toLowerCase()}`,
      title: "Water the walnut tree",
      what: { kind: "reminder", text: "Water the walnut tree" },
      when: { kind: "at", at: "2026-01-02T08:00:00.000Z" },
      timeZone: "UTC",
      catchUp: "once",
      overlap: "skip",
      graceMinutes: 5,
      approvalMinutes: 720,
      skipDays: [],
      trustLevel: "observe",
      grants: [],
      needsModel: false,
      enabled: true,
      createdBy: "ada",
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      version: 1,
    }),
};
