import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { MemoryPage } from "@metahuman/core/contract/answers";
import { TaskPage } from "@metahuman/core/contract/http";
import { MemorySource } from "@metahuman/core/contract/memory";
import type { Answer, Client } from "../support/client.ts";
import { contentOf, taskState, type State } from "./effects.ts";
import type { Setup } from "./task-schema.ts";

/** A person of their own for one task. */
export interface Person {
  client: Client;
  /** The profile's folder on disk. */
  folder: string;
}

const ROOTS = ["out", "inbox"];
/** The most records that one page holds. */
const PAGE = 200;

/** What prompts call the person: the name of the profile would give away what a task is about. */
const DISPLAY_NAME = "Sam";

/** Adds a member and signs in. `home` is the data root of the server that `owner` speaks to. */
export async function addPerson(username: string, owner: Client, home: string): Promise<Person> {
  const password = crypto.randomUUID();
  succeeded(await owner.post("/api/profiles", { username, password, displayName: DISPLAY_NAME }));
  const client = owner.at(owner.url);
  succeeded(await client.signIn({ username, password }));
  return { client, folder: join(home, "profiles", username) };
}

/** Removes files, tasks and memories, and puts those of a task in their place. Functions stay. */
export async function prepare({ client, folder }: Person, setup: Setup): Promise<void> {
  for (const root of ROOTS) {
    await rm(join(folder, root), { recursive: true, force: true });
    await mkdir(join(folder, root), { recursive: true });
  }
  for (const { id } of await tasksOf(client))
    succeeded(await client.send("DELETE", `/api/tasks/${encodeURIComponent(id)}`));
  for (const source of MemorySource.shape.kind.options)
    succeeded(await client.send("DELETE", `/api/memories?source=${source}`));

  for (const [path, content] of Object.entries(setup.files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contentOf(content));
  }
  for (const task of setup.tasks) succeeded(await client.post("/api/tasks", task));
  for (const content of setup.memories)
    succeeded(await client.post("/api/memories", { type: "observation", content }));
}

/** What files, tasks and memories are now. */
export async function readState({ client, folder }: Person): Promise<Omit<State, "answer" | "asked">> {
  const files: Record<string, string> = {};
  for (const root of ROOTS) {
    const entries = await readdir(join(folder, root), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((item) => item.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files[relative(folder, path).split(sep).join("/")] = await readFile(path, "utf8");
    }
  }
  const written = await client.get(`/api/memories?types=observation,curated&limit=${String(PAGE)}`);
  return {
    files,
    tasks: (await tasksOf(client)).map(taskState),
    memories: MemoryPage.parse(succeeded(written)).items.map(({ content }) => content),
  };
}

async function tasksOf(client: Client) {
  const answer = await client.get(`/api/tasks?includeDone=true&limit=${String(PAGE)}`);
  return TaskPage.parse(succeeded(answer)).items;
}

/** The body of an answer; throws for anything but success. */
export function succeeded({ status, body }: Answer): unknown {
  if (status >= 200 && status < 300) return body;
  throw new Error(`The server answered ${String(status)}: ${JSON.stringify(body)}`);
}
