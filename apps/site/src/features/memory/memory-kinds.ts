import type { MemoryType } from "@metahuman/core/contract/memory";

/** The kinds of memory that have a tab, with the record types each holds. */
export const KINDS = {
  episodic: {
    label: "Episodic",
    types: ["conversation", "observation", "tool_invocation", "action", "function_usage"],
  },
  reflections: { label: "Reflections", types: ["reflection", "inner_dialogue"] },
  curated: { label: "Curated", types: ["curated"] },
  dreams: { label: "Dreams", types: ["dream"] },
  curiosity: { label: "Curiosity", types: ["curiosity_question"] },
  audio: { label: "Audio", types: ["audio"] },
  patterns: { label: "Patterns", types: ["pattern"] },
} satisfies Record<string, { label: string; types: readonly MemoryType[] }>;

export type Kind = keyof typeof KINDS;
export type Tab = Kind | "tasks" | "functions" | "archive";

export const TABS: readonly { id: Tab; label: string }[] = [
  { id: "episodic", label: KINDS.episodic.label },
  { id: "reflections", label: KINDS.reflections.label },
  { id: "tasks", label: "Tasks" },
  { id: "curated", label: KINDS.curated.label },
  { id: "dreams", label: KINDS.dreams.label },
  { id: "curiosity", label: KINDS.curiosity.label },
  { id: "audio", label: KINDS.audio.label },
  { id: "patterns", label: KINDS.patterns.label },
  { id: "functions", label: "Functions" },
  { id: "archive", label: "Archive" },
];

/** Every type that is searched. */
export const ALL_TYPES: readonly MemoryType[] = Object.values(KINDS).flatMap(
  (kind): readonly MemoryType[] => kind.types,
);

export function isTab(name: string | undefined): name is Tab {
  return TABS.some(({ id }) => id === name);
}

/** The types of memory a tab lists; none where it lists something else. */
export function typesOf(tab: Tab): readonly MemoryType[] {
  return tab === "tasks" || tab === "functions" || tab === "archive" ? [] : KINDS[tab].types;
}

/** How a type of memory is called: "tool invocation". */
export function typeLabel(type: MemoryType): string {
  return type.replaceAll("_", " ");
}
