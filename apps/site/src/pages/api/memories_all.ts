import { EVERY_AGENT } from "@metahuman/core/contract/function";
import { z } from "zod";
import { MemoriesAll } from "@metahuman/core/contract/answers";
import type { MemoryType } from "@metahuman/core/contract/memory";
import { route } from "../../server/api/route.ts";

/** The kinds of memory, and the types of record each one holds. */
const tabs = {
  episodic: ["conversation", "observation", "tool_invocation", "action", "function_usage"],
  reflections: ["reflection", "inner_dialogue"],
  dreams: ["dream"],
  curated: ["curated"],
  curiosity: ["curiosity_question"],
  audio: ["audio"],
  patterns: ["pattern"],
} satisfies Record<string, MemoryType[]>;

export const GET = route(
  {
    summary: "The first page of every kind of memory, of tasks and of functions, with totals",
    needs: "canReadMemory",
    input: { query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50) }) },
    output: MemoriesAll,
  },
  async ({ query: { limit }, caller: { profile } }) => {
    const first = (types: MemoryType[]) => profile.memory.list({ types, limit });
    const [episodic, reflections, dreams, curated, curiosity, audio, patterns, functions, tasks] =
      await Promise.all([
        first(tabs.episodic),
        first(tabs.reflections),
        first(tabs.dreams),
        first(tabs.curated),
        first(tabs.curiosity),
        first(tabs.audio),
        first(tabs.patterns),
        profile.functions.of(EVERY_AGENT).listFunctions({ limit }),
        profile.tasks.list({ includeDone: true, limit }),
      ]);
    return {
      episodic: episodic.items,
      reflections: reflections.items,
      dreams: dreams.items,
      curated: curated.items,
      tasks: tasks.tasks,
      curiosity: curiosity.items,
      audio: audio.items,
      patterns: patterns.items,
      functions: functions.items,
      totals: {
        episodic: episodic.total,
        reflections: reflections.total,
        dreams: dreams.total,
        curated: curated.total,
        tasks: tasks.total,
        curiosity: curiosity.total,
        audio: audio.total,
        patterns: patterns.total,
        functions: functions.total,
      },
    };
  },
);
