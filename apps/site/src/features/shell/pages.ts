export type PageId =
  | "chat"
  | "memory"
  | "files"
  | "functions"
  | "runs"
  | "approvals"
  | "automations"
  | "settings";

/** The pages, in the order of the navigation. */
export const PAGES: readonly { id: PageId; label: string; href: string; key: string }[] = [
  { id: "chat", label: "Chat", href: "/", key: "c" },
  { id: "memory", label: "Memory", href: "/memory", key: "m" },
  { id: "files", label: "Files", href: "/files", key: "l" },
  { id: "functions", label: "Functions", href: "/functions", key: "f" },
  { id: "runs", label: "Runs", href: "/runs", key: "r" },
  { id: "approvals", label: "Approvals", href: "/approvals", key: "a" },
  { id: "automations", label: "Automations", href: "/automations", key: "t" },
  { id: "settings", label: "Settings", href: "/settings", key: "s" },
];
