/** The little of WebAssembly that is used; TypeScript describes it only for browsers. */
declare namespace WebAssembly {
  type Module = object;
  const Module: new (bytes: Uint8Array) => Module;
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    /** Another one after `grow`. */
    readonly buffer: ArrayBuffer;
    /** Throws `RangeError` when it may not grow so far. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, Memory>>);
    readonly exports: Readonly<Record<string, (...parameters: number[]) => void>>;
  }
  /** Whether this engine can run it. */
  function validate(bytes: Uint8Array): boolean;
}
