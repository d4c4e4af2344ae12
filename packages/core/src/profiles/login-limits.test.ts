import { describe, expect, it } from "vitest";
import { openDatabase } from "../database/open-database.ts";
import { StorageFullError } from "../errors/storage-errors.ts";
import { accountSchema } from "./account-schema.ts";
import { createLoginLimits, networkOf, openLoginCounters } from "./login-limits.ts";

describe("what counts as one address", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:192.168.1.7", "192.168.1.7"],
    ["::1", "0:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["cli", "cli"],
  ])("%s → %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

it("refuses an attempt that cannot be counted on a full disk, with advice", async () => {
  const database = openDatabase(":memory:", accountSchema, { title: "the account database" });
  const limits = createLoginLimits(openLoginCounters(database), () => ({ attempts: 10, windowMs: 60_000 }));
  database.exec("PRAGMA max_page_count = 1");
  const fill = database.command(
    `INSERT INTO login_limit VALUES (hex(randomblob(8)), 1, ${Date.now() + 30_000})`,
  );
  // Rows go to pages by their keys: the disk is full when none of them takes another row.
  for (let refused = 0; refused < 500;) {
    try {
      fill.run();
    } catch (error) {
      expect(error).toBeInstanceOf(StorageFullError);
      refused += 1;
    }
  }
  let verified = false;
  const attempt = limits.attempt("n".repeat(64), "203.0.113.9", async () => (verified = true));
  await expect(attempt).rejects.toMatchObject({
    code: "STORAGE_FULL",
    suggestions: ["Free space on the disk that holds the data, then try again."],
  });
  expect(verified).toBe(false);
  database.close();
});
