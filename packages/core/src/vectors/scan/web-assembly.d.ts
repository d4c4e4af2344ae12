/** The part of the WebAssembly API in use; TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  type Module = object;
  const Module: new (bytes: Uint8Array) => Module;
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    /** Replaced by `grow`. */
    readonly buffer: ArrayBuffer;
    /** Throws `RangeError` beyond the maximum. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Readonly<Record<string, (...parameters: number[]) => void>>;
  }
  /** Whether this engine supports the module. */
  function validate(bytes: Uint8Array): boolean;
}
