import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { tableEdit } from "./skill.ts";

// A model sets another cell than the one that the request names.

const harness = skillHarness();
const GUESTS = "name,phone,email,table number,paid\nMia,040 11,mia@x.org,3,no\nBen,040 22,ben@x.org,4,no\n";
const file = () => join(harness.folder("out"), "guests.csv");
beforeEach(() => writeFile(file(), GUESTS));

const set = (request: string, row: string, values: Record<string, string>, isDirect = false) =>
  harness.call(tableEdit, { path: "guests.csv", action: "set", row, values }, { request, isDirect });

describe("a cell that the request names exactly", () => {
  it.each([
    ["change the phone of Ben to 040 99", "Ben", { email: "040 99" }, "phone"],
    ["Ben's phone is 040 99 now", "Ben", { email: "040 99" }, "phone"],
    ["set Ben's table number to 9", "Ben", { phone: "9" }, "table number"],
    ["change phone Ben to 040 99", "Ben", { email: "040 99" }, "phone"],
    ["put 040 99 in the phone column for Ben", "Ben", { "table number": "040 99" }, "phone"],
  ])("is not set in another column: %s", async (request, row, values, column) => {
    await expect(set(request, row, values)).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining(`The request names the column “${column}”`),
      suggestions: [`Set the column “${column}”.`],
    });
    expect(await readFile(file(), "utf8")).toBe(GUESTS);
  });

  it.each([
    ["change the phone of Ben to 040 99", "Mia", { phone: "040 99" }],
    ["Ben's phone is 040 99 now", "Mia", { phone: "040 99" }],
  ])("is not set in another row: %s", async (request, row, values) => {
    await expect(set(request, row, values)).rejects.toMatchObject({
      message:
        "The request names the phone of “Ben”, and this call would change that of “Mia”. Nothing was changed.",
    });
  });

  it.each([
    ["change the phone of Ben to 040 99", "Ben", { phone: "040 99" }],
    // The words may mean any column, or name a row by its cell.
    ["the guest with table number 4 has paid", "Ben", { paid: "yes" }],
    // The column of the key names the row.
    ["set name Ben to 040 99", "Ben", { phone: "040 99" }],
    ["Ben has a new number, 040 99", "Ben", { phone: "040 99" }],
    ["Ben asked for his sister: her phone is 040 99", "Mia", { phone: "040 99" }],
    ["the email of Ben is wrong, he moved to table 9", "Ben", { "table number": "9" }],
    ["set phone and email of Ben to x", "Ben", { phone: "x", email: "x" }],
    ["whoever has the phone 040 22 has paid: set it to yes", "Ben", { paid: "yes" }],
  ])("is set, and so is one that the words leave open: %s", async (request, row, values) => {
    expect((await set(request, row, values)).outputs).toMatchObject({ changed: true });
  });

  it("does not limit a call that a person makes", async () => {
    const { outputs } = await set("change the phone of Ben to 040 99", "Ben", { email: "040 99" }, true);
    expect(outputs).toMatchObject({ changed: true, column: "email" });
  });
});
