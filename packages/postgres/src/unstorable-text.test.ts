import { describe, expect, it } from "vitest";
import {
  answered,
  claimNext,
  ended,
  observed,
  requestFor,
  started,
} from "@metahuman/core/runs/store-fixtures";
import { openPostgresAgentStore } from "./agents/open-agent-store.ts";
import { openPostgresEvidence } from "./evidence/open-evidence-table.ts";
import { openPostgresNotices } from "./notices/open-notices.ts";
import { openPostgresRunStore } from "./runs/open-run-store.ts";
import { openPostgresLedger } from "./schedules/open-occurrence-ledger.ts";
import { openPostgresWatchedPages } from "./schedules/watched-pages.ts";
import { pgliteHarness } from "./testing/harness.ts";

const text = "a\u0000b";
const stored = "a\ufffdb";

describe("the character U+0000", () => {
  it("is refused in the request of a person", async () => {
    const { database, newProfile } = await pgliteHarness();
    const runs = openPostgresRunStore(database, newProfile());
    await expect(runs.create(requestFor(text))).rejects.toMatchObject({ code: "INVALID_ARGS" });
    expect(await runs.latest(1)).toEqual([]);
  });

  it("is replaced in what tools and models wrote, before subscribers get it", async () => {
    const { database, newProfile } = await pgliteHarness();
    const profile = newProfile();
    const runs = openPostgresRunStore(database, profile);
    const run = await runs.create(requestFor("read the file"));
    const claim = await claimNext(runs);
    const { events } = await runs.append(claim, [started(run), observed(1, text), answered(text), ended]);
    expect(events).toEqual(await runs.events(run.id, 0, 9));
    expect(await runs.run(run.id)).toMatchObject({ result: stored });
    expect((await runs.messages(run.conversationId)).at(-1)?.text).toBe(stored);
    await runs.saveSummary(run.conversationId, { text, through: `${run.id}-person` });
    expect((await runs.turns(run.conversationId, { limit: 9 })).summary).toBe(stored);
    expect(await runs.replaceTitle(run.conversationId, { from: "read the file", to: text })).toBe(true);
  });

  it("is replaced in logs, notices, reasons and watched pages", async () => {
    const { database, newProfile, now } = await pgliteHarness();
    const profile = newProfile();
    const agents = openPostgresAgentStore(database, profile);
    const { id } = await agents.begin("librarian", "person");
    await agents.note(id, "info", text);
    expect(await agents.end(id, { status: "failed", summary: text })).toMatchObject({ summary: stored });

    const notices = openPostgresNotices(database, profile, { channels: () => ["webhook"] });
    const [notice] = await notices.send([{ title: text, body: text }]);
    expect(notice).toMatchObject({ title: stored, body: stored });
    await notices.recordDelivery({ noticeId: notice?.id ?? "", channel: "webhook" }, { error: text });

    const evidence = openPostgresEvidence(database, profile);
    const use = {
      functionId: "func-20260101-abc123",
      runId: "run-1",
      outcome: "failed",
      error: text,
    } as const;
    await evidence.record(use, now().toISOString());
    expect((await evidence.of([use.functionId])).get(use.functionId)?.stats.lastFailure).toBe(stored);

    const ledger = openPostgresLedger(database, profile);
    const key = { scheduleId: "sched-01jd0000000000000000000000", dueAt: now().toISOString() };
    await ledger.add(key, "You started it.");
    const claim = await ledger.claim(key);
    if (!claim) throw new Error("not claimed");
    expect(await ledger.end(claim, { state: "failed", reason: text })).toBe(true);

    const pages = openPostgresWatchedPages(database, profile);
    const watcher = { url: "https://example.org/", runId: "run-1" };
    await pages.replace(watcher, { text, at: now().toISOString() });
    const again = await pages.replace({ ...watcher, runId: "run-2" }, { text, at: now().toISOString() });
    expect(again?.text).toBe(stored);
  });
});
