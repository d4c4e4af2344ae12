import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase, type Database } from "./open-database.ts";
import { runInSlices } from "./in-slices.ts";

let opened: Database;
beforeAll(() => {
  opened = openDatabase(":memory:", [], { title: "a test" });
});
afterAll(() => opened.close());
const database = (): Database => opened;

/** Longer than any slice. */
function work(): void {
  const start = performance.now();
  while (performance.now() - start < 20);
}

it("yields between slices and stops when aborted", async () => {
  const happened: string[] = [];
  const controller = new AbortController();
  const sliced = runInSlices(["one", "two", "three"], { database, signal: controller.signal }, (item) => {
    work();
    happened.push(item);
  });
  happened.push("somebody asked");
  await nextTurn();
  happened.push("somebody asked again");
  controller.abort(new Error("enough"));
  await expect(sliced).rejects.toThrow("enough");
  expect(happened).toEqual(["one", "somebody asked", "two", "somebody asked again"]);
});

it("keeps the changes of earlier slices if one fails", async () => {
  opened.exec("CREATE TABLE done (item TEXT)");
  const add = opened.command("INSERT INTO done VALUES (?)");
  const failing = runInSlices(["one", "two"], { database }, (item) => {
    add.run(item);
    work();
    if (item === "two") throw new Error("two is broken");
  });
  await expect(failing).rejects.toThrow("two is broken");
  expect(opened.connection.prepare("SELECT item FROM done").pluck().all()).toEqual(["one"]);
});
