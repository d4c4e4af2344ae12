import { oneOf, wholeWords } from "../text/patterns.ts";
import { plainWords, stemOf, withoutTrailing } from "../text/words.ts";
import {
  NON_ENGLISH_TASK_CHANGES,
  CHANGE_WORDS,
  type TargetAction,
  withoutDoNotForget,
} from "./change-words.ts";

const COPIES = "copy copie duplicat backup kopier kopi sauvegard".split(" ");

const WORKS_OUT = [
  ..."count total sum average mean median calculat comput determin decid judg grad rate rank classif categor".split(
    " ",
  ),
  ..."compar choos pick whether status verdict zähl summ berechn entscheid bewert einstuf vergleich".split(
    " ",
  ),
  ..."compt calcul décid évalu class cuent cont suma decid evalú clasif calcol valut telle bereken beslis".split(
    " ",
  ),
];

/**
 * True if the words ask for a call of this kind, in one of the supported languages. In other languages the person is
 * asked once more. A question such as "when was it changed?" does not ask for a call.
 */
export function asksFor(taking: TargetAction, text: string): boolean {
  // An addition or a change that can be undone needs words of its target, in every request.
  if (taking === "append" || taking === "change") return true;
  // A request to delete something also allows moving, replacing or stopping it.
  const includesDelete = taking === "move" || taking === "overwrite" || taking === "stop";
  const asking = [CHANGE_WORDS[taking], includesDelete ? CHANGE_WORDS.delete : undefined];
  return ordersOf(withoutDoNotForget(text)).some((order) =>
    asking.some((words) => words?.test(order) === true),
  );
}

/** True if the words ask for a copy, which keeps the original. */
export function asksOnlyToCopy(taking: TargetAction, words: string): boolean {
  return (
    plainWords(words).some((word) => COPIES.some((start) => word.startsWith(start))) &&
    !asksFor(taking, words)
  );
}

/** True if the words ask for a derived result: a count, a sum, a verdict. */
export function asksToCalculate(words: string): boolean {
  return plainWords(words).some((word) => WORKS_OUT.some((start) => word.startsWith(start)));
}

const COMMON = new Set(
  "schedule schedules reminder reminders every the and for all any with from this that about have has had not are was were will you your our his her its into onto task tasks todo todos file files folder note notes please delete remove der die das und mit von ein eine les des une los las una".split(
    " ",
  ),
);

/** Returns the words of a title that identify it. */
export function identifyingWords(text: string): string[] {
  return plainWords(text).filter((word) => word.length > 2 && !COMMON.has(word));
}

const NOUNS = {
  task: /(?<!\p{L})(?:tasks?|to-?dos?|reminders?|aufgaben?|tâches?|tareas?|tarefas?|compit[io]|taak|taken|tehtäv\p{L}*|uppgift(?:er|erna|en)?|oppgave(?:n|r|ne)?)(?!\p{L})/iu,
  schedule:
    /(?<!\p{L})(?:schedules?|reminders?|automations?|zeitpl(?:an|äne)|erinnerung(?:en)?|rappels?|recordatorios?|promemoria)(?!\p{L})/iu,
  memory: /(?<!\p{L})(?:memor(?:y|ies)|facts?|erinnerung(?:en)?|souvenirs?|recuerdos?|ricordi)(?!\p{L})/iu,
};

export function mentionsKind(kind: keyof typeof NOUNS, words: string): boolean {
  return NOUNS[kind].test(words);
}

/** The stems of the identifying words of a text, each once, without words that name the person. */
export function identifyingStems(text: string): string[] {
  return [...new Set(identifyingWords(text).map(stemOf))].filter((stem) => !PERSON.has(stem));
}

const PERSON = new Set(["user", "person", "owner"].map(stemOf));

const QUESTION_WORDS =
  "what which who whom whose when where why how is are was were do does did has have had was welche welcher welches wer wann wo warum wie ist sind hat wieviel que combien quel quelle quels quelles qui quand où pourquoi comment est qué cuál quién cuándo dónde cómo es che quanto quanta quanti quante quale chi quando dove come wat welke wanneer waar hoe hoeveel mikä mitä kuka milloin missä miksi miten paljonko montako onko";
const QUESTION = new RegExp(`^\\W*(?:${QUESTION_WORDS.replaceAll(" ", "|")})(?!\\p{L})`, "iu");
const POLITE_WORDS = oneOf(
  "please|pls|plz|bitte|svp|por favor|per favore|kannst du|können sie|könntest du|peux-tu|pouvez-vous",
  "puedes|puoi|kun je|alstublieft",
);
const POLITE = new RegExp(
  String.raw`(?<!\p{L})(?:can|could|would|will) (?:you|u)(?!\p{L})|(?<!\p{L})${POLITE_WORDS}(?!\p{L})`,
  "iu",
);

const WANTS_TO_KNOW =
  /(?<!\p{L})(?:(?:tell|show|remind) me|let me know|(?:i )?(?:want|need|like) to know|find out) (?:how|what|which|who|whose|when|where|why|whether|if)(?!\p{L})/iu;

/** The sentences of a text that are not questions. A polite request, such as "can you …?", is not a question. */
export function statementsOf(text: string): string[] {
  return sentencesOf(text).filter((sentence) => !isQuestion(sentence));
}

/** True if a part of the text asks for information: a question, or an order to report something. */
export function asksQuestion(text: string): boolean {
  return WANTS_TO_KNOW.test(text) || sentencesOf(text).some(isQuestion);
}

const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n+/u);

/** The parts of a text that may be orders, without those that ask for information: "read it, and then delete it". */
const ordersOf = (text: string): string[] =>
  sentencesOf(text)
    .flatMap((sentence) => sentence.split(CLAUSE))
    .flatMap((clause) => {
      // "When was it changed, and by whom?" contains no order, and "when you are done, delete it" does.
      const isQuestionOnly = INFORMATION.test(clause) && endsInQuestionMark(clause) && !POLITE.test(clause);
      return isQuestionOnly ? [] : clause.split(",").filter((part) => !INFORMATION.test(part));
    });

const CLAUSE = /(?:,\s*|\s)(?:and|then|und|dann|et|puis|y|luego|e|poi|en dan|ja|sitten|och|sedan|og|så)\s+/iu;

const INFORMATION_WORDS = oneOf(
  "(?:when|who|whom|whose|which|where|why|how|what)(?! about| if| don)|was|were|did|has|wann|wer",
  "welche[rs]?|wo|warum|wie|wieviel|quand|qui|quels?|quelles?|où|pourquoi|comment|combien|cuándo|quién",
  "cuál|dónde|cómo|cuántos?|quando|chi|quale|dove|quanto|quem|qual|onde|wanneer|wie|welke|waar|waarom",
  "hoe|milloin|kuka|mikä|mitä|missä|miksi|när|vem|vilken|vilka|var|varför|hur|når|hvem|hvilke|hvor",
  "hvorfor|hvordan",
);
/** A question that asks for information only. */
const INFORMATION = new RegExp(String.raw`^\W*${INFORMATION_WORDS}(?![\p{L}\p{N}])`, "iu");

const isQuestion = (sentence: string): boolean =>
  !POLITE.test(sentence) && (QUESTION.test(sentence) || endsInQuestionMark(sentence));

/** True if nothing but marks follows the last question mark. */
const endsInQuestionMark = (text: string): boolean =>
  text.slice(withoutTrailing(text, /\W/u).length).includes("?");

const CHANGES = new Set(
  (
    "change update edit rename retitle reword move push postpone reschedule delay defer shift snooze set mark tick strike finish " +
    "complete close done did start raise lower prioritise prioritize bump cancel reopen correct fix adjust make shorten swap " +
    "assign tag label skip"
  )
    .split(" ")
    .map(stemOf),
);

const CHANGES_IN_PARTS =
  /(?<!\p{L})(?:hake? (?:\S+ ){1,6}ab|(?:check|cross|tick|strik)\p{L}* (?:\S+ ){0,6}off|put(?:ting)? (?:\S+ ){0,6}(?:off|to|for|back))(?!\p{L})/iu;

/** Words of creating, after which "make" and "set" change nothing that is there: "make a task", "set reminders". */
const CREATION =
  /(?<!\p{L})(?:make|set|put|start)\s+(?:up\s+)?(?:me\s+)?(?:an?|new|some|another|tasks?|to-?dos?|reminders?|schedules?)(?!\p{L})(?:(?!\s(?:and|und|et|y|e|en)\s)[^,;.])*/giu;

/** What is done already: "my finished tasks". */
const FINISHED =
  /(?<!\p{L})(?:done|finished|completed|closed|cancelled|started)\s+(?:tasks?|to-?dos?|ones|things|items)/giu;

const READS_WORDS = oneOf(
  "list|show|read|tell|give|sum|summari[sz]e|count|find|look|search|print|display|zeig|lies|liste",
  "montre|lis|muestra|lee|mostra|leggi|toon|lees|lue|luetaan|näytä|kerro|listaa|läs|visa|berätta|les",
  "vis|fortell|lê|leia",
);
/** A sentence that only asks to be shown something. */
const READS = new RegExp(
  String.raw`^\W*(?:please\s+)?${READS_WORDS}(?!\p{L})(?!.*(?:,|(?<!\p{L})(?:and|then|und|dann|et|puis|y|luego|e|poi|en|ja|och|og)(?!\p{L})))`,
  "iu",
);

/** Words that ask to change something planned or remembered, without its name. */
const KIND_CHANGES: Partial<Record<keyof typeof NOUNS, RegExp>> = {
  schedule:
    /(?<!\p{L})(?:pause|resume|unpause|skip|stop|halt|unschedule|switch(?:ed)? off|turn(?:ed)? off|pausier|überspring|suspend|arrête|pausa|salta|pauzeer)/iu,
  memory:
    /(?<!\p{L})(?:actually|no longer|not any ?more|instead|wrong|replace|forget|nicht mehr|stimmt nicht|falsch|plus maintenant|ya no|non più|niet meer)(?!\p{L})/iu,
};

/**
 * True if a statement of the text asks for a change or reports one: "push my tasks to Monday", "everything is done".
 */
export function asksForChange(kind: keyof typeof NOUNS, text: string): boolean {
  return statementsOf(text).some((sentence) => {
    if (READS.test(sentence)) return false;
    const rest = sentence.replaceAll(CREATION, " ").replaceAll(FINISHED, " ");
    if (KIND_CHANGES[kind]?.test(rest) === true || CHANGES_IN_PARTS.test(rest)) return true;
    return NON_ENGLISH_TASK_CHANGES.test(rest) || plainWords(rest).some((word) => CHANGES.has(stemOf(word)));
  });
}

const PAUSES =
  /(?<!\p{L})(?:pause|resume|unpause|skip|snooze|pausier|überspring|suspend|pausa|salta|pauzeer)(?:s|d|ed|ing|t|e)?(?!\p{L})/iu;

/** True if a statement asks to pause, resume or skip, which only schedules can. */
export function asksToPause(text: string): boolean {
  return statementsOf(text).some((sentence) => PAUSES.test(sentence));
}

/** "Everything on my list", "all that is due": all tasks, without the word. */
const ALL_TASKS = new RegExp(
  wholeWords(
    "everything|all (?:of )?(?:it|them|that)|(?:my|the) (?:list|plate|agenda|day)",
    "(?:what|all) is (?:due|overdue|left|open)|overdue|alles|liste|tout|todo lo|tutto",
  ),
  "iu",
);

/** Whether the words mean what is of this kind as a whole. */
export function mentionsAllOf(kind: keyof typeof NOUNS, words: string): boolean {
  return mentionsKind(kind, words) || (kind === "task" && ALL_TASKS.test(words));
}

const SINGULAR_ANAPHOR = new RegExp(
  wholeWords(
    "it|that|this|one|thing|es|ihn|dies|ça|cela|eso|esto|questo|quello|dit|isso",
    "(?<=(?:merkitse|siirrä|lykkää|muuta|vaihda) )(?:se|sen)",
    "(?<=(?:verschiebe?|markiere?|erledige?|setze?) )das|det",
  ),
  "iu",
);
const PLURAL_ANAPHOR = new RegExp(
  wholeWords(
    "them|these|those|both|all|ones|things|rest|others|everything|beide|alle|diese|tous|toutes|todos",
    "todas|tutti|tutte|allemaal|alla|kaikki|nämä",
  ),
  "iu",
);

/** Whether the words refer back to one thing or several things. A word for several counts first. */
export function anaphorIn(words: string): "one" | "several" | undefined {
  if (PLURAL_ANAPHOR.test(words)) return "several";
  return SINGULAR_ANAPHOR.test(words) ? "one" : undefined;
}

const REMEMBERS = new RegExp(
  wholeWords(
    String.raw`(?<!(?:you|not|n['’]?t|never|hardly|cannot) )remember|memori[sz]e|keep (?:\p{L}+ ){0,4}in mind`,
    "make a (?:mental )?note|(?:do not|don['’]?t|never) forget|take note|note (?:that|this|it|down)",
    String.raw`save (?:\p{L}+ ){0,4}(?:to|in|into) (?:your )?memory|learn|merk(?:e|en)? dir|speichere`,
    String.raw`(?:^|[,;:.!?\n])\s*speicher|retiens|souviens-toi|souvenez-vous|mémorise|recuerda|memoriza|ricorda`,
    "onthoud|запомни",
  ),
  "iu",
);

/** True if the text asks to remember something. */
export function asksToRemember(text: string): boolean {
  return statementsOf(text).some((sentence) => REMEMBERS.test(sentence));
}

const ADDS = new RegExp(
  wholeWords(
    "add(?:s|ed|ing)?|append(?:s|ed|ing)?|attach(?:ed|ing)?|puts?|putting|jot(?:ted|ting)?|writes?",
    "writing|insert(?:ed|ing)?|includ(?:e|ed|ing)|sav(?:e|ed|ing)|keep|stick|pop|füge?|schreibe?",
    String.raw`schreiben(?=\W*$)|notier(?:e|en)?|trage?|ajoute[rz]?|écris|écri(?:re|vez)|note[rz]|añad(?:e|ir|as)`,
    "agreg(?:a|ar|ue)|escrib(?:e|ir|as)|anota|aggiung(?:i|ere)|scriv(?:i|ere)|adiciona|acrescenta|escreve",
    "voeg|schrijf|kirjoita|kirjaa|skriv|lägg|legg",
  ),
  "iu",
);

/** Words that are nouns as well, and ask for an addition only as verbs: "log that", "can you note it". */
const ADDS_AS_VERB =
  /(?:^|[,;:.!?\n]|(?<!\p{L})(?:and|then|please|pls|to|you|u|ja))\s*(?:note|log|record|enter|track|lisää)(?!\p{L})/iu;

/** True if the text asks to add something to what is there. */
export function asksToAdd(text: string): boolean {
  return statementsOf(text).some((sentence) => ADDS.test(sentence) || ADDS_AS_VERB.test(sentence));
}

/** True if the words hold a verb of changing, adding or removing something, as an order or not. */
function hasChangeWord(text: string): boolean {
  const words = withoutDoNotForget(text);
  return (
    Object.values(CHANGE_WORDS).some((verbs) => verbs?.test(words) === true) ||
    Object.values(KIND_CHANGES).some((verbs) => verbs.test(words)) ||
    NON_ENGLISH_TASK_CHANGES.test(words) ||
    CHANGES_IN_PARTS.test(words) ||
    ADDS.test(words) ||
    ADDS_AS_VERB.test(words) ||
    plainWords(words).some((word) => CHANGES.has(stemOf(word)))
  );
}

const LOOKS_WORDS = oneOf(
  "list|show|read|tell|give|sum|summari[sz]e|count|find|look|search|print|display|check|compare",
  "translate|explain|describe|fetch|get|load|have a (?:quick )?look|take a (?:quick )?look|work out",
  "calculate|review|proofread|view|see|know|zeig|zeige?|lies|liste|nenne?|sag|erkläre?|fasse?",
  "übersetze?|suche?|prüfe?|vergleiche?|schau|montre|lis|dis|donne|résume|traduis|cherche|compare",
  "muestra|lee|di|dime|resume|traduce|busca|compara|mostra|leggi|riassumi|traduci|cerca|toon|lees|geef",
  "vertaal|zoek|vergelijk|lue|luetaan|näytä|kerro|etsi|käännä|listaa|läs|visa|berätta|sök|översätt|les",
  "vis|fortell|søk|oversett|lê|leia|mostre|diga|procure|traduza",
);
/** An order to look at something, to tell it or to work it out, and what the person says of wanting to know it. */
const LOOKS = new RegExp(
  String.raw`^\W*(?:(?:(?:can|could|would|will) (?:you|u)|please|pls|plz|kindly|just|now|then|and|quickly|i (?:only |just )?(?:need|want|wish|would like|['’]d like)(?: you)?(?: to (?:know|see|read|hear|have))?|let me|bitte|kannst du|könntest du|peux-tu|pouvez-vous|puedes|puoi|kun je|kan du|voisitko)\s+)*${LOOKS_WORDS}(?!\p{L})`,
  "iu",
);
/** "I need the part on the insurance": what is wanted is known, not changed. */
const WANTS = /^\W*i (?:only |just )?(?:need|want|would like|['’]d like)(?!\p{L})/iu;

/** The clauses of a text, without questions such as "when was it changed". */
const clausesOf = (text: string): string[] =>
  text
    .split(CLAUSE)
    .flatMap((part) => part.split(/,\s/u))
    .filter((clause) => !INFORMATION.test(clause));

/**
 * True if a clause of the text that is not merely a question contains a verb of changing, adding or removing something.
 */
export const mayAskForChange = (text: string): boolean =>
  sentencesOf(text).flatMap(clausesOf).some(hasChangeWord);

/** Words that ask to create or to keep something. Those that are nouns as well count only as verbs: "then copy it". */
const CREATES = new RegExp(
  [
    String.raw`(?<!\p{L})(?:creat(?:e|ing)|mak(?:e|ing)|made|build|compose|generate|prepare|produce|set (?:\p{L}+ ){0,3}up|remember|memori[sz]e|storing|back (?:\p{L}+ ){0,3}up|duplicate|turn (?:\p{L}+ ){1,6}into)(?!\p{L})`,
    String.raw`(?<!\p{L})remind(?! me (?:how|what|which|who|whose|when|where|why|whether|if)(?!\p{L}))`,
    String.raw`(?:^|[,;:.!?\n]|(?<!\p{L})(?:and|then|please|pls|to|you|u))\s*(?:copy|store|draft|download|export|backup|schedule|book|note)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:leg (?:\p{L}+ ){1,6}an|erstell\p{L}*|anlegen|speicher[en]*|erinnere?|merke?|mach(?:e|st)?|kopiere?|plane|entw[iu]rf|notiere?|schreibe?)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:crée[sz]?|créer|fais|faire|prépare[rz]?|rédige[rz]?|rappelle[rz]?|enregistre[rz]?|copie[rz]|note[rz]|crear?|haz|hacer|preparar?|redactar?|recuérda\p{L}*|guardar?|creare|fai|salvare?|ricordami|cri(?:a|ar|e)|faz|lembr(?:a|ar|e)|maak|bewaar|herinner|luo|tallenna|muistuta|skapa|spara|påminn|lagre)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:in|into|as|to|als|en|dans) (?:a|an|one|my|the|new|eine?[nr]?|une?|una|uno) (?:\p{L}+ )?(?:files?|notes?|notiz|datei|fichier|documents?|docs?|tasks?|aufgabe|tâche|reminders?|csv)(?!\p{L})`,
    // "Summarize n1.md into notes/n2.md" has a place for the result.
    String.raw`(?<!\p{L})(?:into|onto|to|as) (?:\S*\/|\S*[\p{L}\p{N}_-]\.\p{L}{1,5}(?![\p{L}\p{N}]))`,
  ].join("|"),
  "iu",
);

/** Orders that may ask for work as well as for a look: "get the tent", "see to the plants", "tell Bob", "have a card for Ann". */
const MAY_BE_WORK = new RegExp(
  wholeWords(
    String.raw`get|fetch|load|have|take|see(?! (?:what|if|whether|who|how|when|where|which|why)(?!\p{L}))`,
    String.raw`look(?! (?:at|up|in|into|through|for|over)(?!\p{L}))|(?:give|tell)(?! (?:me|us)(?!\p{L}))`,
  ),
  "iu",
);

/** "What about the other letter?" asks for what was asked for before. */
const SAME_AGAIN =
  /^\W*(?:and |und |et )?(?:what|how|was ist|wie wäre es|et) (?:about|if|mit|pour)(?!\p{L})/iu;

/**
 * True if every sentence of the text is a question or an order to look at something, and no word asks to change, to create or to keep
 * anything.
 */
export function asksOnlyToLook(text: string): boolean {
  const sentences = sentencesOf(text).filter((sentence) => plainWords(sentence).length > 1);
  return (
    sentences.length > 0 &&
    !mayAskForChange(text) &&
    !CREATES.test(text) &&
    sentences.every(
      (sentence) =>
        !SAME_AGAIN.test(sentence) &&
        (isQuestion(sentence) ||
          WANTS_TO_KNOW.test(sentence) ||
          (LOOKS.test(sentence) && !MAY_BE_WORK.test(sentence))),
    )
  );
}

/**
 * A text without its questions and its orders to look at something, unless it may also ask for a change: what a person only asks about
 * is not named as the target of one.
 */
export const withoutInformationRequests = (text: string): string =>
  mayAskForChange(text)
    ? text
    : statementsOf(text)
        .flatMap(clausesOf)
        .filter((clause) => !LOOKS.test(clause) && !WANTS.test(clause))
        .join(". ");
