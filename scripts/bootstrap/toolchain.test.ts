import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";

const NODE = `node-${process.platform}-${process.arch}`;
const Address = z.object({ port: z.int() });

let folder: string;
let registry: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mh-toolchain-"));
  cpSync(import.meta.dirname, join(folder, "scripts", "bootstrap"), { recursive: true });
  mkdirSync(join(folder, "tools", "toolchain"), { recursive: true });
});

afterEach(() => {
  registry?.close();
  registry = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A package as a registry serves it. */
function pack(name: string, program: string): { archive: Buffer; integrity: string } {
  const place = join(folder, "packed", name);
  mkdirSync(join(place, "package", "bin"), { recursive: true });
  writeFileSync(join(place, "package", "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  writeFileSync(join(place, "package", "bin", "node"), program, { mode: 0o755 });
  // `npm pack` takes half a second.
  execFileSync("tar", ["-czf", "package.tgz", "package"], { cwd: place });
  const archive = readFileSync(join(place, "package.tgz"));
  return { archive, integrity: `sha512-${createHash("sha512").update(archive).digest("base64")}` };
}

function lock(kind: "dependencies" | "optionalDependencies", name: string, integrity: string): void {
  const toolchain = join(folder, "tools", "toolchain");
  const wanted = { [kind]: { [name]: "1.0.0" } };
  writeFileSync(
    join(toolchain, "package.json"),
    JSON.stringify({ private: true, ...wanted, nodeSha256: { [NODE]: "0".repeat(64) } }, null, 2),
  );
  writeFileSync(
    join(toolchain, "package-lock.json"),
    JSON.stringify(
      {
        lockfileVersion: 3,
        packages: {
          "": wanted,
          [`node_modules/${name}`]: {
            version: "1.0.0",
            integrity,
            ...(kind === "optionalDependencies" && { optional: true }),
          },
        },
      },
      null,
      2,
    ),
  );
}

/** Serves `archive` for every package that is asked for. */
async function serve(archive: Buffer): Promise<string> {
  registry = createServer((request, response) => {
    if (request.url?.endsWith(".tgz") === true) return response.end(archive);
    const name = (request.url ?? "").slice(1);
    const dist = { tarball: `http://${request.headers.host ?? ""}/${name}-1.0.0.tgz` };
    return response.end(JSON.stringify({ name, versions: { "1.0.0": { name, version: "1.0.0", dist } } }));
  });
  registry.listen(0, "127.0.0.1");
  await once(registry, "listening");
  return `http://127.0.0.1:${String(Address.parse(registry.address()).port)}/`;
}

/** The error of `installNode` or `installPnpm` in the copied scripts. */
async function install(step: "installNode" | "installPnpm", url: string): Promise<string> {
  const code = `
    const toolchain = await import(${JSON.stringify(join(folder, "scripts/bootstrap/toolchain.mjs"))});
    await toolchain.${step}(() => undefined).catch((error) => console.log(error.message));`;
  const env = {
    ...process.env,
    npm_config_registry: url,
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return text(child.stdout);
}

describe("downloading the toolchain", () => {
  it("reports a changed Node, not a network problem", async () => {
    lock("optionalDependencies", NODE, pack(NODE, "as published").integrity);
    const message = await install("installNode", await serve(pack(NODE, "changed").archive));
    expect(message).toMatch(/checksum .* does not match/u);
    expect(message).not.toContain("reachable");
  });

  it("reports a changed pnpm, not a network problem", async () => {
    lock("dependencies", "pnpm", pack("pnpm", "as published").integrity);
    const message = await install("installPnpm", await serve(pack("pnpm", "changed").archive));
    expect(message).toMatch(/checksum .* does not match/u);
    expect(message).not.toContain("reachable");
  });

  it("suggests to check the registry if nothing answers", async () => {
    const { integrity } = pack(NODE, "as published");
    lock("optionalDependencies", NODE, integrity);
    expect(await install("installNode", "http://127.0.0.1:9/")).toContain("reachable");
  });

  it("does not start a Node that differs from the published one", async () => {
    const started = join(folder, "started");
    const { archive, integrity } = pack(NODE, `#!/bin/sh\ntouch ${started}\n`);
    lock("optionalDependencies", NODE, integrity);
    const message = await install("installNode", await serve(archive));
    expect(message).toMatch(/checksum .* does not match/u);
    expect(() => readFileSync(started)).toThrow("ENOENT");
  });
});
