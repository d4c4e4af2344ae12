import { writeFile } from "node:fs/promises";
import wabt from "wabt";
import { scanSource } from "./scan-source.ts";

/** The path of the compiled kernel, which is committed, so that searching requires no compiler. */
export const SCAN_WASM = new URL("../../packages/core/src/vectors/scan/scan.wasm", import.meta.url);

/** The content of `scan.wasm`. `node tools/wasm/compile-scan.ts` writes it. */
export async function compileScan(): Promise<Uint8Array> {
  const { parseWat } = await wabt();
  const module = parseWat("scan.wat", scanSource(), { simd: true, relaxed_simd: true });
  try {
    return module.toBinary({}).buffer;
  } finally {
    module.destroy();
  }
}

if (import.meta.main) await writeFile(SCAN_WASM, await compileScan());
