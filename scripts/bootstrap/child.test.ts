import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { collect } from "./child.mjs";

const node = process.execPath;

/** A process that collects the programs side by side. */
function collectedBy(...scripts: string[]) {
  const module = new URL("./child.mjs", import.meta.url).href;
  const code = `
    const { collect } = await import(${JSON.stringify(module)});
    await Promise.all(${JSON.stringify(scripts)}.map((script) => collect(process.execPath, ["-e", script])));`;
  return spawn(node, ["--input-type=module", "-e", code], { stdio: "ignore" });
}

/** Runs a program in a separate process, as npm would start it. */
function handedOver(script: string) {
  const module = new URL("./child.mjs", import.meta.url).href;
  const code = `
    const { handOver } = await import(${JSON.stringify(module)});
    process.exitCode = await handOver(process.execPath, ["-e", ${JSON.stringify(script)}]);`;
  return spawn(node, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
}

describe("collect", () => {
  it("returns both outputs and the exit code", async () => {
    const run = await collect(node, ["-e", "console.log('out'); console.error('err'); process.exit(3)"]);
    expect(run.code).toBe(3);
    expect(run.output.split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("reports a missing program", async () => {
    const run = await collect("/no/such/program", []);
    expect(run.code).toBe(127);
    expect(run.output).toContain("/no/such/program");
  });

  it("does not wait for processes that the program leaves behind", async () => {
    const forever = `require("child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 30000)"], { stdio: "inherit" })`;
    expect((await collect(node, ["-e", `${forever}; setTimeout(() => process.exit(0), 100)`])).code).toBe(0);
  });

  it("stops a program that does not end", async () => {
    const run = await collect(node, ["-e", "setTimeout(() => {}, 5000)"], { timeoutMs: 200 });
    expect(run).toMatchObject({ timedOut: true, code: 137 });
  });
});

describe.skipIf(process.platform === "win32")("collect, when it is stopped", () => {
  it("waits until all concurrent programs have ended", async () => {
    const folder = await mkdtemp(join(tmpdir(), "collect-"));
    const stay = `setTimeout(() => {}, 30_000);`;
    const write = (name: string) => `require("fs").writeFileSync(${JSON.stringify(join(folder, name))}, "");`;
    const end = `process.on("SIGTERM", () => setTimeout(() => { ${write("ended")} process.exit() }, 300));`;
    const module = collectedBy(`${stay} ${write("quick")}`, `${stay} ${end} ${write("slow")}`);
    await expect.poll(() => readdir(folder), { timeout: 10_000 }).toEqual(["quick", "slow"]);
    module.kill("SIGTERM");
    expect(await once(module, "exit")).toEqual([null, "SIGTERM"]);
    expect(await readdir(folder)).toContain("ended");
    await rm(folder, { recursive: true });
  });
});

describe.skipIf(process.platform === "win32")("handOver", () => {
  it("ends with the program's exit code", async () => {
    expect(await once(handedOver("process.exit(5)"), "exit")).toEqual([5, null]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "forwards %s and waits for the program to end",
    async (signal) => {
      const script = `process.on("${signal}", () => setTimeout(() => process.exit(6), 50)); setTimeout(() => {}, 5000); console.log("ready")`;
      const module = handedOver(script);
      await once(module.stdout, "data");
      module.kill(signal);
      expect(await once(module, "exit")).toEqual([6, null]);
    },
  );

  it("ends with the signal that ended the program", async () => {
    expect(await once(handedOver("process.kill(process.pid, 'SIGKILL')"), "exit")).toEqual([null, "SIGKILL"]);
  });
});
