import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AT, ME, MODELS } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { App } from "./app.svelte.ts";
import { dismissOutdatedOffers } from "./outdated-offers.ts";

const RESTORE = "POST /api/archive/arch-1/restore";
const RESTORED = { id: "arch-1", kind: "file", title: "out/plan.md", origin: "out/plan.md", archivedAt: AT };

let server: ScriptedServer;
let app: App;
const shown = () => app.toasts.items.map(({ text, variant }) => [variant, text]);

beforeEach(async () => {
  server = await startScriptedServer();
  vi.stubGlobal("fetch", server.fetch);
  app = new App({ me: ME, models: MODELS, version: "1.0.0", theme: "system" });
});
afterEach(async () => {
  for (const toast of app.toasts.items) app.toasts.dismiss(toast.id);
  vi.unstubAllGlobals();
  await server.close();
});

it("shows the error of an action with what to do", async () => {
  expect(await app.attempt(async () => "done")).toBe(true);
  server.on("GET /api/skills", (_, response) =>
    problem(response, 503, "STORAGE_UNAVAILABLE", "The disk is away."),
  );
  expect(await app.attempt(() => app.api.skills())).toBe(false);
  expect(shown()).toEqual([["danger", "The disk is away."]]);
});

it("announces a text to screen readers also when it is repeated", () => {
  app.announce("Done");
  const first = app.announcement;
  app.announce("Done");
  expect(app.announcement).not.toBe(first);
  expect(app.announcement.trim()).toBe("Done");
});

it("restores an item, and says so", async () => {
  server.on(RESTORE, () => ({ restored: RESTORED }));
  expect(await app.restore("arch-1", "out/plan.md")).toBe(true);
  expect(shown()).toEqual([["success", "Restored “out/plan.md”."]]);
});

it("replaces an existing file only when the person chooses so", async () => {
  server.on(RESTORE, ({ query }, response) =>
    query.get("replace") === "true"
      ? { restored: RESTORED }
      : problem(response, 409, "ALREADY_EXISTS", "out/plan.md exists."),
  );
  const kept = app.restore("arch-1", "out/plan.md");
  await expect.poll(() => shown()[0]?.[1]).toMatch(/^out\/plan\.md exists\. If you replace it/u);
  app.toasts.dismiss(app.toasts.items[0]?.id ?? 0);
  expect(await kept).toBe(false);

  const replaced = app.restore("arch-1", "out/plan.md");
  await expect.poll(() => app.toasts.items).toHaveLength(1);
  const [question] = app.toasts.items;
  if (question) app.toasts.choose(question);
  expect(await replaced).toBe(true);
});

it("counts an item that left the archive as restored", async () => {
  expect(await app.restore("arch-1", "out/plan.md")).toBe(true);
  expect(shown()).toEqual([["neutral", "“out/plan.md” is no longer in the archive."]]);
});

it("offers to undo a replacement, which restores what was replaced", async () => {
  const other = { ...RESTORED, id: "arch-2" };
  const undone = vi.fn();
  server.on(RESTORE, () => ({ restored: RESTORED, replaced: other }));
  server.on("POST /api/archive/arch-2/restore", () => ({ restored: other, replaced: RESTORED }));
  await app.restore("arch-1", "out/plan.md", { replace: true, onundone: undone });
  const [toast] = app.toasts.items;
  expect(toast?.action?.label).toBe("Undo");
  if (toast) app.toasts.choose(toast);
  await expect.poll(() => undone).toHaveBeenCalledOnce();
  expect(server.asked.at(-1)?.path).toBe("/api/archive/arch-2/restore");
});

it("reports an item that cannot replace another one instead of asking again", async () => {
  server.on(RESTORE, (_, response) =>
    problem(response, 409, "ALREADY_EXISTS", "A record with this id already exists."),
  );
  expect(await app.restore("arch-1", "the boat", { replace: true })).toBe(false);
  expect(shown()).toEqual([["danger", "A record with this id already exists."]]);
});

it("dismisses offers to restore what the archive no longer has", async () => {
  const offer = (id: string) => ({
    action: { label: "Undo", restores: id, run: () => undefined },
    about: id,
  });
  app.toasts.show("Deleted one.", offer("arch-1"));
  app.toasts.show("Deleted another.", offer("arch-2"));
  app.toasts.show("Saved.");
  server.on("GET /api/archive", () => ({ items: [RESTORED], nextCursor: null, total: 1 }));
  await dismissOutdatedOffers(app);
  expect(shown().map(([, text]) => text)).toEqual(["Deleted one.", "Saved."]);
});
