/** The little of WebAssembly that the engine is opened with; TypeScript describes it only for browsers. */
declare namespace WebAssembly {
  type Module = object;
  const Module: new (bytes: Uint8Array) => Module;
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    /** Throws `RangeError` when it may not grow so far. */
    grow(pages: number): number;
  }
}
