import { expect, it } from "vitest";
import { describeGrants } from "./describe-grants.ts";

const CARDS = [
  { id: "task_list", summary: "List tasks", effect: "read" as const },
  { id: "fs_write", summary: "Write a text file", effect: "write" as const },
  { id: "task_delete", summary: "Delete a task, into the archive", effect: "write" as const },
  { id: "http_get", summary: "Get a page or file from the web", effect: "network" as const },
  { id: "function_run", summary: "Run a function", effect: "execute" as const },
];

it("names what makes changes or leaves the machine, in words", () => {
  expect(describeGrants(["task_list", "fs_write", "task_delete", "http_get"], CARDS)).toBe(
    "write a text file; delete a task; get a page or file from the web",
  );
});

it("says so if an automation only reads, or only runs its own function", () => {
  expect(describeGrants(["task_list"], CARDS)).toBe("nothing that makes changes");
  expect(describeGrants(["func-20260101-abc123", "function_run"], CARDS)).toBe("nothing that makes changes");
});

it("counts many permitted actions", () => {
  const many = Array.from({ length: 6 }, (_, at) => ({
    id: `s_${at}`,
    summary: "Do it",
    effect: "write" as const,
  }));
  expect(
    describeGrants(
      many.map(({ id }) => id),
      many,
    ),
  ).toBe("all 6 kinds of changes that its trust level allows");
});
