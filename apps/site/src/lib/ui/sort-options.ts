import type { TimeSort } from "@metahuman/core/contract/http";
import type { TaskSort } from "@metahuman/core/contract/task";

export interface Order<Value extends string> {
  value: Value;
  label: string;
}

export const TIME_SORTS: readonly Order<TimeSort>[] = [
  { value: "newest", label: "Newest first" },
  { value: "oldest", label: "Oldest first" },
];

export const TASK_SORTS: readonly Order<TaskSort>[] = [
  { value: "urgency", label: "Most urgent first" },
  { value: "due", label: "Due first" },
  { value: "newest", label: "Newest first" },
  { value: "title", label: "By title" },
];
