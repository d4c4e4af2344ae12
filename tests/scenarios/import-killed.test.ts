import { cpSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { AuditPage } from "@metahuman/core/contract/audit";
import { ImportReport, ImportStatus } from "@metahuman/core/contract/transfer";
import { mhProcess } from "../support/cli.ts";
import type { Client } from "../support/client.ts";
import { IMPORTED_FILES, killImport, type KilledImport } from "../support/killed-import.ts";
import { startServerHere, type TestServer } from "../support/server.ts";

const opened: Pick<TestServer, "dispose">[] = [];
afterEach(async () => {
  // The first one owns the folder that the later ones share.
  for (const one of opened.splice(0).reverse()) await one.dispose();
});

let killed: KilledImport;
beforeAll(async () => {
  killed = await killImport();
});
afterAll(() => killed.dispose());

/** The owner at a server that was started after the kill, on a copy of its data root. */
async function afterKill(): Promise<{ again: Client; home: string }> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-"));
  cpSync(killed.home, home, { recursive: true });
  const server = await startServerHere({ home });
  opened.push({ dispose: () => rm(home, { recursive: true, force: true }) }, server);
  return { again: killed.owner.at(server.url), home };
}

const status = async (client: Client) => ImportStatus.parse((await client.get("/api/import")).body);
const cutOffs = async (client: Client) =>
  AuditPage.parse((await client.get("/api/audit?query=profile_import_cut_off")).body).items;

describe("a server killed in the middle of an import", () => {
  it("reports at the next start how much is in place; repeating the import adds the rest", async () => {
    const { again, home } = await afterKill();
    const { zip, written } = killed;
    expect(written).toBeLessThan(IMPORTED_FILES);
    const { cutOff } = await status(again);
    expect(cutOff).toMatchObject({ records: IMPORTED_FILES });
    // A kill between a write and its count leaves one file more.
    expect([written, written - 1]).toContain(cutOff?.inPlace);
    const words = `An import was cut off: at least ${String(cutOff?.inPlace)} of ${String(IMPORTED_FILES)} records are in place.`;
    expect(await (await again.raw("GET", "/")).text()).toContain(words);
    const doctor = await mhProcess(home, ["doctor"]);
    expect(doctor.out).toContain(words);
    expect(doctor.out).toContain("Repeat the import to add the rest");
    const [noted, ...more] = await cutOffs(again);
    expect(noted).toMatchObject({ details: { inPlace: cutOff?.inPlace, records: IMPORTED_FILES } });
    expect(more).toEqual([]);
    expect((await readdir(join(home, "profiles/ada"))).filter((name) => name.endsWith(".zip"))).toEqual([]);

    const { totals } = ImportReport.parse((await again.upload("/api/import", zip)).body);
    expect(totals).toMatchObject({ added: IMPORTED_FILES - written, unchanged: written });
    expect(await status(again)).toEqual({});
    expect(await (await again.raw("GET", "/")).text()).not.toContain("An import was cut off");
  });

  it("is no longer reported once the person dismisses it", async () => {
    const { again } = await afterKill();
    expect((await status(again)).cutOff).toBeDefined();
    expect(await again.send("DELETE", "/api/import")).toMatchObject({ status: 200, body: {} });
    expect(await status(again)).toEqual({});
    expect(await cutOffs(again)).toHaveLength(1);
  });
});
