import { NetworkError } from "@metahuman/core/errors/service-errors";
import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { askUser } from "@metahuman/skills/ask-user/skill";
import { conversationalResponse } from "@metahuman/skills/conversational-response/skill";
import { defineSkill, type Skill } from "@metahuman/skills/define-skill";

const Done = z.strictObject({ done: z.string() });
const narrate = ({ done }: z.infer<typeof Done>) => `Did ${done}.`;
const structure = ({ done }: z.infer<typeof Done>) => `- ${done}`;

/** The executed calls, in order. */
export async function executedCalls(journal: string): Promise<string[]> {
  const text = await readFile(journal, { encoding: "utf8", flag: "a+" });
  return text.split("\n").filter((line) => line !== "");
}

/** Skills whose effects can be counted in the journal, also from another process; and the two real ones that steer a run. */
export function testSkills(journal: string): Skill[] {
  const note = (text: string) => appendFile(journal, `${text}\n`);
  const shape = { category: "files", output: Done, narrate, structure, phrases: [] } as const;
  const Text = z.strictObject({ text: z.string().default("it") });
  let assessed = 0;

  return [
    defineSkill({
      ...shape,
      id: "look",
      summary: "Look",
      input: Text,
      effects: "read",
      risk: "low",
      idempotent: true,
      run: async ({ text }) => ({ done: text }),
    }),
    defineSkill({
      ...shape,
      id: "write_down",
      summary: "Write down",
      input: Text,
      effects: "write",
      risk: "low",
      run: async ({ text }) => {
        await note(text);
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "put",
      summary: "Put, as often as one likes",
      input: Text,
      effects: "write",
      risk: "low",
      idempotent: true,
      run: async ({ text }) => {
        if (!(await executedCalls(journal)).includes(text)) await note(text);
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "shred",
      summary: "Shred",
      input: Text,
      effects: "write",
      risk: "high",
      // Assesses by the journal: another preview once the journal changed.
      assess: async ({ text }) => ({
        risk: "high",
        preview: {
          title: `Shred ${text}?`,
          facts: [{ label: "done before", value: String((await executedCalls(journal)).length) }],
        },
        paths: [`out/${text}`],
        hosts: [],
        grant: { pathPrefix: "out/" },
      }),
      run: async ({ text }) => {
        await note(`shredded ${text}`);
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "launch",
      summary: "Launch",
      input: Text,
      effects: "execute",
      risk: "critical",
      assess: async ({ text }) => ({
        risk: "critical",
        preview: {
          title: `Launch ${text}?`,
          facts: [{ label: "assessed", value: String((assessed += 1)), varies: true }],
        },
        paths: [],
        hosts: [],
        grant: {},
      }),
      run: async ({ text }) => ({ done: text }),
    }),
    defineSkill({
      ...shape,
      id: "get",
      summary: "Get from a host",
      input: Text,
      effects: "network",
      risk: "medium",
      asksPerHost: true,
      assess: async ({ text }) => {
        const { host } = new URL(text);
        return {
          risk: "medium",
          preview: { title: `Get ${text}?`, facts: [] },
          paths: [],
          hosts: [host],
          grant: { host },
        };
      },
      run: async ({ text }) => {
        await note(`got ${text}`);
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "wait_long",
      summary: "Wait until stopped",
      input: Text,
      effects: "write",
      risk: "low",
      run: async ({ text }, { signal }) => {
        await note(`began ${text}`);
        await new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "wait_repeatable",
      summary: "Wait until stopped, at the first attempt",
      input: Text,
      effects: "write",
      risk: "low",
      idempotent: true,
      run: async ({ text }, { signal }) => {
        const hasBegunBefore = (await executedCalls(journal)).includes(`began ${text}`);
        await note(hasBegunBefore ? `ended ${text}` : `began ${text}`);
        if (!hasBegunBefore)
          await new Promise((_resolve, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        return { done: text };
      },
    }),
    defineSkill({
      ...shape,
      id: "deaf",
      summary: "Never end",
      input: Text,
      effects: "read",
      risk: "low",
      run: () => new Promise<never>(() => undefined),
    }),
    defineSkill({
      ...shape,
      id: "miss",
      summary: "Find nothing",
      input: Text,
      effects: "read",
      risk: "low",
      run: async ({ text }) => {
        throw new FileNotFoundError(`There is nothing at ${text}.`, { suggestions: ["out/other.md"] });
      },
    }),
    defineSkill({
      ...shape,
      id: "crash",
      summary: "Have a bug",
      input: Text,
      effects: "read",
      risk: "low",
      run: async () => {
        throw new TypeError("secret /root/path");
      },
    }),
    askUser,
    conversationalResponse,
  ];
}

const WITHOUT_VALUES = { input: z.strictObject({}), output: z.strictObject({}), phrases: [] };

/** A skill whose host gives no answer. */
export const unreachableHost = defineSkill({
  ...WITHOUT_VALUES,
  id: "reach",
  summary: "Reach a host",
  category: "web",
  effects: "read",
  risk: "low",
  narrate: () => "Reached it.",
  run: () => Promise.reject(new NetworkError("There was no answer.")),
});

/** A skill that needs approval and lasts until this promise resolves. */
export const holdUntil = (ended: Promise<void>) =>
  defineSkill({
    ...WITHOUT_VALUES,
    id: "hold",
    summary: "Do something that lasts",
    category: "system",
    effects: "write",
    risk: "high",
    narrate: () => "Held it.",
    run: () => ended.then(() => ({})),
  });
