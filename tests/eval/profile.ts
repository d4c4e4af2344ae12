import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { MemoryPage } from "@metahuman/core/contract/answers";
import { TaskPage } from "@metahuman/core/contract/http";
import { MemorySource } from "@metahuman/core/contract/memory";
import type { Answer, Client } from "../support/client.ts";
import { contentOf, taskState, type State } from "./effects.ts";
import type { Setup } from "./task-schema.ts";

/** A separate person for one task. */
export interface Person {
  client: Client;
  /** The profile's folder on disk. */
  folder: string;
}

const ROOTS = ["out", "inbox"];
/** The maximum number of records per page. */
const PAGE = 200;

/** The display name of the person in prompts; the name of the profile would reveal the task. */
const DISPLAY_NAME = "Sam";

/** Adds a member and signs in. `home` is the data root of the owner's server. */
export async function addPerson(username: string, owner: Client, home: string): Promise<Person> {
  const password = crypto.randomUUID();
  succeeded(await owner.post("/api/profiles", { username, password, displayName: DISPLAY_NAME }));
  const client = owner.at(owner.url);
  succeeded(await client.signIn({ username, password }));
  return { client, folder: join(home, "profiles", username) };
}

/** Replaces files, tasks and memories by those of a task. Functions stay. */
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

/** Returns the current files, tasks and memories. */
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

/** Returns the body of a successful answer; throws for any other answer. */
export function succeeded({ status, body }: Answer): unknown {
  if (status >= 200 && status < 300) return body;
  throw new Error(`The server answered ${String(status)}: ${JSON.stringify(body)}`);
}
