export type RoomId = "chat" | "memory" | "functions" | "runs" | "approvals" | "settings";

/** The rooms that work, in the order in which they stand in the rail. */
export const ROOMS: readonly { id: RoomId; label: string; href: string; key: string }[] = [
  { id: "chat", label: "Chat", href: "/", key: "c" },
  { id: "memory", label: "Memory", href: "/memory", key: "m" },
  { id: "functions", label: "Functions", href: "/functions", key: "f" },
  { id: "runs", label: "Runs", href: "/runs", key: "r" },
  { id: "approvals", label: "Approvals", href: "/approvals", key: "a" },
  { id: "settings", label: "Settings", href: "/settings", key: "s" },
];
