import { plainWords } from "../text/words.ts";
/** How a call affects its target; selects the words of a request that ask for such a call. */
export type TargetAction = "delete" | "stop" | "move" | "overwrite" | "change" | "send" | "run";

const STARTS: Record<TargetAction, readonly string[]> = {
  delete: [
    ..."delet remov eras trash discard drop throw clean clear tidy tidied empty purg wip forget rid".split(
      " ",
    ),
    ..."lösch entfern räum leer wirf vergiss supprim effac enlev vide nettoi oubli borr elimin quit".split(
      " ",
    ),
    ..."limpi vací olvid cancell rimuov svuot apag remov esquec verwijder wis usuń удал очист".split(" "),
  ],
  move: [
    ..."mov renam archiv put relocat sort organi tidy clean transfer".split(" "),
    ..."verschieb benenn umbenenn räum sortier déplac renomm rang muev mov renombr orden sposta".split(" "),
    ..."rinomin verplaats hernoem przenieś перемест переимен".split(" "),
  ],
  overwrite: [
    ..."overwrit replac rewrit updat chang edit fix correct set add".split(" "),
    ..."überschreib ersetz änder aktualisier korrigier setz trag remplac modifi corrig cambi actualiz".split(
      " ",
    ),
    ..."reemplaz sostitu aggiorn wijzig vervang измен замен".split(" "),
  ],
  stop: [
    ..."stop cancel end unschedul switch turn paus halt quit no".split(" "),
    ..."stopp beend abbrech arrêt annul parar detén detener pará ferma annulla".split(" "),
  ],
  // A change that can be undone needs words of its target, in whatever request.
  change: [""],
  send: [],
  run: [],
};

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
 * asked once more.
 */
export function asksFor(taking: TargetAction, words: string): boolean {
  // A request to delete something also allows moving, replacing or stopping it.
  const includesDelete = taking === "move" || taking === "overwrite" || taking === "stop";
  const starts = [...STARTS[taking], ...(includesDelete ? STARTS.delete : [])];
  return plainWords(words).some((word) => starts.some((start) => word.startsWith(start)));
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
  task: /\b(?:tasks?|to-?dos?|reminders?|aufgaben?|tâches?|tareas?|compiti|taken)\b/iu,
  schedule:
    /\b(?:schedules?|reminders?|automations?|zeitpl(?:an|äne)|erinnerung(?:en)?|rappels?|recordatorios?|promemoria)\b/iu,
  memory: /\b(?:memor(?:y|ies)|facts?|erinnerung(?:en)?|souvenirs?|recuerdos?|ricordi)\b/iu,
};

export function mentionsKind(kind: keyof typeof NOUNS, words: string): boolean {
  return NOUNS[kind].test(words);
}
