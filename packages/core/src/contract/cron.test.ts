import { expect, it } from "vitest";
import { CronLine } from "./agents.ts";

it.each(["* * * * *", "*/5 0-6 1,15 * 1-5", "30 3 * * 7", "0 8-18/2 * * *", "  0 0 1 1 *  "])(
  "accepts %s",
  (line) => {
    expect(CronLine.safeParse(line).success).toBe(true);
  },
);

it.each(["", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8"])(
  "refuses %j",
  (line) => expect(CronLine.safeParse(line).success).toBe(false),
);

it.each(["*/0 * * * *", "9-5 * * * *", "5/15 * * * *", "a * * * *", "1, * * * *", "-1 * * * *", "@daily"])(
  "refuses %j",
  (line) => expect(CronLine.safeParse(line).success).toBe(false),
);
