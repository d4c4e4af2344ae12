import { lacksTools } from "@metahuman/core/contract/model-abilities";
import type { ModelInfo, ModelRef, ModelRole } from "@metahuman/core/contract/models";

/** A model as a server offers it. */
export interface OfferedModel {
  ref: ModelRef;
  info: ModelInfo;
}

/** Largest model that is chosen unasked, in billions of parameters: beyond it a common machine answers too slowly. */
const COMFORTABLE_SIZE = 15;
/** Families that are good at short structured replies, best first; others follow. */
const FAMILIES = ["qwen3", "gpt-oss", "llama3", "qwen2", "gemma3", "mistral", "phi", "gemma"];

/**
 * The embedder that is used unasked. Changing it means embedding every memory anew, so one that a person pulled for
 * something else does not take over.
 */
const USUAL_EMBEDDER = /^nomic-embed-text(:|$)/;

/** Whether a person who writes `wanted` means the model that its server lists as `listed`: `name` is `name:latest`. */
export function namesModel(wanted: string, listed: string): boolean {
  return listed === wanted || listed === `${wanted}:latest`;
}

/**
 * The models for a role when nothing is configured, best first: for `embedder` `nomic-embed-text`, for the rest those
 * that chat, with tools before without, comfortable sizes from large to small, then
 * the oversized ones from small to large.
 */
export function chooseModels(role: ModelRole, offered: readonly OfferedModel[]): ModelRef[] {
  const fitting = role === "embedder" ? offered.filter(embeds) : offered.filter(chats);
  return fitting
    .map((model) => ({ model, rank: chatRank(model.info) }))
    .toSorted((a, b) => compare(a.rank, b.rank) || a.model.ref.localeCompare(b.model.ref))
    .map(({ model }) => model.ref);
}

function embeds({ info }: OfferedModel): boolean {
  return USUAL_EMBEDDER.test(info.name) && (info.abilities?.includes("embedding") ?? true);
}

function chats({ info }: OfferedModel): boolean {
  return info.abilities ? info.abilities.includes("chat") : !/embed|whisper|rerank|tts/i.test(info.name);
}

function chatRank(info: ModelInfo): number[] {
  const size = billions(info);
  const oversized = size > COMFORTABLE_SIZE;
  const family = FAMILIES.findIndex((known) =>
    `${info.family ?? ""} ${info.name}`.toLowerCase().includes(known),
  );
  return [
    lacksTools(info) ? 1 : 0,
    oversized ? 1 : 0,
    oversized ? size : -size,
    family === -1 ? FAMILIES.length : family,
  ];
}

/** `4.0B` → 4, `137M` → 0.137; unknown → 0. */
function billions({ parameterSize, name }: ModelInfo): number {
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
