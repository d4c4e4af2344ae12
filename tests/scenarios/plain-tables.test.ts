import { afterEach, beforeEach, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Conversations about a table, without a model: statements about its rows, and questions that name neither file nor column.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

it("puts down what is said about a row", async () => {
  await stage.write(
    "out/bridge.csv",
    "name,phone,paid\nEdna,5550101,yes\nHarold,5550102,no\nPru,5550103,no\n",
  );
  await say("who hasn't paid yet in bridge.csv?");
  await say("Harold paid this morning");
  const left = await say("so who is left?");
  expect(left).toContain("Pru");
  expect(left).not.toContain("Harold");
  expect(await say("what is Pru's telephone number?")).toContain("5550103");
  await say("that's wrong, Edna hasn't paid");
  expect(await stage.read("out/bridge.csv")).toContain("Edna,5550101,no\nHarold,5550102,yes\nPru,5550103,no");
});

it("changes nothing for what is only planned, asked or supposed", async () => {
  const content = "name,paid\nEdna,no\nPru,no\n";
  await stage.write("out/bridge.csv", content);
  await say("who hasn't paid in bridge.csv?");
  for (const request of [
    "Pru wants to pay tomorrow",
    "if Pru has paid",
    "has Pru paid?",
    "Pru will have paid by then",
  ])
    await say(request);
  expect(await stage.read("out/bridge.csv")).toBe(content);
});

it("tells rows with the same name apart by what was done", async () => {
  await stage.write("out/chores.csv", "who,chore,done\nLeo,dishes,no\nEva,laundry,yes\nLeo,trash,no\n");
  await say("show chores.csv");
  await say("Leo did the dishes");
  expect(await say("what isn't done yet?")).toContain("trash");
  await say("and Max, windows, no");
  expect(await stage.read("out/chores.csv")).toBe(
    "who,chore,done\nLeo,dishes,yes\nEva,laundry,yes\nLeo,trash,no\nMax,windows,no\n",
  );
  await say("reset all to no");
  expect(await stage.read("out/chores.csv")).not.toContain("yes");
});

it("fills the empty cell of a row, and corrects the number of another", async () => {
  await stage.write("out/flats.csv", "flat,tenant,rent\n1A,Smith,650\n1B,,700\n2A,Jones,720\n");
  expect(await say("which flats are empty in flats.csv?")).toContain("1B");
  await say("1B goes to Patel");
  expect(await say("so who lives in 1B?")).toContain("Patel");
  expect(await say("what does Jones pay now?")).toContain("720");
  expect(await say("how much rent do I get?")).toContain("2070");
  await say("the rent of 1A was 660");
  expect(await stage.read("out/flats.csv")).toBe(
    "flat,tenant,rent\n1A,Smith,660\n1B,Patel,700\n2A,Jones,720\n",
  );
});

it("calculates with a figure of the table, and takes rows without an order", async () => {
  await say("create a table jobs.csv with customer, price and paid");
  await say("add Miller, 450, no");
  await say("Carter, 300, yes");
  expect(await say("maximum?")).toContain("450");
  expect(await say("how much is the total now?")).toContain("750");
  expect(await say("multiply that by 2")).toContain("1500");
  expect(await say("who owes me money")).toContain("Miller");
  expect(await say("how much did I spend in jobs.csv?")).toContain("750");
});
