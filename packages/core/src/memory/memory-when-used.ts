import { openWhenUsed } from "./open-when-used.ts";
import type { MemoryPort } from "./memory-port.ts";
import type { OpenedMemory } from "./open-memory.ts";

/** What an open profile needs of its memories. */
export interface UsedMemory extends Pick<OpenedMemory, "memory" | "index" | "upkeep" | "close"> {
  isOpen(): boolean;
}

/** Memories that `open` opens when they are first used, or in the background at once. */
export function openMemoryWhenUsed(
  open: () => Promise<OpenedMemory>,
  {
    opensAtOnce,
    onWarning,
  }: {
    opensAtOnce: boolean;
    /** Receives why they could not be opened at once; the next use tries again. */
    onWarning: (message: string, cause: unknown) => void;
  },
): UsedMemory {
  const { use, opened, close } = openWhenUsed("the memories", open);
  if (opensAtOnce) use().catch((error: unknown) => onWarning("The memories could not be opened yet.", error));
  return {
    memory: forwardMemoryCalls(async (work) => work((await use()).memory)),
    index: {
      status: async () => (await use()).index.status(),
      rebuild: async () => (await use()).index.rebuild(),
      reconcile: async () => (await use()).index.reconcile(),
    },
    isOpen: () => opened() !== undefined,
    upkeep: { retire: async (...args) => (await use()).upkeep.retire(...args) },
    close,
  };
}

/** A port each of whose calls is made by `call`, which chooses the port that it is made on, and when. */
function forwardMemoryCalls(
  call: <Value>(work: (port: MemoryPort) => Promise<Value>) => Promise<Value>,
): MemoryPort {
  return {
    addMany: (...args) => call((port) => port.addMany(...args)),
    add: (...args) => call((port) => port.add(...args)),
    importMany: (...args) => call((port) => port.importMany(...args)),
    get: (...args) => call((port) => port.get(...args)),
    linked: (...args) => call((port) => port.linked(...args)),
    usesOf: (...args) => call((port) => port.usesOf(...args)),
    feedback: (...args) => call((port) => port.feedback(...args)),
    feedbackOnRun: (...args) => call((port) => port.feedbackOnRun(...args)),
    used: (...args) => call((port) => port.used(...args)),
    edit: (...args) => call((port) => port.edit(...args)),
    forget: (...args) => call((port) => port.forget(...args)),
    forgetAll: (...args) => call((port) => port.forgetAll(...args)),
    keepCopy: (...args) => call((port) => port.keepCopy(...args)),
    restore: (...args) => call((port) => port.restore(...args)),
    archived: (...args) => call((port) => port.archived(...args)),
    readArchived: (...args) => call((port) => port.readArchived(...args)),
    list: (...args) => call((port) => port.list(...args)),
    recall: (...args) => call((port) => port.recall(...args)),
  };
}
