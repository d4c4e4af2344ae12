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
import { nearDuplicates, type StoredCounts, storeReflections } from "./store-reflections.ts";
import { formatCount } from "@metahuman/core/text/format";

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

const unchanged = (summary: string): AgentReport => ({ summary, changed: false });

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
    async work({ signal, log, memo }) {
      if ((await router.modelsFor("summarizer")).models.length === 0)
        return unchanged("No language model is connected, so nothing was done.");
      const through = Memo.safeParse(await memo.read()).data?.through ?? "";
      const records = await newRecords(through);
      if (records.length < MIN_RECORDS) return unchanged("There are too few new memories to review.");

      const groups = nearDuplicates(records);
      const calls: ModelCall[] = [];
      const onModelCall = (call: ModelCall) => void calls.push(call);
      let reply;
      try {
        reply = await askReflector(records, groups, { router, signal, onModelCall });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelError || error instanceof ModelUnavailableError)) throw error;
        await log(error.message, "warning");
        return unchanged("The language model could not be reached, so nothing was done.");
      } finally {
        for (const call of calls)
          await audit.append({ event: "llm_call", details: { ...callMetrics(call), agent: "reflector" } });
      }
      if (!reply) {
        await log("The model's reply is not usable.", "warning");
        return unchanged("The language model returned no usable reply, so nothing was stored.");
      }
      const stored = await storeReflections(reply, { memory, records, groups, signal });
      await memo.save({ through: records.at(-1)?.id ?? through });
      if (stored.ignored > 0)
        await log(
          `${formatCount(stored.ignored, "item")} of the reply did not follow from the memories and ${stored.ignored === 1 ? "was" : "were"} ignored.`,
        );
      return { summary: summaryOf(stored), changed: true };
    },
  };
}

function summaryOf({ reflections, dreams, questions, facts, merged }: StoredCounts): string {
  return `Stored ${reflections} reflections, ${dreams} dreams, ${questions} questions to you and ${facts} proposed facts; merged ${merged} duplicates.`;
}
