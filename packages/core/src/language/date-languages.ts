import { casual as german } from "chrono-node/de";
import { casual as spanish } from "chrono-node/es";
import { casual as finnish } from "chrono-node/fi";
import { casual as french } from "chrono-node/fr";
import { casual as italian } from "chrono-node/it";
import { casual as dutch } from "chrono-node/nl";
import { casual as portuguese } from "chrono-node/pt";
import { casual as swedish } from "chrono-node/sv";

/** How one language names days, where chrono-node does not support it or differs from the English meaning. */
export interface DateLanguage {
  code: string;
  library: typeof german;
  /** Articles and prepositions before a day. */
  prefix: RegExp;
  /** Lower-case phrases and their English equivalents. */
  phrases: readonly (readonly [phrase: RegExp, english: string])[];
  /** A number of days, weeks or months from now; its two groups are the number and the unit. */
  amount: RegExp;
  /** The next occurrence of a weekday; the group is the weekday. */
  coming: RegExp;
  /**
   * "Next" and a weekday; the group is the weekday. People disagree whether it means the first occurrence or the one
   * in the next week.
   */
  next: RegExp;
  /** Words for a part of the day after a day, with what joins them to it, and their English equivalents. */
  parts: readonly (readonly [words: RegExp, english: string])[];
}

export const DATE_LANGUAGES: readonly DateLanguage[] = [
  {
    code: "de",
    library: german,
    prefix: /^(?:(?:bis )?(?:am|zum)|bis|ab|den|der) /u,
    phrases: [
      [/^(?:nächste|kommende) woche$/u, "next week"],
      [/^diese woche$/u, "this week"],
      [/^(?:nächsten|kommenden) monat$/u, "next month"],
      [/^diesen monat$/u, "this month"],
      [/^ende der woche$/u, "end of the week"],
    ],
    amount: /^in (\S+) (tage?n?|wochen?|monate?n?)$/u,
    coming: /^(?:kommende[nrs]?|diese[nrs]?) (\S+)$/u,
    next: /^nächste[nrs]? (\S+)$/u,
    parts: [
      [/ (?:früh|in der früh|morgens?|am morgen|vormittags?|am vormittag)$/u, "morning"],
      [/ (?:mittags?|am mittag)$/u, "noon"],
      [/ (?:nachmittags?|am nachmittag)$/u, "afternoon"],
      [/ (?:abends?|am abend)$/u, "evening"],
      [/ (?:nachts?|in der nacht)$/u, "night"],
    ],
  },
  {
    code: "fr",
    library: french,
    prefix: /^(?:avant |pour |jusqu['’]au? )?(?:le |la |l['’])?(?=\S)/u,
    phrases: [
      [/^après[- ]demain$/u, "day after tomorrow"],
      [/^semaine prochaine$/u, "next week"],
      [/^cette semaine$/u, "this week"],
      [/^mois prochain$/u, "next month"],
      [/^ce mois(?:-ci)?$/u, "this month"],
      [/^fin de (?:la |cette )semaine$/u, "end of the week"],
    ],
    amount: /^dans (\S+) (jours?|semaines?|mois)$/u,
    coming: /^(?:ce (\S+)|(\S+) qui vient)$/u,
    next: /^(\S+) prochain$/u,
    parts: [
      [/ (?:au |le )?matin$/u, "morning"],
      [/ (?:à |au )?midi$/u, "noon"],
      [/ (?:dans l['’]|l['’])?après-midi$/u, "afternoon"],
      [/ (?:au |le )?soir$/u, "evening"],
      [/ (?:dans la |la )?nuit$/u, "night"],
    ],
  },
  {
    code: "es",
    library: spanish,
    prefix: /^(?:(?:para|antes de|hasta) )?(?:el |la )?(?=\S)/u,
    phrases: [
      [/^hoy$/u, "today"],
      [/^pasado mañana$/u, "day after tomorrow"],
      [/^(?:próxima semana|semana (?:que viene|próxima))$/u, "next week"],
      [/^esta semana$/u, "this week"],
      [/^(?:próximo mes|mes que viene)$/u, "next month"],
      [/^este mes$/u, "this month"],
      [/^fin(?:al)? de (?:la )?semana$/u, "end of the week"],
    ],
    amount: /^(?:en|dentro de) (\S+) (días?|semanas?|mes(?:es)?)$/u,
    coming: /^(?:este (\S+)|(\S+) que viene)$/u,
    next: /^(?:próximo (\S+)|(\S+) próximo)$/u,
    parts: [
      [/ (?:por|de|a) la mañana$/u, "morning"],
      [/ al mediodía$/u, "noon"],
      [/ (?:por|de|a) la tarde$/u, "afternoon"],
      [/ (?:por|de|a) la noche$/u, "night"],
    ],
  },
  {
    code: "nl",
    library: dutch,
    prefix: /^(?:op|tot|voor|de) /u,
    phrases: [
      [/^overmorgen$/u, "day after tomorrow"],
      [/^volgende week$/u, "next week"],
      [/^deze week$/u, "this week"],
      [/^volgende maand$/u, "next month"],
      [/^deze maand$/u, "this month"],
      [/^(?:aan het )?einde? van de week$/u, "end of the week"],
    ],
    amount: /^over (\S+) (dag(?:en)?|we(?:ek|ken)|maand(?:en)?)$/u,
    coming: /^(?:aanstaande|komende|deze) (\S+)$/u,
    next: /^volgende (\S+)$/u,
    parts: [
      [/ ?(?:ochtend|'s ochtends|'s morgens)$/u, "morning"],
      [/ ?(?:middag|'s middags)$/u, "afternoon"],
      [/ ?(?:avond|'s avonds)$/u, "evening"],
      [/ ?(?:nacht|'s nachts)$/u, "night"],
    ],
  },
  {
    code: "pt",
    library: portuguese,
    prefix: /^(?:(?:até|para|antes de) )?(?:n?[oa]s? |em (?=\d+ de ))?(?=\S)/u,
    phrases: [
      [/^depois de amanhã$/u, "day after tomorrow"],
      [/^(?:próxima semana|semana que vem)$/u, "next week"],
      [/^(?:esta|nesta) semana$/u, "this week"],
      [/^(?:próximo mês|mês que vem)$/u, "next month"],
      [/^(?:este|neste) mês$/u, "this month"],
      [/^fim da semana$/u, "end of the week"],
    ],
    amount: /^(?:em|daqui a|dentro de) (\S+) (dias?|semanas?|m[êe]s(?:es)?)$/u,
    coming: /^(?:est[ae] (\S+)|(\S+) que vem)$/u,
    next: /^próxim[ao] (\S+)$/u,
    parts: [
      [/ (?:de|pela|à) manhã$/u, "morning"],
      [/ ao meio-dia$/u, "noon"],
      [/ (?:à|de|pela) tarde$/u, "afternoon"],
      [/ (?:à|de|pela) noite$/u, "night"],
    ],
  },
  {
    code: "fi",
    library: finnish,
    prefix: /^(?:ennen|viimeistään) /u,
    phrases: [
      [/^ensi viikolla$/u, "next week"],
      [/^tällä viikolla$/u, "this week"],
      [/^ensi kuussa$/u, "next month"],
      [/^tässä kuussa$/u, "this month"],
      [/^viikon lopussa$/u, "end of the week"],
    ],
    amount: /^(\S+) (päivän|viikon|kuukauden) (?:päästä|kuluttua)$/u,
    coming: /^(?:tänä|tulevana) (\S+)$/u,
    next: /^ensi (\S+)$/u,
    parts: [
      [/ aamulla$/u, "morning"],
      [/ (?:iltapäivällä)$/u, "afternoon"],
      [/ illalla$/u, "evening"],
      [/ yöllä$/u, "night"],
    ],
  },
  {
    code: "it",
    library: italian,
    prefix: /^(?:(?:per|entro|prima di) )?(?:il |la |l['’])?(?=\S)/u,
    phrases: [
      [/^(?:prossima settimana|settimana prossima)$/u, "next week"],
      [/^questa settimana$/u, "this week"],
      [/^(?:prossimo mese|mese prossimo)$/u, "next month"],
      [/^questo mese$/u, "this month"],
      [/^fine settimana$/u, "end of the week"],
    ],
    amount: /^(?:tra|fra) (\S+) (giorn[oi]|settiman[ae]|mes[ei])$/u,
    coming: /^quest[oa] (\S+)$/u,
    next: /^(?:prossim[oa] (\S+)|(\S+) prossim[oa])$/u,
    parts: [
      [/ (?:di )?mattina$/u, "morning"],
      [/ a mezzogiorno$/u, "noon"],
      [/ (?:di )?pomeriggio$/u, "afternoon"],
      [/ (?:di )?sera$/u, "evening"],
      [/ (?:di )?notte$/u, "night"],
    ],
  },
  {
    code: "sv",
    library: swedish,
    prefix: /^(?:på|till|innan|före|den) /u,
    phrases: [
      [/^i ?morgon$/u, "tomorrow"],
      [/^i ?övermorgon$/u, "day after tomorrow"],
      [/^nästa vecka$/u, "next week"],
      [/^(?:denna vecka|den här veckan)$/u, "this week"],
      [/^nästa månad$/u, "next month"],
      [/^(?:denna månad|den här månaden)$/u, "this month"],
      [/^slutet av veckan$/u, "end of the week"],
    ],
    amount: /^om (\S+) (dag(?:ar)?|veck(?:a|or)|månad(?:er)?)$/u,
    coming: /^(?:kommande|nu på) (\S+)$/u,
    next: /^nästa (\S+)$/u,
    parts: [
      [/ (?:på )?(?:morgonen|förmiddag(?:en)?)$/u, "morning"],
      [/ (?:på )?eftermiddag(?:en)?$/u, "afternoon"],
      [/ (?:på )?kväll(?:en)?$/u, "evening"],
      [/ (?:på )?natt(?:en)?$/u, "night"],
    ],
  },
];

/** Numbers from one to twelve, and fourteen, in all these languages. Equal words have equal values. */
const NUMBERS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    1: "ein eine einem einer un une uno una um uma een één yhden en ett",
    2: "zwei zwo deux dos dois duas twee kahden due två",
    3: "drei trois tres três drie kolmen tre",
    4: "vier quatre cuatro quatro neljän quattro fyra",
    5: "fünf cinq cinco vijf viiden cinque fem",
    6: "sechs six seis zes kuuden sei sex",
    7: "sieben sept siete sete zeven seitsemän sette sju",
    8: "acht huit ocho oito kahdeksan otto åtta",
    9: "neun neuf nueve nove negen yhdeksän nio",
    10: "zehn dix diez dez tien kymmenen dieci tio",
    12: "zwölf douze doce doze twaalf kahdentoista dodici tolv",
    14: "vierzehn quatorze catorce catorze veertien neljäntoista quattordici fjorton",
  }).flatMap(([number, words]) => words.split(" ").map((word) => [word, Number(number)] as const)),
);
const WEEK = /^(?:woche|semaine|semana|we(?:ek|ken)|viikon|settiman|veck)/u;
const MONTH = /^(?:mon?at|mois|mes|mês|maand|kuukau|månad)/u;

/** Translates "zwei", "Wochen" to "in 2 weeks". Undefined if `count` is not a number. */
export function amountInEnglish(count: string, unit: string): string | undefined {
  const number = /^\d{1,3}$/u.test(count) ? Number(count) : NUMBERS.get(count);
  if (number === undefined) return undefined;
  return `in ${String(number)} ${WEEK.test(unit) ? "weeks" : MONTH.test(unit) ? "months" : "days"}`;
}
