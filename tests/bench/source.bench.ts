import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createBrain } from "@metahuman/boot/create-brain";
import { createLogger } from "@metahuman/core/log/logger";
import ts from "typescript";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

/** The size of the code, and how many of its files one request passes. */
export const name = "source";

const root = join(import.meta.dirname, "../..");
const SMALL = 40;
const LONG = 80;
const VERY_LONG = 120;
/** Shorter equal blocks are the shape of a call, a schema or markup. */
const REPEATED = 8;

export async function run(): Promise<Row[]> {
  const files = sourceFiles();
  const lines = [...files.values()].map((text) => text.split("\n").length - 1);
  const functions = [...files].flatMap(([path, text]) => functionLengths(path, text));
  const small = smallWithOneImporter(files);
  const long = functions.filter(({ length }) => length > LONG).toSorted((a, b) => b.length - a.length);
  const repeated = repeatedBlocks(files);
  const passed = await filesOfRequest("make sandwich file");
  writeList(
    "request-files.txt",
    (["request", "afterwards", "closing"] as const).flatMap((when) =>
      passed[when].map((path) => `${when}\t${path}`),
    ),
  );
  writeList("small-files.txt", small);
  writeList(
    "long-functions.txt",
    long.map(({ name: of, path, length }) => `${String(length)} ${path} ${of}`),
  );
  writeList("repeated-code.txt", repeated.places);
  return [
    { what: "source files without tests", figure: files.size, unit: "files" },
    { what: "lines in them", figure: lines.reduce((sum, one) => sum + one, 0), unit: "lines" },
    { what: "lines of a file, median", figure: quantile(lines, 0.5), unit: "lines" },
    { what: "lines of a file, p95", figure: quantile(lines, 0.95), unit: "lines" },
    {
      what: `files of at most ${SMALL} lines with one importer (artifacts/small-files.txt)`,
      figure: small.length,
      unit: "files",
    },
    {
      what: `functions of more than ${LONG} lines (artifacts/long-functions.txt)`,
      figure: long.length,
      unit: "functions",
    },
    {
      what: `functions of more than ${VERY_LONG} lines`,
      figure: long.filter(({ length }) => length > VERY_LONG).length,
      unit: "functions",
    },
    {
      what: `code in blocks of at least ${REPEATED} lines that occur twice (artifacts/repeated-code.txt)`,
      figure: Math.round((10_000 * repeated.lines) / repeated.linesOfCode) / 100,
      unit: "%",
    },
    {
      what: "files passed by “make sandwich file” until it is answered (artifacts/request-files.txt)",
      figure: passed.request.length,
      unit: "files",
    },
    { what: "further files passed after the answer", figure: passed.afterwards.length, unit: "files" },
    { what: "further files passed when the profile closes", figure: passed.closing.length, unit: "files" },
  ];
}

/** The text of every source file by its path, without tests and their support. */
function sourceFiles(): Map<string, string> {
  const listed = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const paths = listed.filter(
    (path) =>
      /\.(?:ts|mjs|js|svelte|astro)$/u.test(path) &&
      !/\.test\.ts$|\.d\.ts$|suite|^tests\/|^tools\/|\/testing\/|fixtures/u.test(path),
  );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

function writeList(name: string, lines: readonly string[]): void {
  mkdirSync(join(root, "artifacts"), { recursive: true });
  writeFileSync(join(root, "artifacts", name), `${lines.join("\n")}\n`);
}

interface MeasuredFunction {
  path: string;
  /** The name; empty for a function without one. */
  name: string;
  /** In lines, blank ones and comments included. */
  length: number;
}

/** Measures each function, methods and closures included. */
function functionLengths(path: string, text: string): MeasuredFunction[] {
  if (!/\.(?:ts|mjs|js)$/u.test(path)) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lengths: MeasuredFunction[] = [];
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && "body" in node && node.body !== undefined)
      lengths.push({
        path,
        name: node.name?.getText(file) ?? "",
        length: lineOf(node.getEnd()) - lineOf(node.getStart(file)) + 1,
      });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lengths;
}

/** Blank lines, comments, imports and lone brackets. */
const NO_CODE = /^(?:$|\/\/|\/?\*|import |\} from |[)\]}]+[;,]*$)/u;

/** Counts the lines of code, and those in blocks of equal lines. A place is the path and the first line of such a block. */
function repeatedBlocks(files: ReadonlyMap<string, string>): {
  linesOfCode: number;
  lines: number;
  places: string[];
} {
  const blocks = new Map<string, { path: string; lines: number[] }[]>();
  let linesOfCode = 0;
  for (const [path, text] of files) {
    const code = text.split("\n").flatMap((line, index) => {
      const trimmed = line.trim();
      return NO_CODE.test(trimmed) ? [] : [{ trimmed, line: index + 1 }];
    });
    linesOfCode += code.length;
    for (let from = 0; from + REPEATED <= code.length; from += 1) {
      const block = code.slice(from, from + REPEATED);
      const key = block.map(({ trimmed }) => trimmed).join("\n");
      const known = blocks.get(key) ?? [];
      known.push({ path, lines: block.map(({ line }) => line) });
      blocks.set(key, known);
    }
  }
  const repeated = [...blocks.values()].filter(({ length }) => length > 1).flat();
  const lines = new Set(repeated.flatMap(({ path, lines: of }) => of.map((line) => `${path}:${line}`)));
  return {
    linesOfCode,
    lines: lines.size,
    places: repeated.map(({ path, lines: [first] }) => `${path}:${String(first)}`),
  };
}

const IMPORT = /(?:from|import)\s*\(?\s*["']([^"'?]+)["']/gu;
const PACKAGE = /^@metahuman\/(core|models|sandbox|cli|postgres|skills|agents|boot)\/(.+)$/u;

/** Small files that only one other file imports. Routes, workers, skills and programs are entries of their own. */
function smallWithOneImporter(files: ReadonlyMap<string, string>): string[] {
  const importers = new Map<string, Set<string>>();
  for (const [path, text] of files)
    for (const [, specifier = ""] of text.matchAll(IMPORT)) {
      const target = targetOf(path, specifier);
      const known = importers.get(target) ?? new Set();
      importers.set(target, known.add(path));
    }
  return [...files].flatMap(([path, text]) =>
    text.split("\n").length - 1 <= SMALL &&
    importers.get(path)?.size === 1 &&
    !/\/pages\/|worker\.ts$|\/skill\.ts$|\/phrases\.ts$|main\.ts$/u.test(path)
      ? [path]
      : [],
  );
}

function targetOf(importer: string, specifier: string): string {
  if (specifier.startsWith(".")) return normalize(join(dirname(importer), specifier));
  const [, group = "", path = ""] = PACKAGE.exec(specifier) ?? [];
  return ["skills", "agents", "boot"].includes(group)
    ? `brain/${group}/${path}.ts`
    : `packages/${group}/src/${path}.ts`;
}

interface PassedFiles {
  request: string[];
  afterwards: string[];
  closing: string[];
}

/** Long enough for the work that follows an answer, in milliseconds. */
const AFTERWARDS_MS = 5_000;

/**
 * The files of which a function runs in the main thread: from the second request of a process until its answer, in the work
 * that follows it, and when the profile closes. The first request compiles the grammar and the skills.
 */
async function filesOfRequest(goal: string): Promise<PassedFiles> {
  const home = mkdtempSync(join(tmpdir(), "source-bench-"));
  const brain = await createBrain({
    home,
    env: { OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "silent" }),
  });
  const session = new Session();
  session.connect();
  try {
    const owner = { username: "ada", password: "correct horse battery" };
    await brain.accounts.setup(owner, { address: "127.0.0.1", fromLoopback: true });
    const { operator } = await brain.profile("ada");
    const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "bounded_auto" } as const;
    const ask = async (request: string): Promise<void> => {
      const { id } = await operator.start({ goal: request }, { identity, surface: "cli" });
      const { outcome } = await operator.settled(id);
      if (outcome !== "answered") throw new Error(`The request ended ${outcome ?? "early"}.`);
    };
    await ask("make tea file");
    await delay(AFTERWARDS_MS);
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await ask(goal);
    const request = await filesSince(session);
    await delay(AFTERWARDS_MS);
    const afterwards = await filesSince(session);
    await brain.close({ graceMs: 10_000 });
    const closing = await filesSince(session);
    const known = new Set([...request, ...afterwards]);
    return {
      request,
      afterwards: afterwards.filter((path) => !request.includes(path)),
      closing: closing.filter((path) => !known.has(path)),
    };
  } finally {
    session.disconnect();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The own files of which a function ran since the last call. */
async function filesSince(session: Session): Promise<string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url, functions }) => {
      const isOwn = url.startsWith("file:") && !url.includes("node_modules") && !url.includes("/tests/");
      // The function at the start of a file is the module itself.
      return (
        isOwn && functions.some(({ ranges: [whole] }) => whole && whole.startOffset > 0 && whole.count > 0)
      );
    })
    .map(({ url }) => fileURLToPath(url).slice(root.length + 1))
    .sort();
}
