import { z } from "zod";

/**
 * Programs that run other programs, execute code, or access the network or system. No option list makes them safe, so
 * `shell.programs` refuses them.
 */
const NEVER: ReadonlySet<string> = new Set(
  (
    "sh bash dash zsh fish ksh csh tcsh busybox env xargs parallel sudo su doas nohup nice ionice timeout setsid script " +
    "expect watch time chroot unshare nsenter strace ltrace gdb python python2 python3 perl ruby node nodejs deno bun php " +
    "lua tclsh awk gawk mawk nawk sed ed ex vi vim nvim emacs nano less more man ssh scp sftp rsync curl wget nc ncat " +
    "netcat socat telnet ftp tar zip unzip cpio make cmake npm npx pnpm yarn pip pip3 cargo go docker podman kubectl git " +
    "systemctl service crontab at batch dd mount umount mkfs hwclock reboot shutdown halt poweroff tee rm mv cp ln chmod chown kill killall pkill " +
    "powershell pwsh cmd osascript"
  ).split(" "),
);

const Option = z.string().regex(/^--?[A-Za-z0-9][A-Za-z0-9-]*$/u, "an option begins with a dash");

/** The permitted options and operands of one program. Everything else is refused. */
export const ProgramRule = z.strictObject({
  /** False disables a default program. */
  enabled: z.boolean().default(true),
  /** Options without a value. Single letters may be combined: `-la`. */
  flags: z.array(Option).default([]),
  /** Options with a value: `-n 5`, `-n5`, `--lines=5`. */
  values: z.array(Option).default([]),
  /** The operands, in order. `path`: a file or folder in the workspace; `file`: a file; `text`: anything. */
  operands: z.array(z.enum(["path", "file", "text"])).default([]),
  /** Whether the last kind of operand may be repeated. */
  repeats: z.boolean().default(true),
});
export type ProgramRule = z.infer<typeof ProgramRule>;

const ProgramName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/u, "a program is named without a path")
  .refine(
    (name) => !NEVER.has(name.toLowerCase()),
    "it runs other programs, which no list of options can confine",
  );

const splitWords = (text: string): string[] => text.split(" ").filter((word) => word !== "");

/** Read-only programs, with the options under which they stay read-only. */
const PROGRAMS: Record<string, z.input<typeof ProgramRule>> = {
  basename: { operands: ["text"] },
  cat: { flags: splitWords("-n -b -s -A -E -T"), operands: ["file"] },
  cmp: { flags: splitWords("-s -l"), operands: ["file", "file"], repeats: false },
  cut: { flags: ["-s"], values: splitWords("-d -f -c -b"), operands: ["file"] },
  // No operands: a bare number would set the clock.
  date: { flags: splitWords("-u -R -I"), values: ["-d"] },
  df: { flags: splitWords("-h -k -T") },
  diff: {
    flags: splitWords("-u -q -w -i -b -B -y -s -c"),
    values: ["-U"],
    operands: ["file", "file"],
    repeats: false,
  },
  du: { flags: splitWords("-h -s -a -c -k -m"), values: ["-d"], operands: ["path"] },
  echo: { flags: ["-n"], operands: ["text"] },
  find: {
    flags: splitWords("-empty -print -not -o -a"),
    values: splitWords("-name -iname -path -type -size -mtime -mmin -maxdepth -mindepth"),
    operands: ["path"],
  },
  grep: {
    flags: splitWords("-i -n -c -v -w -x -E -F -l -L -o -q -s -h -H"),
    values: splitWords("-m -A -B -C"),
    operands: ["text", "file"],
  },
  head: { flags: splitWords("-q -v"), values: splitWords("-n -c --lines --bytes"), operands: ["file"] },
  ls: { flags: splitWords("-l -a -A -h -1 -t -r -S -d -F -R"), operands: ["path"] },
  md5sum: { operands: ["file"] },
  nl: { operands: ["file"] },
  pwd: {},
  seq: { values: splitWords("-s"), operands: ["text"] },
  sha256sum: { operands: ["file"] },
  sleep: { operands: ["text"], repeats: false },
  sort: { flags: splitWords("-n -r -u -f -h -V -b -d -s"), values: splitWords("-k -t"), operands: ["file"] },
  stat: { values: splitWords("-c"), operands: ["path"] },
  tail: { flags: splitWords("-q -v"), values: splitWords("-n -c --lines --bytes"), operands: ["file"] },
  uname: { flags: splitWords("-a -s -r -m") },
  uniq: { flags: splitWords("-c -d -u -i"), operands: ["file"], repeats: false },
  uptime: {},
  wc: { flags: splitWords("-l -w -c -m -L"), operands: ["file"] },
};

/** `etc/skills.json`: the access of skills outside the workspace. Sizes in bytes, durations in milliseconds. */
export const SkillsConfig = z.strictObject({
  shell: z
    .strictObject({
      programs: z.record(ProgramName, ProgramRule).prefault(PROGRAMS),
      maxOutputBytes: z.int().min(1_000).max(10_000_000).default(100_000),
    })
    .prefault({}),
  network: z
    .strictObject({
      /** Hosts (`box.lan`, `127.0.0.1:8080`) that may be requested although their address is private. */
      privateHosts: z.array(z.string().min(1)).default([]),
      timeoutMs: z.int().positive().max(60_000).default(20_000),
    })
    .prefault({}),
  /** The URL of a SearXNG-compatible server; if empty, `web_search` is not offered. */
  webSearch: z
    .strictObject({ url: z.union([z.literal(""), z.url({ protocol: /^https?$/u })]).default("") })
    .prefault({}),
  /**
   * The environment variables that functions may be granted as secrets. Absent: all. The keys of model servers are
   * never included.
   */
  secrets: z
    .array(z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/u, "a secret is named like A_VARIABLE"))
    .optional(),
});
export type SkillsConfig = z.infer<typeof SkillsConfig>;
