import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const root = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

export const toolchain = join(root, "tools", "toolchain");
export const modules = join(root, "node_modules");
/** The folder of the built site. */
export const dist = join(root, "apps", "site", "dist");
/** Reports, traces and screenshots of the last test run. */
export const artifacts = join(root, "artifacts");
/** Caches that are safe to delete at any time. */
export const caches = join(modules, ".cache");
/** The bundled command line. */
export const cliMain = join(dist, "server", "programs", "mh.mjs");
/** The bundled server. */
export const serverMain = join(dist, "server", "programs", "server.mjs");
