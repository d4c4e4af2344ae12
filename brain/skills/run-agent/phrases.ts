import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const run = "(run|start|launch) the";

export const phrases: readonly (string | Phrase)[] = [
  { say: `${run} (pattern-miner|pattern miner) [agent] [now]`, args: { agent: "pattern-miner" } },
  {
    say: "(find|mine|look for) patterns [in (what I ask|my requests)] [now]",
    args: { agent: "pattern-miner" },
  },
  { say: `${run} librarian [agent] [now]`, args: { agent: "librarian" } },
  { say: "tidy [up] my memory [index] [now]", args: { agent: "librarian" } },
  { say: `${run} ingestor [agent] [now]`, args: { agent: "ingestor" } },
  { say: "(ingest|take in) [the] [files in] (my|the) inbox [now]", args: { agent: "ingestor" } },
  { say: `${run} reflector [agent] [now]`, args: { agent: "reflector" } },
  { say: "reflect on (my memories|my memory|my day) [now]", args: { agent: "reflector" } },
];

export const slots: Record<string, SlotType | Slot> = {};
