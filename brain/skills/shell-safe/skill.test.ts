import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hostilePaths } from "@metahuman/core/paths/suite/hostile-paths";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { shellSafe } from "./skill.ts";

const harness = skillHarness();
const run = (argv: string[] | string, more: Record<string, unknown> = {}) =>
  harness.call(shellSafe, { argv, ...more });
const refusal = expect.objectContaining({
  code: expect.stringMatching(
    /^(?:PERMISSION_DENIED|PATH_OUTSIDE_WORKSPACE|INVALID_ARGS|FILE_NOT_FOUND)$/u,
  ) as unknown,
}) as unknown;

/** The list is checked without running the programs: a gap must fail a test, not harm this machine. */
async function refused(argv: string[] | string, more: Record<string, unknown> = {}): Promise<void> {
  const judged = async () => shellSafe.assess(shellSafe.parse({ argv, ...more }), harness.ports);
  await expect(judged(), JSON.stringify(argv)).rejects.toEqual(refusal);
}

beforeEach(async () => {
  harness.configure({});
  await writeFile(join(harness.folder("out"), "notes.md"), "one\ntwo\n");
  await writeFile(join(harness.folder("out"), "-n"), "dash\n");
});

describe("shell_safe", () => {
  it("runs a program on the list, and reports its exit code", async () => {
    const { assessment, outputs, narrative, structured } = await run(["wc", "-l", "notes.md"]);
    expect(assessment).toMatchObject({
      risk: "critical",
      paths: ["out/notes.md"],
      preview: {
        title: "Run wc?",
        facts: [
          { label: "program", value: "wc" },
          { label: "argument 1", value: "-l" },
          { label: "argument 2", value: "notes.md" },
          { label: "in", value: "out/" },
          { label: "at most", value: "30 s" },
        ],
      },
    });
    expect(assessment).not.toHaveProperty("grant");
    expect(outputs).toEqual({ exitCode: 0, stdout: "2 notes.md\n", stderr: "", clipped: false });
    expect(narrative).toBe("It ran: 2 notes.md.");
    expect(structured).toContain("- exit code: 0");
    expect((await run(["grep", "three", "notes.md"])).narrative).toBe(
      "It ended with code 1 and printed nothing.",
    );
  });

  it("accepts a command in one line, without a shell", async () => {
    expect((await run("echo 'a  b' c")).outputs).toMatchObject({ stdout: "a  b c\n" });
    for (const line of [
      "echo $HOME",
      "ls | cat",
      "ls; id",
      "ls > x",
      "cat *.md",
      "echo `id`",
      "ls && id",
      "ls\nid",
    ])
      await refused(line);
  });

  it("resolves names as the workspace does, and never reads them as options", async () => {
    expect((await run(["cat", "out/notes.md"])).outputs).toMatchObject({ stdout: "one\ntwo\n" });
    expect((await run(["cat", "--", "-n"])).outputs).toMatchObject({ stdout: "dash\n" });
    await mkdir(join(harness.folder("out"), "deep"));
    await refused(["cat", "notes.md"], { cwd: "deep" });
    expect((await run(["pwd"], { cwd: "deep" })).outputs).toMatchObject({
      stdout: `${join(harness.folder("out"), "deep")}\n`,
    });
  });

  it("runs in the workspace folder of its paths", async () => {
    await writeFile(join(harness.folder("inbox"), "server.log"), "one\ntwo\nthree\n");
    const { assessment, outputs } = await run("tail -n 2 inbox/server.log");
    expect(outputs).toMatchObject({ exitCode: 0, stdout: "two\nthree\n" });
    expect(assessment).toMatchObject({ paths: ["inbox/server.log"] });
    expect(assessment.preview.facts).toContainEqual({ label: "in", value: "inbox/" });
    await expect(run(["cat", "inbox/server.log", "out/notes.md"])).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("one workspace folder") as unknown,
    });
    await expect(run(["cat", "inbox/nothing.log"])).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
    await refused(["cat", "out/notes.md"], { cwd: "inbox/../../x" });
  });

  it("ends a program at its time limit", async () => {
    await expect(run(["sleep", "600"], { timeoutMs: 100 })).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  it("clips output that is too long", async () => {
    harness.configure({ shell: { maxOutputBytes: 1_000 } });
    const { outputs } = await run(["seq", "10000"]);
    expect(outputs).toMatchObject({ clipped: true, stdout: expect.stringMatching(/^1\n2\n/u) as unknown });
  });

  it("follows its configuration: an added program may run, a removed one may not", async () => {
    harness.configure({ shell: { programs: { printf: { operands: ["text"] }, cat: { enabled: false } } } });
    expect((await run(["printf", "hi"])).outputs).toMatchObject({ stdout: "hi" });
    await refused(["cat", "notes.md"]);
    await refused(["wc", "notes.md"]);
  });
});

describe("a harmless program", () => {
  it.each([
    ["find", ".", "-exec", "id", ";"],
    ["find", ".", "-execdir", "id", ";"],
    ["find", ".", "-ok", "id", ";"],
    ["find", ".", "-delete"],
    ["find", ".", "-fprint", "x"],
    ["find", ".", "-fls", "x"],
    ["find", "-files0-from", "/etc/passwd"],
    ["sort", "--compress-program=sh", "notes.md"],
    ["sort", "-o", "notes.md", "notes.md"],
    ["sort", "-onotes.md", "notes.md"],
    ["sort", "-uo", "notes.md", "notes.md"],
    ["sort", "--files0-from=notes.md"],
    ["sort", "-T", "/tmp", "notes.md"],
    ["grep", "-f", "/etc/passwd", "notes.md"],
    ["grep", "-r", "x", "."],
    ["grep", "-ir", "x", "."],
    ["grep", "-e", "x", "/etc/passwd"],
    ["grep", "x", "."],
    ["tail", "-f", "notes.md"],
    ["tail", "--follow", "notes.md"],
    ["wc", "--files0-from=notes.md"],
    ["du", "--files0-from=notes.md"],
    ["du", "--exclude-from=/etc/passwd"],
    ["uniq", "notes.md", "written.md"],
    ["date", "-s", "2000-01-01"],
    ["date", "--set=2000-01-01"],
    ["date", "010100002000"],
    ["date", "-u", "010100002000.00"],
    ["date", "-f", "notes.md"],
    ["date", "-r", "/etc/passwd"],
    ["md5sum", "-c", "notes.md"],
    ["ls", "--color=always"],
    ["diff", "-r", ".", "."],
    ["diff", "--to-file=/etc/passwd", "notes.md"],
    ["uname", "x"],
    ["df", "/"],
  ])("is not turned into something else: %s %s %s", async (...argv) => {
    await refused(argv);
  });
});

describe("a program that runs others", () => {
  it.each(
    (
      "sh bash dash zsh env xargs sudo su nohup nice timeout setsid script watch time python3 perl ruby node awk sed vi less man " +
      "ssh curl wget nc tar zip make npm npx pip git docker systemctl crontab tee rm mv cp ln chmod dd kill busybox Sh BASH"
    ).split(" "),
  )("is never run, and cannot be configured: %s", async (program) => {
    await refused([program, "--version"]);
    expect(() => harness.configure({ shell: { programs: { [program]: { operands: ["text"] } } } })).toThrow();
  });

  it.each([
    ["/bin/ls"],
    ["./ls"],
    ["../ls"],
    ["ls "],
    [" ls"],
    [""],
    ["ls\0"],
    ["LS"],
    ["ls;id"],
    ["ls\nid"],
    ["-l"],
  ])("is not found under an invalid name: %j", async (program) => {
    await refused([program]);
  });
});

describe("files", () => {
  it("outside the workspace cannot be named, for any path of the corpus", async () => {
    await writeFile(join(harness.home, "secret.txt"), "secret");
    await writeFile(join(harness.folder("out"), ".env"), "KEY=secret");
    const paths = [
      ...hostilePaths,
      "/etc/passwd",
      "../profile.json",
      "../../ada/profile.json",
      ".env",
      ".git/config",
      "~/x",
      "",
    ];
    for (const path of paths) {
      await refused(["cat", path]);
      await refused(["cat", "--", path]);
      await refused(["ls", path]);
      await refused(["pwd"], { cwd: path === "" ? "missing" : path });
    }
  });

  it("behind links are not read", async () => {
    await writeFile(join(harness.home, "secret.txt"), "secret");
    await symlink(join(harness.home, "secret.txt"), join(harness.folder("out"), "link.md"));
    await symlink(harness.home, join(harness.folder("out"), "way"));
    for (const path of ["link.md", "way/secret.txt", "way"]) {
      await refused(["cat", path]);
      await refused(["ls", path]);
    }
    await refused(["pwd"], { cwd: "way" });
  });

  it("are checked again when the program runs, whatever was approved", async () => {
    await symlink("/etc/hostname", join(harness.folder("out"), "link.md"));
    const assessment = await shellSafe.assess(shellSafe.parse({ argv: ["cat", "notes.md"] }), harness.ports);
    for (const path of ["link.md", "../profile.json"]) {
      await expect(harness.call(shellSafe, { argv: ["cat", path] }, { assessment })).rejects.toEqual(refusal);
    }
    expect((await run(["cat", "-"])).outputs).toMatchObject({ stdout: "" });
  });
});
