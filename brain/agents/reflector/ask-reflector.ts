import { fenced } from "@metahuman/core/context/fenced";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { redactText } from "@metahuman/core/log/secret-patterns";
import { addPart, type ChatMessage, emptyReply } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { readReply, ReflectorReply } from "./reply.ts";

/** How much of one memory is shown, in characters. */
const SHOWN = 400;

const { $schema: _dialect, ...format } = z.toJSONSchema(ReflectorReply, { io: "input" });
let rules: string | undefined;

/**
 * Shows the summarizer's model numbered memories, without secrets and as data, and returns what it made of them; undefined
 * when that cannot be used. Throws `ModelError`, `ModelUnavailableError` and the signal's reason.
 */
export async function askReflector(
  router: Pick<ModelRouter, "chat">,
  records: readonly MemoryRecord[],
  groups: readonly (readonly MemoryRecord[])[],
  signal: AbortSignal,
): Promise<ReflectorReply | undefined> {
  rules ??= readFileSync(new URL("./reflect.md", import.meta.url), "utf8").trim();
  const messages: ChatMessage[] = [
    { role: "system", content: rules },
    { role: "user", content: material(records, groups) },
  ];
  let reply = emptyReply();
  for await (const part of router.chat("summarizer", { messages, format, temperature: 0.4 }, signal)) {
    if (part.type === "model") reply = emptyReply();
    else addPart(reply, part);
  }
  return readReply(reply.text.replaceAll(/<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/gi, ""));
}

function material(records: readonly MemoryRecord[], groups: readonly (readonly MemoryRecord[])[]): string {
  const lines = records.map(({ content, timestamp, type }, index) => {
    const text = redactText(content).replaceAll(/\s+/gu, " ").trim().slice(0, SHOWN).toWellFormed();
    return `${index + 1}. [${timestamp.slice(0, 10)}, ${type}] ${fenced(text)}`;
  });
  const same = groups.map((group) => group.map((record) => records.indexOf(record) + 1).join(", "));
  return [
    "Memories:",
    ...lines,
    ...(same.length > 0 ? ["", "Nearly the same:", ...same.map((numbers) => `- ${numbers}`)] : []),
  ].join("\n");
}
