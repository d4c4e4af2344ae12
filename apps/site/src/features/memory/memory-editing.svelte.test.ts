import { describe, expect, it } from "vitest";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { ApiProblem } from "../../lib/api/api-problem.ts";
import { memoryOf } from "../../lib/testing/fixtures.ts";
import { editableText, MemoryEditing, readableText, readEdit } from "./memory-editing.svelte.ts";

const RECORD = memoryOf("evt-20260101T000000000Z-x", "At nine.", { tags: ["ferry"] });

/** A server that stores one memory and checks its version, as the real one does. */
function serverWith(first: MemoryRecord) {
  let now = first;
  const answer = () => ({
    memory: now,
    uses: { cited: 0, followed: 0, opened: 0, useful: 0, not_useful: 0, restored: 0 },
    linked: [],
  });
  return {
    now: () => now,
    link: (links: MemoryRecord["links"]) => void (now = { ...now, links }),
    edit: async (_id: string, { version, ...edit }: Partial<MemoryRecord>) => {
      if (version !== undefined && version !== now.version)
        throw new ApiProblem(409, { code: "STALE_VERSION", message: "Somebody else was faster." });
      now = { ...now, ...edit, version: (now.version ?? 1) + 1 };
      return { memory: now };
    },
    get: async () => answer(),
  };
}

async function twoTabs() {
  const server = serverWith(RECORD);
  const mine = new MemoryEditing(server, server.now());
  const theirs = new MemoryEditing(server, server.now());
  theirs.text = editableText({ ...server.now(), tags: ["ferry", "theirs"], importance: 0.9 });
  await theirs.save();
  mine.text = editableText({ ...RECORD, content: "At ten.", importance: 0.8 });
  expect(await mine.save()).toBeUndefined();
  return { server, mine };
}

describe("a memory that two tabs edit", () => {
  it("is stored as the first tab saved it; the other tab keeps its text and sees what both changed", async () => {
    const { server, mine } = await twoTabs();
    expect(server.now()).toMatchObject({ content: "At nine.", tags: ["ferry", "theirs"] });
    expect(mine.text).toContain("At ten.");
    expect(mine.theirs).toMatchObject({ tags: ["ferry", "theirs"] });
    expect(mine.both).toEqual(["importance"]);
    expect(await mine.save()).toBeUndefined();
  });

  it.each([
    ["changes", { content: "At ten.", tags: ["ferry", "theirs"], importance: 0.8 }],
    ["all", { content: "At ten.", tags: ["ferry"], importance: 0.8 }],
  ] as const)("applies %s of the slower tab on request", async (what, kept) => {
    const { server, mine } = await twoTabs();
    mine.keepMine(what);
    expect(await mine.save()).toMatchObject(kept);
    expect(server.now()).toMatchObject({ ...kept, version: 3 });
  });

  it("can be discarded in favor of the faster tab", async () => {
    const { server, mine } = await twoTabs();
    mine.takeTheirs();
    expect(mine.dirty).toBe(false);
    expect(mine.text).toBe(editableText(server.now()));
  });
});

describe("a memory as people compare it", () => {
  it("is its content and then a line for each field, without JSON", () => {
    const record = memoryOf("evt-20260101T000000000Z-x", "The ferry\ngoes at nine.", {
      tags: ["ferry", "summer"],
      importance: 0.8,
      pinned: true,
      links: [{ id: "evt-20260101T000000000Z-y", relation: "related" }],
      metadata: { seat: "by the window" },
    });
    expect(readableText(record, [{ id: "evt-20260101T000000000Z-y", title: "The timetable" }])).toBe(
      `The ferry
goes at nine.

Tags: ferry, summer
Importance: important (0.8)
Pinned: yes
Linked to: The timetable (related)
Metadata: {"seat":"by the window"}`,
    );
  });

  it("leaves out fields without a value", () => {
    expect(readableText({ content: "At nine.", tags: [], links: [], metadata: {} })).toBe("At nine.");
  });
});

it("sends only changed fields, so links found meanwhile stay", async () => {
  const server = serverWith(RECORD);
  const editing = new MemoryEditing(server, server.now());
  const links = [{ id: "evt-20260101T000000000Z-y", relation: "related" }];
  server.link(links);
  editing.text = editableText({ ...RECORD, content: "Other words." });
  expect(await editing.save()).toMatchObject({ content: "Other words.", links });
});

describe("a memory edited by its fields", () => {
  it("changes only the typed field, even if its value is refused", () => {
    const editing = new MemoryEditing(serverWith(RECORD), RECORD);
    editing.change({ content: "" });
    expect(editing.fields?.content).toBe("");
    expect(editing.read.problem).toBe("Content must not be empty.");
    editing.change({ content: "At ten.", tags: ["ferry", "timetable"] });
    expect(editing.read.edit).toMatchObject({
      content: "At ten.",
      tags: ["ferry", "timetable"],
      importance: 0.5,
    });
  });

  it("has no fields while the text is not JSON", () => {
    const editing = new MemoryEditing(serverWith(RECORD), RECORD);
    editing.text = "{";
    expect(editing.fields).toBeUndefined();
    editing.change({ content: "At ten." });
    expect(editing.text).toBe("{");
  });
});

describe("a memory edited as JSON", () => {
  it("is accepted if every field is valid", () => {
    expect(readEdit(`{"content": "new words", "tags": ["a"], "importance": 0.4}`)).toEqual({
      edit: { content: "new words", tags: ["a"], importance: 0.4 },
    });
  });

  it.each([
    ["{", "This is not JSON"],
    [`{"importance": 2}`, "Importance must be "],
    [`{"content": ""}`, "Content must not be empty."],
    [`{"id": "evt-1"}`, "There is no “id” here; remove it."],
    [`{"links": [{"id": "x", "relation": "y"}]}`, "Id of link 1: "],
    ["[]", "Must be an object, not a list."],
  ])("is refused with the reason: %s", (text, reason) => {
    expect(readEdit(text).problem).toContain(reason);
  });
});
