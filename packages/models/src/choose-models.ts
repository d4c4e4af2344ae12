import { lacksTools } from "@metahuman/core/contract/model-abilities";
import type { ModelInfo, ModelRef, ModelRole } from "@metahuman/core/contract/models";

/** A model of a server. */
export interface OfferedModel {
  ref: ModelRef;
  info: ModelInfo;
}

/** The largest model chosen by default, in billions of parameters. Larger models are too slow on a common machine. */
const MAX_DEFAULT_SIZE = 15;
/** Model families that are good at short structured replies, best first. */
const FAMILIES = ["qwen3", "gpt-oss", "llama3", "qwen2", "gemma3", "mistral", "phi", "gemma"];

/**
 * The default embedder. Changing it means embedding every memory again, so a model that a person pulled for
 * another purpose does not replace it.
 */
const DEFAULT_EMBEDDER = /^nomic-embed-text(:|$)/;

/** Whether the name `wanted` refers to the model that its server lists as `listed`. `name` means `name:latest`. */
export function matchesModel(wanted: string, listed: string): boolean {
  return listed === wanted || listed === `${wanted}:latest`;
}

/**
 * Returns the models for a role without configuration, best first. `embedder` gets `nomic-embed-text`; other roles get
 * chat models: those with tools first, then sizes up to `MAX_DEFAULT_SIZE` from large to small, then
 * larger models from small to large.
 */
export function chooseModels(role: ModelRole, offered: readonly OfferedModel[]): ModelRef[] {
  const candidates = role === "embedder" ? offered.filter(embeds) : offered.filter(chats);
  return candidates
    .map((model) => ({ model, rank: chatRank(model.info) }))
    .toSorted((a, b) => compare(a.rank, b.rank) || a.model.ref.localeCompare(b.model.ref))
    .map(({ model }) => model.ref);
}

function embeds({ info }: OfferedModel): boolean {
  return DEFAULT_EMBEDDER.test(info.name) && (info.abilities?.includes("embedding") ?? true);
}

function chats({ info }: OfferedModel): boolean {
  return info.abilities ? info.abilities.includes("chat") : !/embed|whisper|rerank|tts/i.test(info.name);
}

function chatRank(info: ModelInfo): number[] {
  const size = parameterBillions(info);
  const isOversized = size > MAX_DEFAULT_SIZE;
  const family = FAMILIES.findIndex((known) =>
    `${info.family ?? ""} ${info.name}`.toLowerCase().includes(known),
  );
  return [
    lacksTools(info) ? 1 : 0,
    isOversized ? 1 : 0,
    isOversized ? size : -size,
    family === -1 ? FAMILIES.length : family,
  ];
}

/** `4.0B` → 4, `137M` → 0.137; unknown → 0. */
function parameterBillions({ parameterSize, name }: ModelInfo): number {
  const match =
    /(\d+(?:\.\d+)?)\s*([bm])\b/i.exec(parameterSize ?? "") ?? /(\d+(?:\.\d+)?)([bm])\b/i.exec(name);
  if (!match) return 0;
  const value = Number(match[1]);
  return match[2]?.toLowerCase() === "m" ? value / 1_000 : value;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
