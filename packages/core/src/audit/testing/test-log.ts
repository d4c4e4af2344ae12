import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { AuditLog } from "../audit-log.ts";
import { runId } from "../audit-log.suite.ts";
import { type AuditLogOptions, openAuditLog } from "../open-audit-log.ts";

/** An audit log in a temporary folder, with a settable clock. */
export class TestLog {
  readonly folder = join(mkdtempSync(join(tmpdir(), "mh-audit-")), "logs", "audit");
  now = new Date("2026-11-20T12:00:00.000Z");
  /** Applies from the next `restart`. */
  options: AuditLogOptions = {};
  log: AuditLog = this.open();

  open(): AuditLog {
    return openAuditLog(this.folder, () => this.now, this.options);
  }

  async restart(): Promise<void> {
    await this.log.close();
    this.log = this.open();
  }

  async write(count: number): Promise<void> {
    for (let n = 1; n <= count; n += 1) {
      await this.log.append({ event: "skill_called", runId, actor: "greg", details: { n } });
    }
  }

  /** Writes three lines on each of three days. */
  async writeThreeDays(): Promise<void> {
    for (const date of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
      this.now = new Date(`${date}T12:00:00.000Z`);
      await this.write(3);
    }
  }

  /** Returns the file of a day. */
  day(date = "2026-11-20"): string {
    return join(this.folder, `${date}.ndjson`);
  }

  lines(date?: string): string[] {
    return readFileSync(this.day(date), "utf8").split("\n").slice(0, -1);
  }

  /** Returns the lines of all days. */
  allLines(): string[] {
    return readdirSync(this.folder)
      .filter((name) => name.endsWith(".ndjson"))
      .toSorted()
      .flatMap((name) => this.lines(basename(name, ".ndjson")));
  }

  /** Edits a file without the log. */
  tamper(date: string, edit: (lines: string[]) => string[]): void {
    writeFileSync(
      this.day(date),
      edit(this.lines(date))
        .map((line) => `${line}\n`)
        .join(""),
    );
  }

  async remove(): Promise<void> {
    await this.log.close();
    rmSync(join(this.folder, "..", ".."), { recursive: true, force: true });
  }
}
