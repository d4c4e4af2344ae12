import { oneOf } from "../../text/patterns.ts";
import { withoutTrailing } from "../../text/words.ts";
import { statementsIn } from "../../text/statements.ts";
import { oneLine, truncate } from "../../text/format.ts";
import type { Clause } from "./clauses.ts";
import type { InterpretationContext, Match } from "./match.ts";
import { nearestPhrases } from "./nearest-skills.ts";
import type { Interpretation, PlannedCall } from "./plan.ts";
import { textBetween } from "../slots/slot-reader.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";
import { type Grammar, startsCommand } from "./grammar.ts";
import type { Token } from "../tokens/tokens.ts";
import { afterFiller } from "../tokens/filler-phrases.ts";

const mayRemove = (match: Match | undefined): boolean =>
  match?.rule.skill.isRisky === true || match?.rule.phrase.args?.["overwrite"] === true;

export const MAX_CLIP_LENGTH = 160;
/** With more unknown spans than this, the whole clause is reported. */
const MAX_GAPS = 4;
/** Clauses with at most this many known words are reported as a whole. */
const FEW_WORDS = 3;

export interface UnclearParts {
  /** Clauses that were understood. */
  understood?: readonly (Pick<Clause, "from" | "to"> & { matches?: readonly Match[] })[];
  /** Clauses that were not understood. */
  unclear?: readonly Clause[];
  /** The words that were not understood. Default: the words of `unclear` that no phrase contains. */
  unexplained?: readonly string[];
  dangling?: string;
  /** Requests in the person's words that would have the intended result. */
  instead?: readonly string[];
  recall?: PlannedCall | undefined;
}

/** Returns the words between two tokens on one line. */
export function clauseText(
  { request, tokens }: InterpretationContext,
  { from, to }: Pick<Clause, "from" | "to">,
): string {
  return oneLine(textBetween(request, tokens, from, to));
}

/** Reports what was understood, what was not, and which sentences would work. */
export function notUnderstood(
  context: InterpretationContext,
  { understood = [], unclear = [], unexplained, dangling, instead, recall }: UnclearParts,
): Interpretation {
  const { tokens, grammar } = context;
  const open = unclear.filter((clause) => clause.kind !== "prohibition" && isOpenEnded(context, clause));
  const gaps =
    unexplained ??
    unclear.flatMap((clause) =>
      open.includes(clause) ? [clauseText(context, clause)] : unexplainedIn(context, clause),
    );
  const foreign = isForeign(tokens, grammar);
  const [only] = unclear;
  const statement =
    !foreign &&
    only?.kind === "unknown" &&
    unclear.length === 1 &&
    understood.length === 0 &&
    isStatement(context, only)
      ? withoutTrailing(clauseText(context, only), /[\s.!]/u).replace(TURN, "")
      : undefined;
  const several =
    foreign || understood.length > 0 || unclear.length === 0 ? undefined : severalFacts(context);
  const kept = several ?? statement;
  const about = unclear.length === 0 ? tokens : unclear.flatMap(({ from, to }) => tokens.slice(from, to));
  let nearest: string[] | undefined;
  return {
    kind: "not-understood",
    // A removal or a replacement is not offered alone: the part that was not understood may be a copy first.
    understood: understood
      .filter(({ matches }) => !mayRemove(matches?.[0]))
      .map((clause) => truncate(clauseText(context, clause), MAX_CLIP_LENGTH)),
    unexplained: [...new Set(gaps.map((words) => truncate(words, MAX_CLIP_LENGTH)))],
    // Only an answer needs it, and comparing the request with every phrase costs a tenth of reading it. Spelling
    // similarity means nothing for words of another language.
    get nearest() {
      return (nearest ??= nearestPhrases(grammar, foreign ? [] : about));
    },
    ...(foreign && { foreign }),
    ...(kept !== undefined && { statement: kept }),
    ...(dangling !== undefined && { dangling }),
    ...(instead && { instead }),
    ...(recall && { recall }),
    needsModel: open.length > 0,
  };
}

/**
 * Returns the spans of a long clause that no phrase contains; the whole clause if it is short or if all or none of it
 * is known.
 */
function unexplainedIn(context: InterpretationContext, clause: Clause): string[] {
  const { tokens, grammar } = context;
  const runs: { from: number; to: number }[] = [];
  let known = 0;
  let isRunOpen = false;
  for (let index = clause.from; index < clause.to; index++) {
    const token = tokens[index];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) continue;
    const last = runs.at(-1);
    const isKnown = grammar.stems.has(token.stem) || grammar.correctWord(token) !== undefined;
    if (isKnown) known++;
    else if (isRunOpen && last !== undefined) last.to = index + 1;
    else runs.push({ from: index, to: index + 1 });
    isRunOpen = !isKnown;
  }
  const isSpecific = known > FEW_WORDS && runs.length > 0 && runs.length <= MAX_GAPS;
  return isSpecific ? runs.map((run) => clauseText(context, run)) : [clauseText(context, clause)];
}

/** Beginnings of a statement: "my", "Anna's", "the", a name. */
const SUBJECT =
  /^(?:(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Tt]his|[Tt]hat|I|i|[Ww]e|[Ss]he|[Hh]e|[Tt]hey)\b|\p{Lu}\p{L}+\b|\p{L}+['’]s\b)/u;
const STATEMENT_VERBS = oneOf(
  "am|is|are|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|needs?|prefers?|uses?|costs?",
  "means?|died|moved|starts?|ends?|takes?|meets?|drinks?|eats?|drives?|parks?|plays?|keeps?|goes|comes?",
  "opens?|closes?|owns?|speaks?|studies|teaches|married|lent|borrowed|owes?|wears?|wakes?|changed|hangs",
  "lies|sits|stands|belongs|stays|arrives|sleeps|rents|retired",
);
export const STATEMENT_VERB = new RegExp(String.raw`(?:\s${STATEMENT_VERBS}|^i['’]m)\s+\S`, "iu");

/** Words before a statement that do not belong to it: "actually the boat is at berth 22". */
const TURN = /^(?:actually|well|oh|so|by the way|btw|in fact|ah|hm)[,:]?\s+/iu;

/** True for a plain statement such as "my dentist is Dr. Berg". It requests nothing but may be worth remembering. */
function isStatement({ request, tokens, grammar }: InterpretationContext, { from, to }: Clause): boolean {
  const words = textBetween(request, tokens, from, to).replace(TURN, "");
  const first = tokens[from];
  const isOrder = first !== undefined && !FUNCTION_WORDS.has(first.text) && startsCommand(grammar, first);
  return !isOrder && tokens[to - 1]?.text !== "?" && SUBJECT.test(words) && STATEMENT_VERB.test(words);
}

/** What people say before they tell several things: "a few things so you know me: …". */
const INTRODUCTION =
  /^[^:,.!?]{0,20}\b(?:things?|facts?|know|info|information|about (?:me|us)|notes?)\b[^:.!?]{0,40}:\s*/iu;

/** The statements of a request that consists of several; undefined for any other request. */
function severalFacts({ request }: InterpretationContext): string | undefined {
  const facts = withoutTrailing(request.trim().replace(INTRODUCTION, ""), /[\s.!]/u);
  return !facts.includes("?") && statementsIn(facts).length > 1 ? facts : undefined;
}

/** Words that are common in other languages and do not exist in English. */
const FOREIGN_WORDS: ReadonlySet<string> = new Set(
  // Spanish, Portuguese
  (
    "el los las una unos que qué por para con mi mis cómo está cuál dónde muéstrame muestra crea añade borra lee escribe tarea tareas archivo archivos hola gracias favor " +
    "os uma meu minha meus minhas não você está quais onde cria adiciona apaga arquivo tarefa tarefas obrigado olá " +
    // French
    "le les des une mes mon ma dans avec pour est sont quelles quels où montre-moi montre crée ajoute supprime affiche fichier fichiers tâche tâches bonjour merci lis écris liste " +
    // German
    "der das ein eine einen einer meine meinen mein mir bitte ist sind und mit für von nicht wie wo wann zeige zeig erstelle erstell lösche lies schreibe schreib aufgabe aufgaben datei dateien danke welche morgen heute " +
    // Italian
    "il gli della mia mie miei sono che cosa dove mostra mostrami aggiungi elimina leggi scrivi attività ciao grazie " +
    // Dutch, Nordic
    "het een mijn zijn met voor niet hoe waar toon maak verwijder lees schrijf taken bestand bestanden dank " +
    "jeg jag ett mine mina ikke inte och og hva vad vis visa vise slett lag oppgave oppgaver uppgifter filer takk tack lägg uppgift att hej moi terve salut buenas " +
    // Finnish, Estonian
    "lisää tehtävä tehtävät tehtäväni näytä poista luo tiedosto tiedostot muistuta huomenna tänään minun mikä missä milloin kiitos kirjoita ostaa lisa ülesanne näita " +
    // Polish, Czech, Turkish
    "moje mój jest nie pokaż dodaj usuń plik zadanie zadania dziękuję ukaž přidej smaž soubor úkoly bana benim görev görevleri görevlerimi dosya göster ekle sil"
  ).split(" "),
);

/** A letter that English words do not have. */
const HAS_FOREIGN_LETTER = /[^\p{ASCII}\P{L}]/u;

/** True if the request is not in English: most of its letters or function words belong to another language. */
function isForeign(tokens: readonly Token[], grammar: Grammar): boolean {
  const words = tokens.filter(({ kind }) => kind === "word").map(({ text }) => text);
  const letters = words.join("").match(/\p{L}/gu)?.length ?? 0;
  const latin = words.join("").match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin < letters / 2) return true;
  const known = words.filter((word) => FOREIGN_WORDS.has(word)).length;
  const spelled = words.filter((word) => HAS_FOREIGN_LETTER.test(word) && !FOREIGN_WORDS.has(word)).length;
  // One such word may be a name.
  const others = known + (spelled > 1 ? spelled : 0);
  const english = words.filter(
    (word) => !FOREIGN_WORDS.has(word) && (FUNCTION_WORDS.has(word) || grammar.vocabulary.has(word)),
  ).length;
  return others > english;
}

/** Verbs for writing and reasoning: work for a model, not for a skill. */
const CREATIVE_VERBS: ReadonlySet<string> = new Set(
  (
    "write compose draft rewrite rephrase paraphrase summarise summarize translate explain describe brainstorm suggest recommend " +
    "invent imagine tell plan design calculate compute solve analyse analyze compare review proofread correct improve shorten " +
    "outline elaborate discuss argue advise guess predict convert generate code program debug refactor sing joke think research"
  ).split(" "),
);
const QUESTION_WORDS: ReadonlySet<string> = new Set(
  "what why how who whom whose which when where is are was were do does did should would could can will may might am has have".split(
    " ",
  ),
);
const CREATIVE_NOUNS: ReadonlySet<string> = new Set(
  (
    "poem poems story stories haiku essay song lyrics joke jokes limerick novel article blog letter speech summary translation recipe " +
    "email e-mail script tweet post slogan outline idea ideas"
  ).split(" "),
);

/** "What does it mean?" asks for no mean of numbers. */
const MEANING: ReadonlySet<string> = new Set(["mean", "means", "meaning", "meant"]);

/** True for open-ended work for a language model: writing, explaining, answering questions about the world. */
function isOpenEnded(
  { tokens, grammar }: InterpretationContext,
  { from, to }: { from: number; to: number },
): boolean {
  const { at } = afterFiller(tokens, from, to);
  const head = tokens.slice(at, Math.min(to, at + 30)).filter((token) => token.kind !== "mark");
  const words = head.filter((token) => token.kind === "word");
  const first = words[0]?.text ?? "";
  const namesText = words.slice(0, 6).some((token) => CREATIVE_NOUNS.has(token.text));
  // Writing existing content into a file requires no model.
  if (first === "write" && !namesText && head.some((token) => token.kind === "path")) return false;
  if (CREATIVE_VERBS.has(first)) return head.length > 1;
  // A question about skills or past runs is about this system, not about the world.
  if (QUESTION_WORDS.has(first))
    return (
      head.length > 1 &&
      !words.some(
        (token) =>
          !FUNCTION_WORDS.has(token.text) && !MEANING.has(token.text) && startsCommand(grammar, token),
      )
    );
  return namesText;
}
