import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { systemCode } from "../errors/node-error.ts";
import { foldName } from "../paths/file-names.ts";

export interface ZipLimits {
  /** The maximum size of one unpacked file, in bytes. */
  maxEntryBytes: number;
  /** The maximum size of all unpacked files, in bytes. */
  maxTotalBytes: number;
  maxEntries: number;
}

const ZIP_LIMITS: ZipLimits = {
  maxEntryBytes: 256 * 1024 * 1024,
  maxTotalBytes: 16 * 1024 * 1024 * 1024,
  maxEntries: 1_000_000,
};

export interface ZipEntry {
  /** A path with `/`, neither absolute nor with `..`. */
  path: string;
  bytes: number;
  /** Throws `InvalidArgsError` if the bytes do not match the zip's directory. */
  read(): Promise<Buffer>;
}

/** A file or zip that exceeds both this size and this ratio when unpacked is rejected as a zip bomb. */
const BOMB_BYTES = 32 * 1024 * 1024;
const BOMB_RATIO = 150;
/** Format of the upper half of a zip's Unix attributes (`st_mode`). */
const FILE_TYPE = 0o170_000;
const LINK = 0o120_000;

/**
 * Yields the files of a zip in the order of its directory; each is unpacked only when it is read. Throws
 * `InvalidArgsError` for a broken or malicious zip: paths that lead out of it, links, encryption, duplicate names, and
 * files that unpack to more than the limits.
 */
export async function* readZip(path: string, limits: ZipLimits = ZIP_LIMITS): AsyncGenerator<ZipEntry> {
  const zip = await openZip(path);
  try {
    if (zip.entryCount > limits.maxEntries) throw invalidZipError(`it holds ${zip.entryCount} files`);
    const seen = new Set<string>();
    let total = 0;
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      check(entry, limits);
      if (name.endsWith("/")) continue;
      const folded = foldName(name);
      if (seen.has(folded)) throw invalidZipError(`it holds ${quoteName(name)} twice`);
      seen.add(folded);
      total += entry.uncompressedSize;
      if (total > limits.maxTotalBytes) throw invalidZipError("it unpacks to more than can be imported");
      // Compared with the size of the zip, because its files may overlap.
      if (total > BOMB_BYTES && total > BOMB_RATIO * zip.fileSize)
        throw invalidZipError(`it unpacks to more than ${total} bytes from ${zip.fileSize}`);
      yield { path: name, bytes: entry.uncompressedSize, read: () => unpack(zip, entry) };
    }
  } catch (error) {
    throw asRefusal(error);
  } finally {
    zip.close();
  }
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, {
      strictFileNames: true,
      validateEntrySizes: true,
      autoClose: false,
      lazyEntries: true,
    });
  } catch (error) {
    // The library's message mentions internals of the format.
    throw isAboutZip(error) ? invalidZipError("it is not a zip, or a part of it is missing") : error;
  }
}

function check(entry: Entry, { maxEntryBytes }: ZipLimits): void {
  const { fileName, uncompressedSize, compressedSize } = entry;
  if (entry.isEncrypted()) throw invalidZipError(`${quoteName(fileName)} is encrypted`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK)
    throw invalidZipError(`${quoteName(fileName)} is a link`);
  if (uncompressedSize > maxEntryBytes)
    throw invalidZipError(`${quoteName(fileName)} unpacks to ${uncompressedSize} bytes`);
  if (uncompressedSize > BOMB_BYTES && uncompressedSize > BOMB_RATIO * compressedSize)
    throw invalidZipError(
      `${quoteName(fileName)} unpacks to ${uncompressedSize} bytes from ${compressedSize}`,
    );
}

async function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  try {
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    // The library checks the size only.
    if (crc32(bytes) !== entry.crc32) throw invalidZipError(`${quoteName(entry.fileName)} is damaged`);
    return bytes;
  } catch (error) {
    throw asRefusal(error);
  }
}

function invalidZipError(reason: string): InvalidArgsError {
  return new InvalidArgsError(`This file cannot be imported: ${reason.replace(/\.$/u, "")}.`, {
    suggestions: ["Use a zip from “Download a backup” under Settings → Data, or from mh export."],
  });
}

/** Converts errors of the zip library about the zip itself; errors of this machine stay unchanged. */
function asRefusal(error: unknown): unknown {
  return isAboutZip(error) ? invalidZipError(error.message.slice(0, 200)) : error;
}

function isAboutZip(error: unknown): error is Error {
  if (error instanceof MetahumanError || !(error instanceof Error)) return false;
  const code = systemCode(error);
  return code === undefined || code.startsWith("Z_") || code.startsWith("ERR_");
}

function quoteName(name: string): string {
  return JSON.stringify(name.slice(0, 120));
}
