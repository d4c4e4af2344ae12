const PAGE = 65_536;
/** The maximum size of a memory in bytes. */
export const MAX_BYTES = 2 ** 30;
/** The minimum share by which a memory grows: each growth starts a garbage collection. Pages that are not used take no memory. */
const GROWTH = 1 / 32;

/** An instance with a memory of its own that can grow. */
export interface Kernel {
  memory: WebAssembly.Memory;
  /** As `tools/wasm/scan-source.ts` describes them. */
  functions: Record<
    "rotate" | "encode" | "sumSigns" | "select" | "multiply" | "multiplyPacked",
    (...parameters: number[]) => void
  >;
  /** Makes room for `bytes` bytes. Returns false if there is none. */
  reserve(bytes: number): boolean;
}

/** Returns undefined if there is no memory. */
export function openKernel(module: WebAssembly.Module, bytes: number): Kernel | undefined {
  const memory = newMemory(Math.ceil(bytes / PAGE));
  if (!memory) return undefined;
  const { exports } = new WebAssembly.Instance(module, { scan: { memory } });
  const functionOf = (name: string): ((...parameters: number[]) => void) => {
    const found = exports[name];
    if (typeof found !== "function") throw new TypeError(`the compiled module does not export ${name}`);
    return (...parameters) => {
      found(...parameters);
    };
  };
  return {
    memory,
    functions: {
      rotate: functionOf("rotate"),
      encode: functionOf("encode"),
      sumSigns: functionOf("sumSigns"),
      select: functionOf("select"),
      multiply: functionOf("multiply"),
      multiplyPacked: functionOf("multiplyPacked"),
    },
    reserve(needed) {
      const missing = Math.ceil((needed - memory.buffer.byteLength) / PAGE);
      if (missing <= 0) return true;
      const many = Math.ceil((memory.buffer.byteLength / PAGE) * GROWTH);
      return (many > missing && grow(memory, many)) || grow(memory, missing);
    },
  };
}

function newMemory(initial: number): WebAssembly.Memory | undefined {
  try {
    return new WebAssembly.Memory({ initial, maximum: MAX_BYTES / PAGE });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function grow(memory: WebAssembly.Memory, pages: number): boolean {
  try {
    memory.grow(pages);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
