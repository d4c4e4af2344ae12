import type { ImportReport } from "@metahuman/core/contract/transfer";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { BackgroundApi } from "../shell/background-api.ts";
import { Toasts } from "../shell/toasts.svelte.ts";
import { ImportState } from "./import-state.svelte.ts";

let server: ScriptedServer;
let restoring: ImportState;
let toasts: Toasts;
let app: ConstructorParameters<typeof ImportState>[0];

const ZIP = new File(['"zip"'], "backup.zip");
const NOTHING = { added: 0, changed: 0, unchanged: 0, conflicting: 0, refused: 0 };

/** The action of each request: "preview" or "restore", with "+" if differing items are replaced. */
const asked = () =>
  server.asked.map(
    ({ query }) =>
      (query.get("preview") === "true" ? "preview" : "restore") +
      (query.get("replace") === "true" ? "+" : ""),
  );

beforeEach(async () => {
  server = await startScriptedServer();
  toasts = new Toasts();
  app = {
    background: new BackgroundApi(
      new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined }),
    ),
    toasts,
    interruptedImport: { startedAt: AT, inPlace: 2, records: 3, message: "It was cut off." },
  };
  restoring = new ImportState(app);
  server.on("POST /api/import", ({ query }): ImportReport => {
    const totals = { ...NOTHING, conflicting: query.get("replace") === "true" ? 0 : 2 };
    return { applied: query.get("preview") !== "true", totals, kinds: {}, items: [] };
  });
});

afterEach(() => server.close());

describe("ImportState", () => {
  it("requests nothing before a backup is selected", async () => {
    await restoring.loadPreview();
    await restoring.restore();
    await restoring.pick(undefined);
    expect(server.asked).toEqual([]);
    expect(restoring.busy).toBe(false);
  });

  it("previews a selected backup, and again when replacing is enabled", async () => {
    await restoring.pick(ZIP);
    expect(restoring.report).toMatchObject({ applied: false, totals: { conflicting: 2 } });
    restoring.replace = true;
    await restoring.loadPreview();
    expect(restoring.report).toMatchObject({ applied: false, totals: { conflicting: 0 } });
    expect(asked()).toEqual(["preview", "preview+"]);
    expect(toasts.items).toEqual([]);
  });

  it("restores a backup, reports it, and dismisses the notice of an unfinished import", async () => {
    await restoring.pick(ZIP);
    const restored = restoring.restore();
    expect(restoring.busy).toBe(true);
    await restored;
    expect(restoring.busy).toBe(false);
    expect(restoring.report?.applied).toBe(true);
    expect(app.interruptedImport).toBeUndefined();
    expect(toasts.items.map(({ text }) => text)).toEqual(["Restored."]);
  });

  it("keeps the notice of an unfinished import, and has a problem until another backup is selected", async () => {
    await restoring.pick(ZIP);
    server.on("POST /api/import", (_asked, response) =>
      problem(response, 422, "INVALID_ARGS", "This is no backup."),
    );
    await restoring.restore();
    expect(restoring.form.problem?.text).toBe("This is no backup.");
    expect(app.interruptedImport).toBeDefined();
    expect(toasts.items).toEqual([]);
    expect(restoring.busy).toBe(false);
    await restoring.pick(undefined);
    expect(restoring.report).toBeUndefined();
    expect(restoring.form.problem).toBeUndefined();
  });
});
