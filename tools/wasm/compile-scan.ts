import { readFile, writeFile } from "node:fs/promises";
import wabt from "wabt";

const FOLDER = new URL("../../packages/core/src/vectors/scan/", import.meta.url);

/** Where the compiled form of `scan.wat` is kept, so that nobody needs a compiler to search. */
export const SCAN_WASM = new URL("scan.wasm", FOLDER);

/** What `scan.wasm` has to hold. `node tools/wasm/compile-scan.ts` writes it. */
export async function compileScan(): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const module = parseWat("scan.wat", await readFile(new URL("scan.wat", FOLDER), "utf8"), { simd: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

if (import.meta.main) await writeFile(SCAN_WASM, await compileScan());
