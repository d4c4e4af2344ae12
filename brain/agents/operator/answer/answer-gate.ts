import { createClaimChecker, type CheckedSentence } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { quantityWords } from "./quantity-words.ts";
import { isFence, listMarkLength, type Sentence, sentencesOf } from "./sentences.ts";
import { ACTION_FORMS } from "./action-words.ts";

/** Passes a growing answer on, but for what must be checked before it is shown. */
export interface AnswerGate {
  /** More of the answer, in pieces of any size. */
  push(text: string): void;
  /** The answer is complete: what is held back is decided. */
  end(): void;
}

/**
 * A sentence is passed on as it comes up to its first sign of a claim (a number, a file name, a quotation, a citation, a
 * verb of action), then held back until it is complete. If its claims hold it goes on; otherwise its rest is withheld:
 * the answer is sent back or marked as a whole. What is passed on in total does not depend on how the text is cut.
 */
export function createAnswerGate(
  evidence: AnswerEvidence,
  { pass }: { pass: (text: string) => void },
): AnswerGate {
  const checker = createClaimChecker(evidence);
  let text = "";
  /** Everything before has been passed on or withheld. */
  let decided = 0;
  /** Where the line in progress begins, and whether it stands in program text. */
  let line = 0;
  let isFenced = false;
  /** The start of the first sentence that is not checked yet. */
  let unchecked = 0;

  function passUpTo(position: number): void {
    if (position <= decided) return;
    pass(text.slice(decided, position));
    decided = position;
  }

  function finish(sentence: Sentence, offset: number): void {
    const start = sentence.start + offset;
    if (start < unchecked) return;
    const end = sentence.end + offset;
    unchecked = end;
    const { problems } = checker.check({ ...sentence, start, end });
    if (problems.length === 0) return passUpTo(end);
    passUpTo(start + holdFrom(sentence));
    decided = Math.max(decided, end);
  }

  function finishLine(end: number): void {
    const content = text.slice(line, end);
    for (const sentence of sentencesOf(content, { isFenced })) finish(sentence, line);
    if (isFence(content)) isFenced = !isFenced;
  }

  function settle(): void {
    for (let end = text.indexOf("\n", line); end !== -1; end = text.indexOf("\n", line)) {
      finishLine(end);
      passUpTo(end + 1);
      line = end + 1;
      unchecked = line;
    }
    const sentences = sentencesOf(text.slice(line), { isFenced });
    const last = sentences.at(-1);
    const isCertain =
      last !== undefined && /\s/u.test(text.slice(line + last.start)) && !/^\[[^\]]*$/u.test(last.text);
    const complete = sentences.slice(0, isCertain ? -1 : -2);
    for (const sentence of complete) finish(sentence, line);
    const open = sentences[complete.length];
    if (!open || open.start + line < unchecked) return;
    // While the start of the next one may still belong to this sentence, nothing after it is passed on.
    passUpTo(line + open.start + holdFrom(open, { isOpen: true }));
  }

  return {
    push(piece) {
      text += piece;
      settle();
    },
    end() {
      finishLine(text.length);
      passUpTo(text.length);
    },
  };
}

/**
 * Gates an answer that is told in pieces with their offsets; a piece at offset 0 begins it anew. What is held back at its
 * end comes with the completed answer.
 */
export function gatedAnswer(
  evidence: () => AnswerEvidence,
  grew: (text: string, offset: number) => void,
): (text: string, offset: number) => void {
  let gate: AnswerGate | undefined;
  return (text, offset) => {
    if (!gate || offset === 0) {
      let passed = 0;
      gate = createAnswerGate(evidence(), {
        pass: (piece) => {
          grew(piece, passed);
          passed += piece.length;
        },
      });
    }
    gate.push(text);
  };
}

const STATUSES =
  "done completed finished erledigt abgeschlossen fertig terminé terminée fait faite hecho hecha completado completada overdue überfällig";
const RELATIVE_DAYS = "tomorrow yesterday morgen übermorgen gestern demain hier mañana ayer";

let prefixes: ReadonlySet<string> | undefined;
let signs: ReadonlySet<string> | undefined;

function signWords(): ReadonlySet<string> {
  return (signs ??= new Set(
    [...ACTION_FORMS.keys(), ...quantityWords(), ...STATUSES.split(" "), ...RELATIVE_DAYS.split(" ")].filter(
      (word) => word.length > 1,
    ),
  ));
}

/** Every beginning of a word that is a sign. */
function signPrefixes(): ReadonlySet<string> {
  return (prefixes ??= new Set(
    [...signWords()].flatMap((word) => Array.from(word, (_, index) => word.slice(0, index + 1))),
  ));
}

const SIGN = /[\p{L}\p{M}-]+|\d|[`"“„«»‘[$€£]|[./](?=[\p{L}\p{N}])|[./]$/gu;

/**
 * Where a sentence is held back from: the first sign of a claim, in UTF-16 code units from its start; its length where
 * there is none. In an open sentence what may yet become a sign is one.
 */
export function holdFrom(
  { text, isQuoted }: Pick<Sentence, "text" | "isQuoted">,
  { isOpen = false } = {},
): number {
  if (isQuoted) return text.length;
  const mark = listMarkLength(text);
  for (const match of text.matchAll(SIGN)) {
    if (match.index < mark) continue;
    const [sign] = match;
    const isAtEnd = match.index + sign.length === text.length;
    if (/^[./]$/u.test(sign)) {
      if (!isAtEnd || isOpen) return match.index;
    } else if (!/^[\p{L}\p{M}-]/u.test(sign)) return match.index;
    else if (isOpen && isAtEnd ? signPrefixes().has(sign.toLowerCase()) : signWords().has(sign.toLowerCase()))
      return match.index;
  }
  return text.length;
}

export const UNCONFIRMED = "*not confirmed*";

/** The answer with a mark behind each sentence that nothing confirms. */
export function withUnconfirmedMarked(answer: string, checked: readonly CheckedSentence[]): string {
  return edited(answer, checked, (sentence) =>
    // Behind the last cell the mark would stand outside of the table.
    sentence.endsWith("|") ? `${sentence.slice(0, -1)}${UNCONFIRMED} |` : `${sentence} ${UNCONFIRMED}`,
  );
}

/** The answer without the sentences that nothing confirms; `""` when none is left. */
export function withoutUnconfirmed(answer: string, checked: readonly CheckedSentence[]): string {
  return edited(answer, checked, () => "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter(
      (line, index) =>
        line.trim() === answer.split("\n")[index]?.trim() || line.trim().length > listMarkLength(`${line} `),
    )
    .join("\n")
    .trim();
}

/** An earlier answer without what was marked in it: a claim that nothing confirmed is no evidence for the next one. */
export function withoutMarked(answer: string): string {
  if (!answer.includes(UNCONFIRMED)) return answer;
  const sentences = sentencesOf(answer);
  return sentences
    .filter(
      ({ text }, index) => !text.includes(UNCONFIRMED) && !sentences[index + 1]?.text.startsWith(UNCONFIRMED),
    )
    .map(({ text }) => text)
    .join("\n");
}

function edited(
  answer: string,
  checked: readonly CheckedSentence[],
  edit: (sentence: string) => string,
): string {
  return checked
    .filter(({ problems }) => problems.length > 0)
    .toReversed()
    .reduce(
      (text, { start, end }) => text.slice(0, start) + edit(text.slice(start, end)) + text.slice(end),
      answer,
    );
}
