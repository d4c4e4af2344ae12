import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import * as variants from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { SandboxLimits } from "../sandbox.ts";

/** The package is typed as CommonJS but loaded as a module, so its only export is found by its type. */
const isVariant = (value: unknown): value is QuickJSSyncVariant =>
  typeof value === "object" && value !== null && "importFFI" in value;
const variant: QuickJSSyncVariant | undefined = Object.values<unknown>(variants).find(isVariant);

/** A JavaScript engine with its own memory. Used for one run. */
export interface Engine {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  /** The engine's whole memory. */
  memory: WebAssembly.Memory;
  /** Whether an allocation ever failed. */
  memoryRefused(): boolean;
  /** Erases the memory and keeps it for the next engine. The engine, its context and their handles must not be used any more. */
  close(): void;
}

const PAGE = 65_536;
/** The initial memory of the engine, in pages of 64 KiB: 5.1 MiB of stack and constants, the rest for values. */
const INITIAL_PAGES = 96;

const compiled = new WebAssembly.Module(
  withInitialPages(
    readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")),
  ),
);

/** An erased memory of a closed engine, because creating and collecting one takes longer than erasing it. */
let erased: { memory: WebAssembly.Memory; maximum: number } | undefined;

/**
 * The memory limit is the maximum of the WebAssembly memory, because the engine's `setMemoryLimit` only counts its own
 * allocator.
 */
export async function openEngine({
  memoryBytes,
  stackBytes,
}: Pick<SandboxLimits, "memoryBytes" | "stackBytes">): Promise<Engine> {
  const maximum = Math.max(INITIAL_PAGES, Math.ceil(memoryBytes / PAGE));
  const memory =
    erased?.maximum === maximum ? erased.memory : new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum });
  if (memory === erased?.memory) erased = undefined;
  let wasRefused = false;
  memory.grow = (pages) => {
    try {
      const before = WebAssembly.Memory.prototype.grow.call(memory, pages);
      wasRefused = false;
      return before;
    } catch (error) {
      wasRefused = true;
      throw error;
    }
  };
  if (!variant) throw new TypeError("the engine's package has an unexpected form");
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule: compiled, wasmMemory: memory }),
  );
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  return {
    runtime,
    context: runtime.newContext(),
    memory,
    memoryRefused: () => wasRefused,
    close() {
      // A memory cannot shrink, so one that grew is left to the garbage collector.
      if (memory.buffer.byteLength > INITIAL_PAGES * PAGE) return;
      new Uint8Array(memory.buffer).fill(0);
      erased = { memory, maximum };
    },
  };
}

/**
 * The engine's program with another initial size of its memory. The package declares 256 pages; erasing so many would
 * take longer than creating the engine.
 */
function withInitialPages(program: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  // In the format of WebAssembly: the import "a" of module "a", a memory with a maximum, at least 256 pages in LEB128.
  const declared = [1, 0x61, 1, 0x61, 2, 1, 0x80, 0x02];
  const at = Buffer.from(program).indexOf(Buffer.from(declared));
  if (at === -1) throw new TypeError("the engine's program declares its memory in an unexpected form");
  program[at + 6] = 0x80 | (INITIAL_PAGES & 0x7f);
  program[at + 7] = INITIAL_PAGES >> 7;
  return program;
}
