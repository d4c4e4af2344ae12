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

/** A JavaScript engine with its own memory. Used for one run and then garbage-collected. */
export interface Engine {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  /** Whether an allocation ever failed. */
  memoryRefused(): boolean;
}

const PAGE = 65_536;
/** The initial memory of the engine, in pages of 64 KiB. */
const INITIAL_PAGES = 256;

const compiled = new WebAssembly.Module(
  readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm")),
);

/**
 * The memory limit is the maximum of the WebAssembly memory, because the engine's `setMemoryLimit` only counts its own
 * allocator.
 */
export async function openEngine({
  memoryBytes,
  stackBytes,
}: Pick<SandboxLimits, "memoryBytes" | "stackBytes">): Promise<Engine> {
  const wasmMemory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: Math.max(INITIAL_PAGES, Math.ceil(memoryBytes / PAGE)),
  });
  const grow = wasmMemory.grow.bind(wasmMemory);
  let refused = false;
  wasmMemory.grow = (pages) => {
    try {
      const before = grow(pages);
      refused = false;
      return before;
    } catch (error) {
      refused = true;
      throw error;
    }
  };
  if (!variant) throw new TypeError("the engine's package has an unexpected form");
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule: compiled, wasmMemory }),
  );
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(stackBytes);
  return { runtime, context: runtime.newContext(), memoryRefused: () => refused };
}
