import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { FunctionMemory, Verification } from "@metahuman/core/contract/function";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import type { Client } from "./client.ts";
import { startOwnedServer, type TestServer } from "./server.ts";

const One = z.object({ function: FunctionMemory });
const PromotedFunction = z.object({ function: FunctionMemory, verification: Verification });
export type PromotedFunction = z.infer<typeof PromotedFunction>;

/** A server with an owner, and actions for scenarios about functions. */
export interface LearningHarness {
  server: TestServer;
  owner: Client;
  ask(goal: string): Promise<OperatorAnswer>;
  load(id: string): Promise<FunctionMemory>;
  run(id: string): Promise<Run>;
  /** Returns the text of a file under the owner's `out/`. */
  file(path: string): Promise<string>;
  /** Sends a request and returns the learned function; throws if nothing was learned. */
  learnFrom(goal: string): Promise<FunctionMemory>;
  write(content: Record<string, unknown>): Promise<FunctionMemory>;
  promote(id: string): Promise<PromotedFunction>;
  /** Creates and promotes a recipe that writes `path` and creates a task about {name}. */
  createPromotedRecipe(
    template: string,
    path: string,
    title: string,
    bytes?: number,
  ): Promise<FunctionMemory>;
}

export async function openLearningHarness(): Promise<LearningHarness> {
  const { server, owner } = await startOwnedServer();
  const ask = async (goal: string): Promise<OperatorAnswer> =>
    OperatorAnswer.parse((await owner.post("/api/operator", { goal })).body);
  const load = async (id: string): Promise<FunctionMemory> =>
    One.parse((await owner.get(`/api/functions/${id}`)).body).function;
  const run = async (id: string): Promise<Run> => Run.parse((await owner.get(`/api/runs/${id}`)).body);
  const write = async (content: Record<string, unknown>): Promise<FunctionMemory> =>
    One.parse((await owner.post("/api/functions", content)).body).function;
  return {
    server,
    owner,
    ask,
    load,
    write,
    run,
    file: (path) => readFile(join(server.home, "profiles/ada/out", path), "utf8"),
    async learnFrom(goal) {
      const { runId } = await ask(goal);
      // On a busy machine, learning takes longer.
      for (const end = Date.now() + 20_000; Date.now() < end; await setTimeout(50)) {
        const { learnedFunction } = await run(runId);
        if (learnedFunction) return load(learnedFunction.id);
      }
      throw new Error(`Nothing was learned: ${JSON.stringify(await run(runId))}`);
    },
    async promote(id) {
      await owner.post(`/api/functions/${id}/approve`);
      const proven = PromotedFunction.parse((await owner.post("/api/functions/promote", { id })).body);
      if (proven.function.trust !== "verified")
        throw new Error(`It was not promoted: ${JSON.stringify(proven)}`);
      return proven;
    },
    async createPromotedRecipe(template, path, title, bytes) {
      const { id } = await write({
        title,
        summary: `${title}.`,
        steps: ["Write the file", "Note a task"],
        skillsUsed: ["fs_write", "task_create"],
        kind: "recipe",
        parameters: [{ name: "name", type: "string", description: "", required: true }],
        examples: [{ prompt: template.replace("{name}", "garden"), parameters: { name: "garden" } }],
        recipe: {
          promptTemplates: [template],
          actions: [
            {
              skill: "fs_write",
              args: { path, content: "${name}" },
              expect: [
                { field: "created", is: "equals", value: true },
                ...(bytes === undefined ? [] : [{ field: "bytes", is: "equals", value: bytes }]),
              ],
            },
            { skill: "task_create", args: { title: "See to ${name}" }, expect: [] },
          ],
        },
      });
      // A hand-written function has no fixture for a replay, so the owner gives a reason for promoting it.
      const answer = await owner.post("/api/functions/promote", { id, reason: "Looked through." });
      return PromotedFunction.parse(answer.body).function;
    },
  };
}
