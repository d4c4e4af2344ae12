import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";

const FRIDAY_NIGHT = new Date("2026-11-27T23:30:00Z");
const asked = { requestedAt: FRIDAY_NIGHT, timeZone: "UTC", skills: installedSkills };

/** The due date of the task that a request adds. */
function dueOf(more: Partial<typeof asked> = {}): unknown {
  const reading = interpretAlone({ request: "add a task to buy milk tomorrow", ...asked, ...more });
  return reading.kind === "plan" && reading.calls[0]?.args["due"];
}

const written = (path: string): EarlierRequest => ({
  request: `write ${path}`,
  calls: [{ skill: "fs_write", args: { path }, outputs: { path, created: true } }],
});

async function pathsOf(earlier: readonly EarlierRequest[], skills = installedSkills): Promise<unknown> {
  const reading = await interpretRequest({
    request: "read it",
    ...asked,
    skills,
    earlier: async () => earlier,
  });
  return reading.kind === "plan" ? reading.calls[0]?.args["path"] : reading.kind;
}

describe("a request that was interpreted before", () => {
  it("is not interpreted again for the same moment and skills", () => {
    for (const request of ["add a task to buy milk tomorrow", "lamp ".repeat(20_000)])
      expect(interpretAlone({ request, ...asked })).toBe(interpretAlone({ request, ...asked }));
  });

  it("means another day at another moment and in another time zone", () => {
    const saturday = dueOf();
    expect(saturday).toMatchObject({ from: "request" });
    expect(dueOf({ requestedAt: new Date("2026-11-28T12:00:00Z") })).not.toEqual(saturday);
    expect(dueOf({ timeZone: "Europe/Oslo" })).not.toEqual(saturday);
    expect(dueOf()).toEqual(saturday);
  });

  it("refers to what its own conversation is about, and calls only the given skills", async () => {
    const soup = await pathsOf([written("out/soup.md")]);
    expect(JSON.stringify(soup)).toContain("out/soup.md");
    expect(JSON.stringify(await pathsOf([written("out/cake.md")]))).toContain("out/cake.md");
    const others = installedSkills.filter(({ id }) => id !== "fs_read");
    expect(await pathsOf([written("out/soup.md")], others)).not.toEqual(soup);
  });
});
