import type { NewMemory } from "@metahuman/core/contract/memory";

const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo vu".split(
    " ",
  );
const VOCABULARY = 20_000;
const TYPES = ["observation", "conversation", "tool_invocation", "observation", "curated"] as const;

/** Words with the frequencies of a language (Zipf): a few are everywhere, most are rare. */
export function syntheticWords(random: () => number): () => string {
  const words = Array.from({ length: VOCABULARY }, (_, number) => {
    const length = 2 + (number % 3);
    return Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] ?? "").join("");
  });
  return () => words[Math.floor(VOCABULARY ** random()) - 1] ?? "";
}

/** Memories of one to five sentences. */
export function syntheticMemories(count: number, random: () => number): NewMemory[] {
  const word = syntheticWords(random);
  return Array.from({ length: count }, (_, number): NewMemory => {
    const sentences = Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
      Array.from({ length: 6 + Math.floor(random() * 10) }, word).join(" "),
    );
    return {
      type: TYPES[number % TYPES.length] ?? "observation",
      content: `${sentences.join(". ")}.`,
      tags: [`t${number % 50}`],
    };
  });
}

/** Questions of some words of one memory each. */
export function syntheticQuestions(
  memories: readonly NewMemory[],
  count: number,
  random: () => number,
): string[] {
  return Array.from({ length: count }, () => {
    const content = memories[Math.floor(random() * memories.length)]?.content ?? "";
    const words = content.replaceAll(".", "").split(" ");
    const start = Math.floor(random() * Math.max(1, words.length - 5));
    return `what about ${words.slice(start, start + 5).join(" ")}`;
  });
}
