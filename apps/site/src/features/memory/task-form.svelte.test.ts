import type { Task } from "@metahuman/core/contract/task";
import { describe, expect, it } from "vitest";
import { AT } from "../../lib/testing/fixtures.ts";
import { TaskForm } from "./task-form.svelte.ts";

const TASK: Task = {
  id: "task-1",
  title: "Oil the gate",
  description: "",
  status: "todo",
  priority: "P2",
  tags: ["garden"],
  createdAt: AT,
  updatedAt: AT,
};

function formOf(change: Partial<Task> = {}): TaskForm {
  const form = new TaskForm();
  form.reset({ ...TASK, ...change });
  return form;
}

describe("the form of a task", () => {
  it("sends only the fields that were changed", () => {
    const form = formOf();
    expect(form.dirty).toBe(false);
    form.fields.title = " Oil the garden gate ";
    form.fields.tags = "garden, #iron,";
    expect(form.edit).toEqual({ title: "Oil the garden gate", tags: ["garden", "iron"] });
  });

  it("converts a date to a day, and a date with a time to a moment, and removes both", () => {
    const form = formOf();
    form.fields.day = "2026-11-27";
    expect(form.edit).toEqual({ due: "2026-11-27" });
    form.fields.time = "17:00";
    expect(form.edit).toEqual({ due: new Date("2026-11-27T17:00").toISOString() });
    const due = formOf({ due: new Date("2026-11-27T17:00").toISOString() });
    expect(due.fields).toMatchObject({ day: "2026-11-27", time: "17:00" });
    due.fields.day = "";
    expect(due.edit).toEqual({ due: null });
  });

  it("applies changes saved elsewhere, unless there are unsaved changes", () => {
    const form = formOf();
    form.follow({ ...TASK, title: "Oil it" });
    expect(form.fields.title).toBe("Oil it");
    form.fields.title = "Oil it twice";
    form.follow({ ...TASK, title: "Paint it" });
    expect(form.fields.title).toBe("Oil it twice");
  });

  it("bases unsaved changes on what was saved elsewhere, and returns the fields that both changed", () => {
    const form = formOf({ priority: "P2" });
    form.fields.title = "Oil it twice";
    form.fields.description = "With the can.";
    form.fields.status = "done";
    const saved: Task = { ...TASK, title: "Paint it", status: "done", priority: "P0", version: 4 };
    expect(form.rebase(saved)).toEqual(["title"]);
    expect(form.fields.priority).toBe("P0");
    expect(form.edit).toEqual({ title: "Oil it twice", description: "With the can." });
    expect(form.base?.version).toBe(4);
  });
});
