import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { codeBlock } from "../markdown.ts";
import type { SkillPorts } from "../ports.ts";
import { linePreview, endSentence } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { checkArgv, type PathOperand } from "./check-argv.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const command = "[the] (command|program|shell command|terminal command|shell|tool|line)";

/** Programs that people name without saying that they are programs; which may run is a matter of configuration. */
const program: Slot = {
  type: "text",
  like: /^(?!.*\b(?:please|pls|thanks)\b)["'`]?(?:date|uname|whoami|hostname|uptime|wc|ls|cat|head|tail|grep|sort|uniq|diff|du|df|file|stat|echo|pwd|node|python3?|npm|git)(?:\s+[^?]*)?$/iu,
  sample: "uname -a",
};
const counted: Slot = { type: "path", sample: "notes/today.md" };

const phrases: readonly (string | Phrase)[] = [
  `(run|execute|start|use|call) ${command} [:] {argv}`,
  {
    template:
      "(run|execute|exec|use|call) [:] {argv}|(run|execute) {argv} (in|on) (the shell|a shell|the terminal|the command line|shell|terminal)",
    slots: { argv: program },
  },
  {
    template: "(what is|tell me|show me) the (date|time) [today|now] . (run|use|execute) {argv}",
    slots: { argv: program },
  },
  {
    template:
      "(count|tell me|show) the (number of lines|lines|words|characters) (of|in) [file] {counted} (with|using|by running|via) {program}",
    slots: { program: { type: "text", like: /^wc(?:\s+-[lwc])?$/u, sample: "wc -l" }, counted },
    compose: { argv: "{program} {counted}" },
  },
  {
    template: "(run|use|execute) {program} (on|for|with) [file] {counted}",
    slots: {
      program: {
        type: "text",
        like: /^(?:wc|cat|head|tail|sort|uniq|file|stat|du)(?:\s+-\w+)*$/u,
        sample: "wc -l",
      },
      counted,
    },
    compose: { argv: "{program} {counted}" },
  },
];

const slots: Record<string, SlotType | Slot> = { argv: { type: "text", sample: "uname -a" } };

const MAX_TIMEOUT_MS = 120_000;
type Argv = readonly [string, ...string[]];

/** Splits a command line into words. There is no shell, so characters with a special meaning in one are rejected. */
function splitWords(line: string): string[] {
  if (/[|&;<>$`\\\n*?(){}]/u.test(line)) {
    throw new InvalidArgsError(
      "There is no shell: pipes, redirections, variables and patterns do not work.",
      {
        suggestions: ['Pass the program and its arguments as a list: ["ls", "-l", "notes"]'],
      },
    );
  }
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s"']+)/gu)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  if (words.length === 0) throw new InvalidArgsError("No program was given.");
  return words;
}

interface Args {
  argv: string | string[];
  cwd: string;
}

/** The validated call: paths are inside the workspace and relative to the working folder. */
async function prepareCall(
  { argv: given, cwd }: Args,
  { files, programs }: Pick<SkillPorts, "files" | "programs">,
): Promise<{ argv: Argv; folder: string; paths: string[] }> {
  const [program = "", ...args] = typeof given === "string" ? splitWords(given) : given;
  const argv: [string, ...string[]] = [program, ...args];
  const operands = checkArgv(argv, programs.rules());
  const folder = await folderFor(operands, files.resolve(cwd).path, files);
  const paths: string[] = [];
  for (const operand of operands) {
    const { path, relative } = await placeOf(operand, folder, files);
    argv[operand.index] = relative;
    paths.push(path);
  }
  const { kind } = await files.existing(folder);
  if (kind !== "folder") throw new InvalidArgsError(`${folder} is a file, and a program runs in a folder.`);
  return { argv, folder, paths };
}

/**
 * Returns the working folder: `folder`, or another workspace root if the paths exist there and not in `folder`.
 * Throws `InvalidArgsError` if the paths are in several roots, because a program sees only its own folder.
 */
async function folderFor(
  operands: readonly PathOperand[],
  folder: string,
  files: WorkspaceFiles,
): Promise<string> {
  const places = await Promise.all(
    operands.map(async ({ path }) => {
      const isNamedWhole =
        /^[^/~.][^/]*\//u.test(path) && files.resolve(path).path === path.replace(/\/+$/u, "");
      if (!isNamedWhole || path.startsWith(`${folder}/`)) return folder;
      if ((await files.state(files.resolve(`${folder}/${path}`).path)).kind !== "absent") return folder;
      return (await files.state(path)).kind === "absent" ? folder : path.slice(0, path.indexOf("/"));
    }),
  );
  const elsewhere = places.filter((place) => place !== folder);
  const [root = folder] = elsewhere;
  if (places.some((place) => place !== root)) {
    throw new InvalidArgsError(
      "A program can access one workspace folder at a time, and these paths are in several.",
      {
        suggestions: ["Run it once per folder, or copy the files into one folder first."],
      },
    );
  }
  return root;
}

/** In `out/`, both `notes.md` and `out/notes.md` name the same file. */
async function placeOf(
  { path: given, file }: PathOperand,
  folder: string,
  files: WorkspaceFiles,
): Promise<{ path: string; relative: string }> {
  if (given === "") throw new InvalidArgsError("An argument that should name a file is empty.");
  const inFolder = files.resolve(
    given.startsWith("/") || given.startsWith("~") ? given : `${folder}/${given}`,
  ).path;
  const whole = files.resolve(given).path;
  const isInFolder = (await files.state(inFolder)).kind !== "absent";
  const path = !isInFolder && whole.startsWith(`${folder}/`) ? whole : inFolder;
  const { kind } = await files.existing(path);
  if (file && kind !== "file") throw new InvalidArgsError(`${path} is a folder, not a file.`);
  const relative = path === folder ? "." : path.slice(folder.length + 1);
  // A name that begins with a dash must not be parsed as an option.
  return { path, relative: relative.startsWith("-") ? `./${relative}` : relative };
}

export const shellSafe = defineSkill({
  id: "shell_safe",
  summary: "Run a program from the list of allowed ones, without a shell",
  category: "system",
  input: z.strictObject({
    argv: z
      .union([z.array(z.string().max(4_000)).min(1).max(64), z.string().trim().min(1).max(4_000)])
      .describe('The program and its arguments: ["wc", "-l", "notes.md"]'),
    cwd: WorkspacePath.default("out").describe("The workspace folder to run in"),
    timeoutMs: z.int().min(100).max(MAX_TIMEOUT_MS).default(30_000),
  }),
  output: z.strictObject({
    exitCode: z.int(),
    stdout: z.string(),
    stderr: z.string(),
    clipped: z.boolean().describe("True if its output was truncated"),
  }),
  effects: "execute",
  risk: "critical",
  timeoutMs: MAX_TIMEOUT_MS + 5_000,
  notes: "No pipes, patterns or variables. etc/skills.json lists the allowed programs and options.",
  phrases,
  slots,
  assess: async (args, ports) => {
    const { argv, folder, paths } = await prepareCall(args, ports);
    return {
      risk: "critical",
      preview: {
        title: `Run ${argv[0]}?`,
        target: argv[0],
        facts: [
          ...argv.map((value, index) => ({ label: index === 0 ? "program" : `argument ${index}`, value })),
          { label: "in", value: `${folder}/` },
          { label: "at most", value: `${args.timeoutMs / 1_000} s` },
        ],
      },
      paths: paths.length === 0 ? [folder] : paths,
      hosts: [],
    };
  },
  narrate: ({ exitCode, stdout, stderr }) => {
    const output = stdout.trim() === "" ? stderr : stdout;
    const ending = exitCode === 0 ? "It ran" : `It ended with code ${exitCode}`;
    return output.trim() === ""
      ? `${ending} and printed nothing.`
      : `${ending}: ${endSentence(linePreview(output))}`;
  },
  structure: ({ exitCode, stdout, stderr, clipped }) =>
    [
      `- exit code: ${exitCode}${clipped ? "\n- its output is truncated" : ""}`,
      ...(stdout === "" ? [] : [codeBlock(stdout)]),
      ...(stderr === "" ? [] : ["Standard error:", codeBlock(stderr)]),
    ].join("\n\n"),
  run: async (args, { ports, signal }) => {
    const { argv, folder } = await prepareCall(args, ports);
    return await ports.programs.run(argv, { cwd: folder, timeoutMs: args.timeoutMs, signal });
  },
});
