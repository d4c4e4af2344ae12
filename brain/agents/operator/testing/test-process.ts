/**
 * An operator in a separate process, to be killed: `node test-process.ts <home> <plan>`. Starts one run and prints
 * its id. The skills record their calls in the journal of the data root.
 */
import { ada, makeTestHome } from "./open-operator.ts";
import { call, say, scriptedPlanner } from "./scripted-planner.ts";
import { openTestPorts } from "./test-ports.ts";

const plans = {
  /** A complete write, then one that never ends. */
  "killed-in-a-write": [
    call("write_down", { text: "first" }),
    call("wait_long", { text: "second" }),
    say("Both."),
  ],
  /** The same with an idempotent call. */
  "killed-in-a-repeatable": [
    call("put", { text: "first" }),
    call("wait_repeatable", { text: "second" }),
    say("Both."),
  ],
  /** The planner never answers. */
  "killed-while-thinking": [call("write_down", { text: "first" }), () => new Promise<never>(() => undefined)],
};

const [folder, plan] = process.argv.slice(2);
if (
  folder === undefined ||
  !(plan === "killed-in-a-write" || plan === "killed-in-a-repeatable" || plan === "killed-while-thinking")
) {
  throw new Error("usage: test-process.ts <home> <plan>");
}
const { operator } = await makeTestHome(await openTestPorts(), folder).open(scriptedPlanner(plans[plan]));
const run = await operator.start({ goal: "both" }, { identity: ada, surface: "cli" });
process.stdout.write(`${run.id}\n`);
