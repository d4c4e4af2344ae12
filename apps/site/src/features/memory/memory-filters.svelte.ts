import type { MemorySource, MemoryTrust, MemoryType } from "@metahuman/core/contract/memory";
import { ALL_TYPES } from "./memory-labels.ts";

export const SINCE = [
  { value: "", label: "Any time", hours: 0 },
  { value: "day", label: "Last 24 hours", hours: 24 },
  { value: "week", label: "Last 7 days", hours: 7 * 24 },
  { value: "month", label: "Last 30 days", hours: 30 * 24 },
  { value: "year", label: "Last year", hours: 365 * 24 },
] as const;

export type Since = (typeof SINCE)[number]["value"];

/** The filters of a list of memories; an absent field does not filter. */
export interface Narrowing {
  types?: readonly MemoryType[];
  since?: string;
  tag?: string;
  source?: MemorySource["kind"];
  trust?: MemoryTrust;
}

/** The filters of memories, with the values of their fields: an empty value does not filter. */
export class MemoryFilters {
  type = $state<MemoryType | "">("");
  since = $state<Since>("");
  tag = $state("");
  source = $state<MemorySource["kind"] | "">("");
  trust = $state<MemoryTrust | "">("");

  /** The number of active filters. */
  readonly active = $derived.by(
    () =>
      [this.type, this.since, this.tag.trim(), this.source, this.trust].filter((one) => one !== "").length,
  );

  /** The query parameters for these types, now. */
  narrowing(types: readonly MemoryType[], now = new Date()): Narrowing & { types: readonly MemoryType[] } {
    const tag = this.tag.trim().replace(/^#/, "");
    const hours = SINCE.find(({ value }) => value === this.since)?.hours ?? 0;
    const { type } = this;
    return {
      types: type !== "" && types.includes(type) ? [type] : types,
      ...(hours > 0 && { since: new Date(now.getTime() - hours * 3_600_000).toISOString() }),
      ...(tag !== "" && { tag }),
      ...(this.source !== "" && { source: this.source }),
      ...(this.trust !== "" && { trust: this.trust }),
    };
  }

  /** The query parameters of a search of everything, now. */
  narrowingOfSearch(now = new Date()): Narrowing {
    const { types, ...rest } = this.narrowing(ALL_TYPES, now);
    return this.type === "" ? rest : { types, ...rest };
  }

  clear(): void {
    this.type = "";
    this.since = "";
    this.tag = "";
    this.source = "";
    this.trust = "";
  }
}
