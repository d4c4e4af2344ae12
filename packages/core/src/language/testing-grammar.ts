import type { SkillGrammar } from "./grammar/phrase.ts";

/** Skills of a small made-up house, for tests of the language that must not depend on the real skills. */
export const TEST_SKILLS: readonly SkillGrammar[] = [
  {
    id: "lamp_state",
    reads: true,
    phrases: ["show [me] the lamps", "which lamps are lit", "[all] lamps in the {room}"],
    slots: { room: { type: "folder", known: ["attic"] } },
    results: { text: () => "kitchen: on\n" },
  },
  {
    id: "lamp_find",
    reads: true,
    phrases: ["find the {query} lamp"],
    slots: { query: "query" },
    finds: {
      kind: "lamp",
      by: "query",
      candidates: () => [{ id: "lamp-1", label: "reading lamp" }],
    },
    results: { reference: { lamp: "id" } },
  },
  {
    id: "lamp_switch",
    reads: false,
    phrases: [
      { template: "(light|switch on) the {id} lamp", args: { on: true } },
      { template: "(darken|switch off) the {id} lamp", args: { on: false } },
      {
        template: "darken {id}",
        args: { on: false },
        slots: { id: { type: "reference", kind: "lamp", pronounOnly: true } },
      },
    ],
    slots: { id: { type: "reference", kind: "lamp" } },
    results: { reference: { lamp: "id" } },
  },
  {
    id: "sign_paint",
    reads: false,
    phrases: [
      { template: "make a sign {path}", args: { text: "" } },
      "make a sign {path} saying {text}",
      { template: "paint {text} on {path}", slots: { text: "wording" } },
      { template: "make a {path} sign", slots: { path: "filename" }, args: { text: "" } },
    ],
    slots: { path: "path", text: "text" },
    results: { path: "path" },
  },
  {
    id: "sign_read",
    reads: true,
    phrases: ["read {path}"],
    slots: { path: "path" },
    results: { path: "path", text: (outputs) => String(outputs.text), textOf: "path" },
  },
  {
    id: "chore_add",
    reads: false,
    phrases: ["remember to {title} <[by|on] {day}|{priority}|{tags}>"],
    slots: { title: "title", day: "date", priority: "priority", tags: { type: "tag", list: true } },
    results: { reference: { chore: "id" } },
  },
];

/** A Wednesday, half past ten in the morning in Oslo. */
export const NOW = new Date("2026-11-18T09:30:00Z");
export const OSLO = "Europe/Oslo";
