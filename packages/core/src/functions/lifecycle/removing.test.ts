import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openFileLock } from "../../database/file-lock.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import { createRecordArchive } from "../../memory/store/record-archive.ts";
import type { FunctionsPort } from "../functions-port.ts";
import { functionPath } from "../store/function-files.ts";
import { openBeforeEach } from "../testing/open-before-each.ts";
import { ADA, failureOf, SANDWICH, type TestFunctions } from "../testing/open-test-functions.ts";

let test: TestFunctions;
let functions: FunctionsPort;
openBeforeEach((opened) => ({ test, functions } = opened));

describe("a deleted function", () => {
  it("can be restored with its history and counters, under another name if its own is taken", async () => {
    const { id } = await functions.saveFunction(SANDWICH, ADA);
    await functions.updateFunction(id, { version: 1, summary: "Shorter." }, ADA);
    await functions.recordFunctionUse({ functionId: id, runId: "run-a", outcome: "succeeded" });
    await functions.deleteFunction(id, ADA);
    expect(await failureOf(functions.loadFunction(id))).toBeInstanceOf(FunctionNotFoundError);
    expect(await functions.listDeleted()).toMatchObject([{ id, title: SANDWICH.title }]);
    await functions.saveFunction(SANDWICH, ADA);
    const back = await functions.restoreFunction(id, ADA);
    expect(back).toMatchObject({ name: "create-file-kitchen-2", version: 2, usageCount: 1 });
    expect(await functions.versions(id)).toHaveLength(2);
  });

  it("is deleted permanently after 30 days", async () => {
    const { id } = await functions.saveFunction(SANDWICH, ADA);
    await functions.updateFunction(id, { version: 1, summary: "Shorter." }, ADA);
    await functions.deleteFunction(id, ADA);
    test.pass(31 * 86_400_000);
    const later = await test.open();
    await later.close();
    expect(await functions.listDeleted()).toEqual([]);
    expect(await readdir(join(test.paths.memory.functions, "history"))).toEqual([]);
  });

  it("keeps its history if it is restored just before the deadline", async () => {
    const { id } = await functions.saveFunction(SANDWICH, ADA);
    const { function: live } = await functions.updateFunction(id, { version: 1, summary: "Shorter." }, ADA);
    await functions.deleteFunction(id, ADA);
    test.pass(31 * 86_400_000);
    const { functions: root } = test.paths.memory;
    const archive = createRecordArchive({
      folder: join(test.paths.memory.archive.root, "functions"),
      kind: "function",
      clock: () => new Date(),
    });
    const lock = openFileLock(join(root, ".lock"), "the functions");
    const later = await lock.hold(async () => {
      const opened = await test.open();
      await archive.restoreTo(id, join(root, functionPath(live)));
      return opened;
    });
    await later.close();
    lock.close();
    expect(await readdir(join(root, "history"))).toEqual([id]);
  });
});
