import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { ModelUnavailableError } from "@metahuman/core/errors/service-errors";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { callMetrics, type ModelCall } from "@metahuman/models/ask";
import { ModelError } from "@metahuman/models/model-error";
import type { ModelRouter } from "@metahuman/models/router";
import { z } from "zod";
import type { AgentReport, BackgroundAgent } from "../background/background-agent.ts";
import { askReflector } from "./ask-reflector.ts";
import { nearDuplicates } from "./duplicates.ts";
import { type Kept, keepThoughts } from "./keep-thoughts.ts";

export interface ReflectorPorts {
  memory: Pick<MemoryPort, "list" | "add" | "forget">;
  router: Pick<ModelRouter, "modelsFor" | "chat">;
  audit: Pick<AuditLog, "append">;
}

/** The maximum number of memories per run, newest first. */
const MAX_RECORDS = 40;
/** The minimum number of memories for a reflection. */
const MIN_RECORDS = 3;

const Memo = z.object({ through: z.string() });

const nothing = (summary: string): AgentReport => ({ summary, changed: false });

/**
 * Reflects on new memories with a language model: reflections, a dream, questions, facts to confirm, and one text for
 * near-duplicate observations. Without a model it does nothing and says so.
 */
export function createReflector({ memory, router, audit }: ReflectorPorts): BackgroundAgent {
  async function newRecords(after: string): Promise<MemoryRecord[]> {
    const { items } = await memory.list({
      types: ["conversation", "observation", "curated", "action"],
      limit: MAX_RECORDS,
    });
    return items.filter(({ id }) => id > after).reverse();
  }

  return {
    name: "reflector",
    title: "Reflector",
    about:
      "Reviews new memories: writes reflections and dreams, asks you questions, and proposes facts. Needs a language model.",
    needsModel: true,
    async work({ signal, tell, memo }) {
      if ((await router.modelsFor("summarizer")).models.length === 0)
        return nothing("No language model is connected, so nothing was done.");
      const through = Memo.safeParse(await memo.read()).data?.through ?? "";
      const records = await newRecords(through);
      if (records.length < MIN_RECORDS) return nothing("There are too few new memories to review.");

      const groups = nearDuplicates(records);
      const calls: ModelCall[] = [];
      const onModelCall = (call: ModelCall) => void calls.push(call);
      let reply;
      try {
        reply = await askReflector(records, groups, { router, signal, onModelCall });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
        await tell(error.message, "warning");
        return nothing("The language model could not be reached, so nothing was done.");
      } finally {
        for (const call of calls)
          await audit.append({ event: "llm_call", details: { ...callMetrics(call), agent: "reflector" } });
      }
      if (!reply) {
        await tell("The model's reply is not usable.", "warning");
        return nothing("The language model returned no usable reply, so nothing was stored.");
      }
      const kept = await keepThoughts(reply, { memory, records, groups, signal });
      await memo.keep({ through: records.at(-1)?.id ?? through });
      if (kept.left > 0)
        await tell(`${kept.left} thoughts were dropped, because they do not follow from the memories.`);
      return { summary: summaryOf(kept), changed: true };
    },
  };
}

function summaryOf({ reflections, dreams, questions, facts, merged }: Kept): string {
  return `Stored ${reflections} reflections, ${dreams} dreams, ${questions} questions to you and ${facts} proposed facts; merged ${merged} duplicates.`;
}
