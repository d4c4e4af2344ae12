import { findingsOf } from "@metahuman/agents/operator/answer/built-in-answer-writer";
import type { Region } from "@metahuman/core/contract/region";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { ActivityPort, DoneChange } from "@metahuman/core/runs/activity";
import type { RunStore } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";

/** The outputs of file skills that contain the path of what changed. */
const PATHS = ["path", "from", "to"];

/** Reads the stored runs of a profile; those of emulation are not stored. */
export function createActivity(store: RunStore, skills: readonly Skill[]): ActivityPort {
  const skillsById = new Map(skills.map((skill) => [skill.id, skill]));

  function changesOf({ scratchpad }: Run, region: Region): DoneChange[] {
    return scratchpad.flatMap((entry): DoneChange[] => {
      const skill = skillsById.get(entry.action?.tool ?? "");
      const isChange = skill !== undefined && skill.effects !== "read" && skill.category !== "agent";
      const [finding] = isChange ? findingsOf([entry], skills, region) : [];
      if (!skill || finding?.success !== true) return [];
      return [{ skill: skill.id, sentence: finding.sentence, paths: pathsOf(entry, skill) }];
    });
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
            return {
              runId: id,
              conversationId: run.conversationId,
              conversation: title,
              at: run.createdAt,
              request: run.goal,
              isScheduled: surface === "schedule",
              ...(run.outcome && { outcome: run.outcome }),
              changes: changesOf(run, region),
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
