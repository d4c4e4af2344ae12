import { findingsOf } from "@metahuman/agents/operator/answer/built-in-answer-writer";
import type { Region } from "@metahuman/core/contract/region";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import { MemoryNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { ActivityPort, DoneChange } from "@metahuman/core/runs/activity";
import type { RunStore } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";

/** The outputs of file skills that contain the path of what changed. */
const PATHS = ["path", "from", "to"];

/** The sentence for a change of a forgotten memory, which does not repeat its content. */
const FORGOTTEN: Readonly<Record<string, string>> = {
  memory_remember: "Remembered something that was forgotten later.",
  memory_forget: "Forgot a memory; it can be restored from the archive.",
};
const FORGOTTEN_REQUEST = "remember something that was forgotten later";

/** Reads the stored runs of a profile; those of emulation are not stored. */
export function createActivity(
  store: RunStore,
  skills: readonly Skill[],
  memory: Pick<MemoryPort, "get">,
): ActivityPort {
  const skillsById = new Map(skills.map((skill) => [skill.id, skill]));

  async function changesOf({ scratchpad }: Run, region: Region): Promise<DoneChange[]> {
    const changes = await Promise.all(
      scratchpad.map(async (entry): Promise<DoneChange[]> => {
        const skill = skillsById.get(entry.action?.tool ?? "");
        const isChange = skill !== undefined && skill.effects !== "read" && skill.category !== "agent";
        const [finding] = isChange ? findingsOf([entry], skills, region) : [];
        if (!skill || finding?.success !== true) return [];
        const sentence = (await forgottenSentence(entry)) ?? finding.sentence;
        return [{ skill: skill.id, sentence, paths: pathsOf(entry, skill) }];
      }),
    );
    return changes.flat();
  }

  /** The sentence for a change of a memory that is in the archive or deleted now; undefined for any other change. */
  async function forgottenSentence({ action, observation }: ScratchpadEntry): Promise<string | undefined> {
    const sentence = FORGOTTEN[action?.tool ?? ""];
    const id = observation?.outputs?.["id"];
    if (sentence === undefined || typeof id !== "string") return undefined;
    try {
      await memory.get(id);
      return undefined;
    } catch (error) {
      if (error instanceof MemoryNotFoundError) return sentence;
      throw error;
    }
  }

  function pathsOf({ observation }: ScratchpadEntry, { category }: Skill): string[] {
    if (category !== "files") return [];
    return PATHS.flatMap((name) => {
      const path = observation?.outputs?.[name];
      return typeof path === "string" ? [path] : [];
    });
  }

  return {
    async requests({ from, until, limit, except, region }) {
      const period = { ...(from !== undefined && { from }), ...(until !== undefined && { until }) };
      const { items, total } = await store.runs({ ...period, limit: limit + 1 });
      const requests = await Promise.all(
        items
          .filter(({ id }) => id !== except)
          .slice(0, limit)
          .map(async ({ id }) => {
            const [run, { surface }] = await Promise.all([store.run(id), store.request(id)]);
            const { title } = await store.conversation(run.conversationId);
            const changes = await changesOf(run, region);
            const tellsForgotten = changes.some(({ sentence }) => sentence === FORGOTTEN["memory_remember"]);
            return {
              runId: id,
              conversationId: run.conversationId,
              conversation: title,
              at: run.createdAt,
              request: tellsForgotten ? FORGOTTEN_REQUEST : run.goal,
              isScheduled: surface === "schedule",
              ...(run.outcome && { outcome: run.outcome }),
              changes,
            };
          }),
      );
      return { requests, total: total - (items.some(({ id }) => id === except) ? 1 : 0) };
    },
    async oldest(except) {
      const { items } = await store.runs({ limit: 1, sort: "oldest" });
      return items.find(({ id }) => id !== except)?.createdAt;
    },
  };
}
