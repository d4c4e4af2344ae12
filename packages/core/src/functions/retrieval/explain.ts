import type { FoundFunction } from "../../contract/function-search.ts";
import type { ScoredFunction } from "../index/protocol.ts";

/** One sentence that says why a function was found: "By its words (file, make), and by meaning; worked 12 of 13 times." */
export function explanationOf({ parts, fit }: ScoredFunction): FoundFunction["explanation"] {
  const detail = (name: string): string | undefined => parts.find((part) => part.name === name)?.detail;
  const found = [...parts]
    .filter(({ name }) => name === "words" || name === "meaning")
    .sort((a, b) => b.value - a.value)
    .map((part) => part.detail);
  const others = ["success", "skills", "recency"].flatMap((name) => detail(name) ?? []);
  const text = [...found, ...others].join("; ");
  return { text: text === "" ? "Found." : `${text[0]?.toUpperCase() ?? ""}${text.slice(1)}.`, parts, fit };
}
