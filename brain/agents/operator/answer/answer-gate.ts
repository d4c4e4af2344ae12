import { listMarkLength } from "@metahuman/core/text/list-marks";
import { createClaimChecker, type CheckedSentence } from "./check-claims.ts";
import type { AnswerEvidence } from "./evidence.ts";
import { quantityWords } from "./quantity-words.ts";
import { isFence, type Sentence, sentencesOf } from "./sentences.ts";
import { ACTION_FORMS } from "./action-words.ts";

/** Streams an answer, but holds back what must be checked before it is shown. */
export interface AnswerGate {
  /** More of the answer, in pieces of any size. */
  push(text: string): void;
  /** Ends the answer: decides about what is still held back. */
  end(): void;
}

/** The sentences of one answer that are streamed. The review checks the rest, because it yields to the event loop. */
const MAX_CHECKED = 200;
/** A longer sentence counts as several, because checking it takes longer; in characters. */
const MAX_SHORT = 250;

/**
 * Streams each sentence up to its first sign of a claim (a number, a file name, a quotation, a citation, a verb of
 * action), then holds the rest back until the sentence is complete. A sentence whose claims hold is passed on; the rest
 * of any other is withheld, because the review then rejects or marks the answer. The result does not depend on how the
 * text is cut into pieces.
 */
export function createAnswerGate(
  evidence: AnswerEvidence,
  { pass }: { pass: (text: string) => void },
): AnswerGate {
  const checker = createClaimChecker(evidence);
  let text = "";
  /** Everything before this index has been passed on or withheld. */
  let decided = 0;
  /** The start of the current line, and whether it is inside a code fence. */
  let line = 0;
  let isFenced = false;
  /** The start of the first unchecked sentence. */
  let unchecked = 0;
  let checks = 0;

  function releaseUpTo(position: number): void {
    if (position <= decided || checks > MAX_CHECKED) return;
    pass(text.slice(decided, position));
    decided = position;
  }

  function finish(sentence: Sentence, offset: number): void {
    const start = sentence.start + offset;
    if (start < unchecked || checks > MAX_CHECKED) return;
    checks += Math.ceil((sentence.end - sentence.start) / MAX_SHORT);
    const end = sentence.end + offset;
    unchecked = end;
    const { problems } = checker.check({ ...sentence, start, end });
    if (problems.length === 0) return releaseUpTo(end);
    releaseUpTo(start + claimStart(sentence));
    decided = Math.max(decided, end);
  }

  function finishLine(end: number): void {
    const content = text.slice(line, end);
    for (const sentence of sentencesOf(content, { isFenced, after: Math.max(0, unchecked - line) }))
      finish(sentence, line);
    if (isFence(content)) isFenced = !isFenced;
  }

  function checkCompleteSentences(): void {
    for (let end = text.indexOf("\n", line); end !== -1; end = text.indexOf("\n", line)) {
      finishLine(end);
      releaseUpTo(end + 1);
      line = end + 1;
      unchecked = line;
    }
    if (checks > MAX_CHECKED) return;
    const sentences = sentencesOf(text.slice(line), { isFenced, after: Math.max(0, unchecked - line) });
    const last = sentences.at(-1);
    const isCertain =
      last !== undefined && /\s/u.test(text.slice(line + last.start)) && !/^\[[^\]]*$/u.test(last.text);
    const complete = sentences.slice(0, isCertain ? -1 : -2);
    for (const sentence of complete) finish(sentence, line);
    const open = sentences[complete.length];
    if (!open || open.start + line < unchecked) return;
    // The start of the next sentence may still belong to this one, so nothing after it is passed on.
    releaseUpTo(line + open.start + claimStart(open, { isOpen: true }));
  }

  return {
    push(piece) {
      text += piece;
      checkCompleteSentences();
    },
    end() {
      finishLine(text.length);
      releaseUpTo(text.length);
    },
  };
}

/**
 * Gates an answer that arrives in pieces with offsets; offset 0 starts a new answer. The completed answer contains what is
 * still held back at its end.
 */
export function gatedAnswer(
  evidence: () => AnswerEvidence,
  onText: (text: string, offset: number) => void,
): (text: string, offset: number) => void {
  let gate: AnswerGate | undefined;
  return (text, offset) => {
    if (!gate || offset === 0) {
      let passed = 0;
      gate = createAnswerGate(evidence(), {
        pass: (piece) => {
          onText(piece, passed);
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

/** Every prefix of a sign word. */
function signPrefixes(): ReadonlySet<string> {
  return (prefixes ??= new Set(
    [...signWords()].flatMap((word) => Array.from(word, (_, index) => word.slice(0, index + 1))),
  ));
}

const SIGN = /[\p{L}\p{M}-]+|\d|[`"“„«»‘[$€£]|[./](?=[\p{L}\p{N}])|[./]$/gu;

/**
 * The index of the first sign of a claim, in UTF-16 code units; the sentence's length without one. In an open sentence, a
 * word that may still become a sign counts as one.
 */
export function claimStart(
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

/** The answer with a mark after each unconfirmed sentence. */
export function withUnconfirmedMarked(answer: string, checked: readonly CheckedSentence[]): string {
  return editSentences(answer, checked, (sentence) =>
    // After the last cell the mark would be outside the table.
    sentence.endsWith("|") ? `${sentence.slice(0, -1)}${UNCONFIRMED} |` : `${sentence} ${UNCONFIRMED}`,
  );
}

/** The answer without its unconfirmed sentences; `""` when none is left. */
export function withoutUnconfirmed(answer: string, checked: readonly CheckedSentence[]): string {
  return editSentences(answer, checked, () => "")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter(
      (line, index) =>
        line.trim() === answer.split("\n")[index]?.trim() || line.trim().length > listMarkLength(`${line} `),
    )
    .join("\n")
    .trim();
}

/** An earlier answer without its marked sentences, because an unconfirmed claim is not evidence for a later answer. */
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

function editSentences(
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
