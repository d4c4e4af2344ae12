import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { zipOf } from "@metahuman/core/transfer/testing/open-space";
import { ImportReport, ImportStatus } from "@metahuman/core/contract/transfer";
import { AuditPage } from "@metahuman/core/contract/audit";
import { mhProcess } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { startServerHere, startTestServer } from "../support/server.ts";
import type { TestServer } from "../support/server.ts";

const FILES = 300;

const servers: TestServer[] = [];
afterEach(async () => {
  // The first one owns the folder that the later ones share.
  for (const server of servers.splice(0).reverse()) await server.dispose();
});

async function backup(): Promise<Blob> {
  const files = Array.from({ length: FILES }, (_, at): [string, string] => [`out/${at}.txt`, `number ${at}`]);
  return new Blob([Uint8Array.from(await zipOf(Object.fromEntries(files)))], { type: "application/zip" });
}

const restore = (client: Client, zip: Blob) => client.upload("/api/import", zip);
const status = async (client: Client) => ImportStatus.parse((await client.get("/api/import")).body);
const cutOffs = async (client: Client) =>
  AuditPage.parse((await client.get("/api/audit?query=profile_import_cut_off")).body).items;

describe("a server killed in the middle of an import", () => {
  it("says at the next start how much is in place; repeating the import adds the rest", async () => {
    const killed = await startTestServer();
    servers.push(killed);
    const owner = await killed.owner();
    const zip = await backup();
    const out = join(killed.home, "profiles/ada/out");
    const importing = restore(owner, zip).catch(() => undefined);
    await expect.poll(async () => (await readdir(out)).length, { interval: 1 }).toBeGreaterThan(20);
    await killed.end("SIGKILL");
    await importing;
    const there = (await readdir(out)).filter((name) => name.endsWith(".txt")).length;
    expect(there).toBeLessThan(FILES);

    const server = await startServerHere({ home: killed.home });
    servers.push(server);
    const again = owner.at(server.url);
    const { cutOff } = await status(again);
    expect(cutOff).toMatchObject({ records: FILES });
    // What was killed between a write and its count is one more.
    expect([there, there - 1]).toContain(cutOff?.inPlace);
    const words = `An import was cut off: at least ${String(cutOff?.inPlace)} of ${String(FILES)} records are in place.`;
    expect(await (await again.raw("GET", "/")).text()).toContain(words);
    const doctor = await mhProcess(killed.home, ["doctor"]);
    expect(doctor.out).toContain(words);
    expect(doctor.out).toContain("Repeat the import to add the rest");
    const [noted, ...more] = await cutOffs(again);
    expect(noted).toMatchObject({ details: { inPlace: cutOff?.inPlace, records: FILES } });
    expect(more).toEqual([]);
    expect(
      (await readdir(join(killed.home, "profiles/ada"))).filter((name) => name.endsWith(".zip")),
    ).toEqual([]);

    const { totals } = ImportReport.parse((await restore(again, zip)).body);
    expect(totals).toMatchObject({ added: FILES - there, unchanged: there });
    expect(await status(again)).toEqual({});
    expect(await (await again.raw("GET", "/")).text()).not.toContain("An import was cut off");
  });

  it("no longer says so once the person has no use for it", async () => {
    const server = await startTestServer();
    servers.push(server);
    const owner = await server.owner();
    const out = join(server.home, "profiles/ada/out");
    const importing = restore(owner, await backup()).catch(() => undefined);
    await expect.poll(async () => (await readdir(out)).length, { interval: 1 }).toBeGreaterThan(5);
    await server.end("SIGKILL");
    await importing;
    const here = await startServerHere({ home: server.home });
    servers.push(here);
    const again = owner.at(here.url);
    expect((await status(again)).cutOff).toBeDefined();
    expect(await again.send("DELETE", "/api/import")).toMatchObject({ status: 200, body: {} });
    expect(await status(again)).toEqual({});
    expect(await cutOffs(again)).toHaveLength(1);
  });
});
