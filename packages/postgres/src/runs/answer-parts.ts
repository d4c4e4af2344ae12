import { z } from "zod";
import { plainText, type ProfileSession } from "../session.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

/** How long parts of an answer are collected before they are stored, in milliseconds. */
const COLLECT_MS = 100;

const AttemptRow = z.object({ attempt: z.int() });

interface GrowingAnswer {
  text: string;
  /** How much of the text is stored. */
  stored: number;
  /** Undefined until the first part is stored. */
  attempt: number | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The texts of answers that this process is writing, in a table without a log of its own: they are lost in a crash of the
 * database, and complete answers are not.
 */
export interface AnswerParts {
  /** Adds text from `offset` on and stores it soon. */
  add(runId: string, text: string, offset: number): void;
  /** Stores no more of an answer. Resolves when nothing is being stored. */
  end(runId: string): Promise<void>;
  close(): Promise<void>;
}

export function openAnswerParts(options: {
  holder: string;
  write: (work: (session: ProfileSession) => Promise<void>) => Promise<void>;
}): AnswerParts {
  const answers = new Map<string, GrowingAnswer>();
  const queue = createSerialQueue();

  function storeLater(runId: string, answer: GrowingAnswer): void {
    answer.timer ??= setTimeout(() => {
      answer.timer = undefined;
      // The complete answer is stored with the run.
      queue(() => store(runId, answer)).catch(() => undefined);
    }, COLLECT_MS);
  }

  async function store(runId: string, answer: GrowingAnswer): Promise<void> {
    if (answers.get(runId) !== answer) return;
    const part = withoutHalfCharacter(answer.text.slice(answer.stored));
    if (part === "") return;
    const { stored } = answer;
    await options.write(async (session) => {
      const row = await session.get(
        AttemptRow,
        `INSERT INTO answer_parts (profile, run_id, attempt, place, text)
         SELECT r.profile, r.id, coalesce(:attempt::integer,
             (SELECT max(attempt) + 1 FROM answer_parts p WHERE p.profile = r.profile AND p.run_id = r.id), 0),
           :stored, :text
         FROM runs r WHERE r.profile = :profile AND r.id = :runId AND r.claimed AND r.owner = :holder
         RETURNING attempt`,
        {
          ...{ runId, stored, holder: options.holder },
          attempt: answer.attempt ?? null,
          text: plainText(part),
        },
      );
      answer.attempt = row?.attempt;
    });
    // The run was taken over.
    if (answer.attempt === undefined) answers.delete(runId);
    answer.stored += part.length;
    if (answer.text.length > answer.stored) storeLater(runId, answer);
  }

  async function end(runId: string): Promise<void> {
    const answer = answers.get(runId);
    if (!answer) return;
    clearTimeout(answer.timer);
    answers.delete(runId);
    await queue(async () => undefined);
  }

  return {
    add(runId, text, offset) {
      let answer = answers.get(runId);
      if (!answer || offset < answer.text.length) {
        clearTimeout(answer?.timer);
        const earlierText = answer?.text.slice(0, offset) ?? "";
        answer = { text: earlierText, stored: 0, attempt: undefined, timer: undefined };
        answers.set(runId, answer);
      }
      answer.text += text;
      storeLater(runId, answer);
    },
    end,
    async close() {
      await Promise.all([...answers.keys()].map(end));
    },
  };
}

/** A character of two code units is stored when both are there. */
function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
