import { afterEach, beforeEach, expect, it } from "vitest";
import type { Conversation } from "@metahuman/core/contract/conversation";
import { HttpClient } from "../../lib/api/http-client.ts";
import { AT } from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";
import { Api } from "../shell/api.ts";
import { Conversations, groupByPeriod } from "./conversations.svelte.ts";

let server: ScriptedServer;
let list: Conversations;
let items: Conversation[];
const DAY_MS = 86_400_000;
let today = $state(0);

const idOf = (name: string): string => `conv-${name.repeat(26)}`;
const conversation = (name: string): Conversation => ({
  id: idOf(name),
  title: name,
  createdAt: AT,
  updatedAt: AT,
  messageCount: 2,
});
const titles = (): string[] => list.groups.flatMap(({ items }) => items.map(({ title }) => title));

beforeEach(async () => {
  server = await startScriptedServer();
  items = ["1", "2", "3"].map(conversation);
  today = new Date(AT).setHours(0, 0, 0, 0);
  server.on("GET /api/conversations", () => ({ items, nextCursor: null, total: 3 }));
  server.on(
    `DELETE /api/conversations/${idOf("1")}`,
    (_asked, response) => void response.writeHead(204).end(),
  );
  server.on(`DELETE /api/conversations/${idOf("2")}`, (_asked, response) =>
    problem(response, 409, "CONFLICT", "A run goes on."),
  );
  list = new Conversations(
    new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
    () => today,
  );
  await list.load();
});

afterEach(() => server.close());

it("hides deleted conversations at once, and shows them again on Undo", () => {
  list.selection = new Set();
  list.toggle(idOf("1"));
  list.toggle(idOf("3"));
  list.toggle(idOf("3"));
  expect([...list.selection]).toEqual([idOf("1")]);
  list.hide([idOf("1"), idOf("2")]);
  expect(titles()).toEqual(["3"]);
  expect(list.selection).toBeUndefined();
  list.unhide([idOf("1"), idOf("2")]);
  expect(titles()).toEqual(["1", "2", "3"]);
  expect(server.asked.filter(({ method }) => method === "DELETE")).toEqual([]);
});

it("shows pinned conversations under their own heading, above the others", async () => {
  server.on(`PATCH /api/conversations/${idOf("3")}`, (asked) => {
    expect(asked.body).toEqual({ pinned: true });
    items = [{ ...conversation("3"), pinned: true }, conversation("1"), conversation("2")];
    return items[0];
  });
  await list.pin(idOf("3"), true);
  expect(list.groups.map(({ items: [first] }) => first?.title)).toEqual(["3", "1"]);
  expect(list.groups[0]?.label).toBe("Pinned");
});

it("shows conversations that the server did not delete, with the reason", async () => {
  list.hide([idOf("1"), idOf("2")]);
  await expect(list.deleteHidden([idOf("1"), idOf("2")])).rejects.toThrow("A run goes on.");
  expect(titles()).toEqual(["2", "3"]);
});

it("does not show a conversation again that was deleted elsewhere", async () => {
  server.on(`DELETE /api/conversations/${idOf("3")}`, (_asked, response) =>
    problem(response, 404, "NOT_FOUND", "There is no such conversation."),
  );
  list.hide([idOf("3")]);
  await list.deleteHidden([idOf("3")]);
  expect(titles()).toEqual(["1", "2"]);
});

it("deletes once when the page closes, even if it returns from the browser's cache", async () => {
  list.hide([idOf("1")]);
  list.deleteOnExit();
  list.unhide([idOf("1")]);
  await list.deleteHidden([idOf("1")]);
  expect(titles()).toEqual(["2", "3"]);
  await expect
    .poll(() => server.asked.filter(({ method }) => method === "DELETE").map(({ path }) => path))
    .toEqual([`/api/conversations/${idOf("1")}`]);
});

it("updates the groups after midnight", () => {
  expect(list.groups.map(({ label }) => label)).toEqual(["Today"]);
  today += DAY_MS;
  expect(list.groups.map(({ label }) => label)).toEqual(["Yesterday"]);
});

it("groups by the calendar day of the reader, then by week and month", () => {
  const now = new Date(2026, 10, 23, 0, 30);
  const dates = [
    new Date(2026, 10, 23, 0, 10),
    new Date(2026, 10, 22, 23, 50),
    new Date(2026, 10, 17, 12),
    new Date(2026, 10, 16, 12),
    new Date(2026, 9, 30, 12),
    new Date(2026, 8, 2, 12),
    new Date(2026, 8, 1, 12),
  ].map((date) => date.toISOString());
  const groups = groupByPeriod(dates, (date) => date, now);
  expect(groups.map(({ label, items }) => [label, items.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 1],
    ["Last 7 days", 2],
    ["Last 30 days", 1],
    ["September 2026", 2],
  ]);
});
