import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./paths.mjs";

/**
 * True if a step was finished with these inputs, which its stamp, a small file, contains. The stamp is removed before the
 * step starts and written after it succeeded, so that a killed step is repeated.
 *
 * @param {string} file
 * @param {string} inputs
 */
export function isStamped(file, inputs) {
  return existsSync(file) && readFileSync(file, "utf8") === inputs;
}

/**
 * @param {string} file
 * @param {string} inputs
 */
export function writeStamp(file, inputs) {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, inputs);
  renameSync(temporary, file);
}

/** @param {string} file */
export function removeStamp(file) {
  rmSync(file, { force: true });
}

/**
 * A hash of the names and bytes of the files. It does not change when the repository is moved.
 * @param {string[]} files
 */
export function hashContents(files) {
  const hash = createHash("sha256");
  for (const file of files) {
    hash.update(`${relative(root, file)}\0`);
    hash.update(readFileSync(file));
    hash.update("\0");
  }
  return hash.digest("hex");
}

/**
 * A hash of the names, sizes and times of all files below the folders; not of their contents, because it is computed at every
 * start. Folders and files that do not exist count as empty.
 *
 * @param {string} base what paths are relative to
 * @param {string[]} entries files and folders, relative to `base`
 * @param {(path: string) => boolean} counts whether a file or folder (slashes forward, relative to `base`) matters
 */
export function fingerprint(base, entries, counts) {
  const hash = createHash("sha256");
  /** @param {string} path */
  const visit = (path) => {
    const name = relative(base, path).replaceAll("\\", "/");
    if (!counts(name)) return;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) for (const child of readdirSync(path).sort()) visit(join(path, child));
    else if (stats) hash.update(`${name}\0${stats.size}\0${stats.mtimeMs}\n`);
  };
  for (const entry of entries) visit(join(base, entry));
  return hash.digest("hex");
}
