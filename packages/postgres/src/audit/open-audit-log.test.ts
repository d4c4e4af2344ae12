import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import { type AuditKey, hashLine, openAuditKey } from "@metahuman/core/audit/signed-chain";
import type { Postgres } from "../open-postgres.ts";
import { type DatabaseHarness, pgliteHarness } from "../testing/harness.ts";
import { openPostgresAuditLog } from "./open-audit-log.ts";

const keyOf = (byte: number): AuditKey =>
  openAuditKey("/nowhere", { METAHUMAN_SECRET_KEY: Buffer.alloc(32, byte).toString("base64") });

describe("an audit log in the database", () => {
  let harness: DatabaseHarness;
  let profile: string;
  let folder: string;
  let opened: AuditLog[];
  beforeEach(async () => {
    harness = await pgliteHarness();
    profile = harness.newProfile();
    folder = mkdtempSync(join(tmpdir(), "mh-anchors-"));
    opened = [];
  });
  afterEach(async () => {
    for (const log of opened) await log.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const anchorFile = () => join(folder, "anchors.ndjson");
  function open(key?: AuditKey): AuditLog {
    const log = openPostgresAuditLog(harness.database, profile, { ...(key && { key }), anchorFile });
    opened.push(log);
    return log;
  }
  async function written(key?: AuditKey): Promise<AuditLog> {
    const log = open(key);
    for (let n = 1; n <= 4; n += 1) await log.append({ event: "counted", details: { n } });
    return log;
  }
  /** Changes rows as the owner of the database can. */
  const tamper = (sql: string, parameters: Record<string, string | number> = {}) =>
    harness.database.inSystem((session) => session.run(sql, { owner: profile, ...parameters }));

  it("cannot be changed by the role of profiles", async () => {
    await written();
    const change = (sql: string) => harness.database.inProfile(profile, (session) => session.run(sql));
    await expect(change("UPDATE audit_lines SET line = ''")).rejects.toMatchObject({
      code: "PERMISSION_DENIED",
    });
    await expect(change("DELETE FROM audit_lines")).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  it("reports changed, removed and missing lines", async () => {
    const log = await written();
    await tamper("UPDATE audit_lines SET line = replace(line, '\"n\":2', '\"n\":9') WHERE profile = :owner");
    expect(await log.verify()).toMatchObject({ ok: false, kind: "edited", line: 2, lines: 1 });
    await tamper("DELETE FROM audit_lines WHERE profile = :owner AND seq = 2");
    expect(await log.verify()).toMatchObject({ ok: false, kind: "removed", line: 3 });
    await tamper("DELETE FROM audit_lines WHERE profile = :owner AND seq > 1");
    expect(await log.verify()).toMatchObject({ ok: false, kind: "truncated", line: 1 });
    await tamper("DELETE FROM audit_lines WHERE profile = :owner");
    expect(await log.verify()).toMatchObject({ ok: false, kind: "lost" });
  });

  it("verifies a log whose first lines are written meanwhile, and reports one without an end", async () => {
    const { database } = harness;
    let isFirst = true;
    /** Other processes write after its first transaction. */
    const reading: Postgres = {
      ...database,
      async readProfile(of, work) {
        const result = await database.readProfile(of, work);
        if (isFirst) {
          isFirst = false;
          await written(keyOf(1));
        }
        return result;
      },
    };
    const log = openPostgresAuditLog(reading, profile, { key: keyOf(1) });
    opened.push(log);
    expect(await log.verify()).toEqual({ ok: true, lines: 4, signedFrom: 1 });
    await tamper("DELETE FROM audit_ends WHERE profile = :owner");
    expect(await log.verify()).toMatchObject({ ok: false, kind: "truncated", line: 4 });
  });

  it("reports a log that was truncated and given a new end without the key", async () => {
    const log = await written(keyOf(1));
    expect(await log.verify()).toEqual({ ok: true, lines: 4, signedFrom: 1 });
    const [third] = (await log.tail(2)).map((entry) => JSON.stringify(entry));
    await tamper("DELETE FROM audit_lines WHERE profile = :owner AND seq > 3");
    await tamper("UPDATE audit_ends SET seq = 3, hash = :hash WHERE profile = :owner", {
      hash: hashLine(third ?? ""),
    });
    expect(await log.verify()).toMatchObject({ ok: false, kind: "forged" });
    await log.append({ event: "counted" });
    expect((await log.tail(2)).map(({ event }) => event)).toEqual(["audit_signature_invalid", "counted"]);
  });

  it("reports a log that was replaced as a whole, by its anchor", async () => {
    const log = await written(keyOf(1));
    expect(await log.anchorIfDue()).toBe(true);
    expect(await log.anchorIfDue()).toBe(false);
    expect(await log.verify()).toEqual({ ok: true, lines: 4, signedFrom: 1, anchors: 1 });
    await tamper("DELETE FROM audit_lines WHERE profile = :owner");
    await tamper("DELETE FROM audit_ends WHERE profile = :owner");
    harness.passTime(1);
    await written(keyOf(1));
    await written(keyOf(1));
    expect(await log.verify()).toMatchObject({ ok: false, kind: "rewritten", line: 4 });
  });

  it("records when signing starts, and when the key changes", async () => {
    await written();
    expect(await open(keyOf(1)).startSigning()).toBe("audit_signing_started");
    expect(await open(keyOf(1)).startSigning()).toBeUndefined();
    expect(await open(keyOf(1)).verify()).toEqual({ ok: true, lines: 5, signedFrom: 5 });
    expect(await open(keyOf(2)).verify()).toMatchObject({ ok: false, kind: "forged" });
    expect(await open(keyOf(2)).startSigning()).toBe("audit_key_changed");
    expect(await open(keyOf(2)).verify()).toMatchObject({ ok: true, lines: 6 });
  });
});
