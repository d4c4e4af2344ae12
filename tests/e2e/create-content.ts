import { z } from "zod";
import type { TestServer } from "../support/server.ts";
import { carryOut } from "./support.ts";

/** Content for every page. */
export async function createContent(server: TestServer): Promise<void> {
  const owner = await server.owner();
  await owner.send("PUT", "/api/settings", { displayName: "Ada Lovelace" });
  for (const request of [
    'create a file called notes/today.md with the text "call the plumber"',
    "add a task to buy milk tomorrow, high priority",
    "add a task to call the plumber",
    "remember that the garage code is kept in the blue notebook",
    "delete the task call the plumber",
    "where is the garage code kept?",
    "list my tasks",
    "every weekday at 7:30 list my files",
  ]) {
    await carryOut(owner, request);
  }
  const { body } = await owner.post("/api/functions", {
    title: "Keep the garden notes",
    summary: "What was sown, where and when.",
    steps: ["Read notes/garden.md.", "Add a line with the day and what was sown."],
    skillsUsed: ["fs_read", "fs_write"],
    tags: ["garden"],
    parameters: [{ name: "what", type: "string", description: "What was sown", required: true }],
    examples: [{ prompt: "note that I sowed beans" }],
    kind: "code",
    code: {
      language: "typescript",
      // One problem for the editor to show: a call without a grant.
      source:
        'export async function main({ what }: { what: string }) {\n  return skills.fs_append({ path: "garden.md", text: what });\n}\n',
      entry: "main",
      tests: "",
      grants: [],
    },
  });
  const { id } = z.object({ function: z.object({ id: z.string() }) }).parse(body).function;
  await owner.send("PUT", `/api/functions/${id}`, {
    version: 1,
    summary: "What was sown, where and by whom.",
  });
  const schedules = z.object({ items: z.array(z.object({ id: z.string() })) });
  for (const schedule of schedules.parse((await owner.get("/api/schedules")).body).items)
    await owner.post(`/api/schedules/${schedule.id}/run`);
  await owner.post("/api/memories", {
    type: "curated",
    content: "The boiler is serviced in May.",
    tags: ["home"],
  });
}
