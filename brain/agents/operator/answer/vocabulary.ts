import { anyWord, oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { splitWords } from "./action-words.ts";

/** Words that negate the claim of their clause. */
export const NEGATION = anyWord(
  String.raw`no|not|never|nothing|none|nobody|neither|nor|cannot|\p{L}+n['’]t|unable|failed|without|instead of`,
  String.raw`rather than|nicht|kein\p{L}*|nichts|nie|niemals|niemand|weder|ohne|fehlgeschlagen|gescheitert|ne`,
  String.raw`n['’]\p{L}+|pas|rien|aucune?|jamais|sans|échoué|nada|ning[uú]n\p{L}*|nunca|jamás|sin|falló`,
);

/** Words that turn an action into an offer, a plan, a condition or a possibility. */
export const CONDITIONAL = anyWord(
  "will|won['’]t|would|could|can|should",
  String.raw`(?<!(?:in|of|for|since|until|by|from|to|and|last|next|early|late|\d) )may(?! \d|[.,;:)]|$)|might`,
  "must|shall|if|unless|once|whether|let|when|until|before|wants?|wanted|needs?|asked|like me to",
  String.raw`i['’]ll|you['’]d|i['’]d|kann|kannst|können|könnte\p{L}*|soll\p{L}*|würde\p{L}*|werde|wirst|wenn`,
  String.raw`falls|sobald|ob|bevor|möchtest|muss|müssen|darf|peux|peut|pourrai\p{L}*|pourrait|vais|si|serait`,
  String.raw`seront|sera|dois|doit|devait|devaient|devrai\p{L}*|debía\p{L}*|sollte\p{L}*|voulez|veux|quand|puedo`,
  String.raw`puede\p{L}*|podría\p{L}*|voy|debe\p{L}*|será|quieres|cuando`,
);

const OFFER_WORDS = oneOf(
  String.raw`(?:would|do|did|shall|should|could|can|may) (?:you|i|we)\b|let me know|if\b`,
  String.raw`i (?:can|could|would|will|suggest|recommend|propose)\b|i['’](?:ll|d)\b`,
  String.raw`you (?:can|could|may|might|should)\b|just (?:say|tell|let)\b|try\b|consider\b|please\b|soll ich|wenn`,
  String.raw`falls|möchtest du|möchten sie|willst du|ich (?:kann|könnte|werde|würde|schlage|empfehle)\b`,
  String.raw`du (?:kannst|könntest|solltest)\b|sag (?:mir|einfach)|veux-tu|voulez-vous|souhaites-tu`,
  String.raw`souhaitez-vous|si (?:tu|vous|c['’]|le|la|les)|s['’]il|je (?:peux|pourrais|vais|propose)\b`,
  String.raw`tu (?:peux|pourrais)\b|vous (?:pouvez|pourriez)\b|dis-moi|quieres|si quieres|si lo deseas|puedo\b`,
  String.raw`podría\b|puedes\b|dime\b|¿`,
);
/** The start of a sentence that only offers or advises. */
export const OFFER = new RegExp(String.raw`^${OFFER_WORDS}`, "iu");

/** Subjects of sentences about the operator's own actions. Spanish "he" precedes a participle. */
export const FIRST_PERSON = anyWord(
  String.raw`i|i['’]ve|i['’]m|we|we['’]ve|my|mein|ich|wir|j['’]ai|je|nous|on a|he(?= \p{L}+(?:[ai]do|cho|to)(?!\p{L}))|hemos|yo|ya he`,
);

/** Auxiliaries that turn a participle into a report of an event. */
export const HAPPENED = anyWord(
  "was|were|been|being|got|gets|wurde|wurden|worden|a été|ont été|a bien été|a aussi été|ha sido",
  "han sido|se ha|se han|fue|fueron|has|have|hat|haben|habe|wird",
);

/** Words for what was done before this request. */
export const BEFORE = anyWord(
  "already|earlier|before|previously|last|yesterday|had|schon|bereits|vorher|zuvor|zuletzt|gestern|déjà",
  "hier|avant|ya|antes|ayer",
);

/** Auxiliaries that describe a state. */
export const STANDS = anyWord(
  String.raw`is|are|ist|sind|liegt|est|sont|está|están|es|son|on|è|sono|é|zijn|är|['’]s|['’]re`,
);

/** Subjects other than the operator. */
export const SECOND_PERSON = anyWord(String.raw`you|you['’]ve|du|hast|sie haben|tu|t['’]as|vous|usted`);

/** Nouns for the person's own things in this application. */
export const OWN_THINGS = anyWord(
  "tasks?|todos?|to-dos?|to-do list|lists?|files?|folders?|notes?|memory|memories|workspace|inbox",
  "calendar|reminders?|documents?|drafts?|reports?|summary|backup|entry|entries|appointments?|meetings?",
  "mails?|e-?mails?|messages?|aufgaben?|dateie?n?|ordner|notize?n?|erinnerung(?:en)?|kalender|liste",
  "eintr[aä]ge?|termine?|entwurf|bericht|zusammenfassung|nachricht|tâches?|fichiers?|dossiers?|mémoire",
  "agenda|rappels?|brouillons?|rendez-vous|courriel|rapport|tareas?|archivos?|ficheros?|carpetas?",
  "notas?|memoria|lista|recordatorios?|calendario|correo|cita|informe|resumen",
);

/** Countable nouns: a number before them counts observed things. */
export const COUNTED = anyWord(
  "tasks?|todos?|to-dos?|items?|things?|entries|entry|files?|folders?|notes?|memories|memory|lines?",
  "results?|matches|match|hits?|steps?|words?|sections?|rows?|columns?|functions?|documents?|reminders?",
  "people|meetings?|of (?:them|these|those|which|the|your)|others?",
  String.raw`more(?! than| \p{L}+(?:ive|ful|al|ous|ant|ent|able|ing|ly)(?!\p{L}))|open|done|overdue|aufgaben?`,
  "dateie?n?|ordner|notize?n?|erinnerung(?:en)?|eintr[aä]ge?n?|zeilen?|treffer|ergebnisse?|schritte?",
  "wörter|personen|termine?|davon|offene?n?|weitere|tâches?|fichiers?|dossiers?|éléments?|entrées?",
  "lignes?|résultats?|mots|d['’]entre|tareas?|archivos?|ficheros?|carpetas?|notas?|elementos?|entradas?",
  "líneas?|resultados?|palabras|file|cartelle|taken",
);

export const SECOND_PERSON_POSSESSIVE = anyWord(
  String.raw`your|yours|dein\p{L}{0,2}|deiner|ihre?[nrms]?|ton|ta|tes|votre|vos|tus?|sus?|tuo|tua|tuoi|tue|jouw|je`,
);

/** Verbs that report what the person said or what is remembered. */
export const REMINDS = anyWord(
  String.raw`you (?:\p{L}+ )?(?:said|told|mentioned|wrote|asked|noted)|as you|i remember|i recall`,
  "you(?:['’]ve| have) (?:told|mentioned|said|saved|noted)|according to",
  "du hast (?:mir )?(?:gesagt|erzählt|erwähnt|geschrieben)|wie du|du hattest|ich erinnere|laut",
  "vous avez dit|vous m['’]avez|tu m['’]as|tu as (?:dit|mentionné|noté)|d['’]après",
  "selon (?:ta|tes|ton|votre|vos)|comme tu|me dijiste|dijiste|mencionaste|según (?:tus?|la|el)",
  "secondo (?:il|la|i|le)|volgens|enligt|según|como (?:me )?dijiste|me has dicho|recuerdo",
);

const HEDGE_WORDS = oneOf(
  String.raw`about|around|roughly|approximately|approx\.?|nearly|almost|just (?:over|under)|over|more than`,
  String.raw`less than|under|some|~|≈|circa|ca\.?|rund|etwa|ungefähr|knapp|gut|über|fast|gegen|mehr als`,
  "weniger als|environ|presque|près de|à peu près|plus de|moins de|unos|unas|aproximadamente|casi",
  "cerca de|más de|menos de|alrededor de",
);
/** Words for an approximate value. */
export const HEDGE = new RegExp(String.raw`${HEDGE_WORDS}\s*[$€£]?\s*$`, "iu");

/** Words for the statuses of tasks. */
export const STATUS_WORDS: readonly (readonly [status: string, words: RegExp])[] = [
  [
    "done",
    anyWord(
      "done|completed?|finished|erledigt|abgeschlossen|fertig|terminée?s?|faite?s?|achevée?s?|hech[oa]s?",
      "completad[oa]s?|terminad[oa]s?|finalizad[oa]s?",
    ),
  ],
  [
    "in_progress",
    anyWord(String.raw`in progress|under way|in arbeit|in bearbeitung|en cours|en curso|en progreso`),
  ],
  ["blocked", anyWord(String.raw`blocked|blockiert|bloquée?s?|bloquead[oa]s?`)],
  ["cancelled", anyWord(String.raw`cancell?ed|abgebrochen|storniert|annulée?s?|cancelad[oa]s?`)],
  [
    "open",
    anyWord(
      String.raw`open|to do|todo|pending|outstanding|unfinished|offene?n?|ausstehend|ouvertes?|à faire|pendientes?|abiert[oa]s?|por hacer`,
    ),
  ],
];

export const ALL = anyWord(
  String.raw`all|every|everything|both|alle[sn]?|sämtliche|beide[sn]?|tous|toutes|todos|todas|ambos|ambas`,
);

/** Words that exclude something from a claim about all. */
export const EXCEPT = anyWord(
  String.raw`except|but|apart from|other than|außer|bis auf|aber|sauf|mais|excepto|salvo|menos|pero`,
);

const CONTINUES_WORDS = oneOf(
  "it|its|they|them|this|that|these|those|both|together|altogether|in total|total",
  "the (?:first|second|third|last|next|other|others|rest|largest|smallest|biggest|oldest|newest|most|least|earliest|latest|one|total|sum|average|mean)",
  "one|two|three|four|five|of (?:these|those|them)|er|sie|es|das|dies|diese|beide|zusammen|insgesamt",
  "davon|die (?:erste|zweite|letzte|größte|älteste|neueste|summe)|der (?:erste|zweite|letzte|größte)",
  "das (?:erste|zweite|letzte|größte)|il|elle|ils|elles|cela|ce|ces|au total|en tout",
  "le (?:plus|premier|dernier|total)|la (?:plus|première|dernière|somme)",
  "el (?:más|primero|último|total)|la (?:más|primera|última|suma)|esto|este|esta|estos|estas|en total",
  "ambos",
);
/** The start of a sentence that continues the subject of the previous one. */
export const CONTINUES = new RegExp(
  String.raw`^(?:[-*•]\s*)?(?:\*\*)?${CONTINUES_WORDS}(?![\p{L}\p{N}])`,
  "iu",
);

/** The same after a time: "Last year it was…". */
export const CONTINUES_LATER =
  /^(?:\p{L}+[\s,]+){1,3}(?:(?:it|they)\s(?:was|were|is|are|had|has)|(?:war|waren|ist|sind|hatte)\s(?:es|er|sie)|(?:il|elle|ils|elles)\s(?:était|étaient|est|sont)|(?:era|eran|fue|fueron))(?!\p{L})/iu;

/** Numbers in words, without "one", which rarely counts something. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  [
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig",
    "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt",
    "dos tres cuatro cinco seis siete ocho nueve diez - doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte",
  ]
    .flatMap((row) => splitWords(row).map((word, index): [string, number] => [word, index + 2]))
    .concat(
      [
        "thirty forty fifty sixty seventy eighty ninety",
        "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
      ].flatMap((row) => splitWords(row).map((word, index): [string, number] => [word, 30 + 10 * index])),
      [
        ["drei\u00dfig", 30],
        ["trente", 30],
        ["quarante", 40],
        ["treinta", 30],
        ["cuarenta", 40],
        ["dozen", 12],
        ["dutzend", 12],
      ],
    ),
);

/** Words for a sum. */
export const SUM = anyWord(
  "totals?|altogether|together|sum|adds? up|added up|all in all|in all|combined|overall|both|spent",
  "spend|costs?|tracked|worked|earned|so far|this (?:week|month|year)|bisher",
  "diese[nsr]? (?:woche|monat|jahr)|cette (?:semaine|année)|ce mois|esta semana|este (?:mes|año)",
  String.raw`questa settimana|questo mese|finora|for (?:the|all|both|two|three|four|five|six|seven|\d+)|a year`,
  "a month|a week|insgesamt|zusammen|summe|gesamt|alles|beide|ausgegeben|gekostet|au total|en tout",
  "ensemble|somme|dépensé|les deux|total|en conjunto|suma|juntos|gastado|gastaste|in tutto|in totale",
  "em tudo|ao todo|in totaal|samen|totalt|sammanlagt|i alt|yhteensä|razem|łącznie",
);

export const DIFFERENCE = anyWord(
  String.raw`more|less|fewer|left|to go|missing|leaves?|leaving|remain\p{L}*|rest|difference|longer|shorter|older`,
  "younger|higher|lower|bigger|smaller|since|ago|until|apart|between|range|gap|minus|late|overdue",
  String.raw`missing|missed|saves?|rose|fell|grew|drop\p{L}*|increase\p{L}*|mehr|weniger|übrig|bleib\p{L}*`,
  String.raw`restlich\p{L}*|unterschied|fehl\p{L}*|noch|seit|vor|länger|reste\p{L}*|moins|différence|il y a`,
  "retard|quedan?|menos|diferencia|hace|faltan?|sobran?",
);

export const AVERAGE = anyWord(
  String.raw`average|averages|mean|median|on average|durchschnitt\p{L}*|mittelwert|mittel|schnitt|median|moyenne`,
  "médiane|promedio|media|mediana",
);

export const PER = anyWord(
  "each|every|per|a (?:day|week|month|year|night|piece|person)|pro|je|jeweils|par|chacune?|por|cada",
  "al (?:mes|año|día)|times|×|x",
);

/** Words that introduce a result. */
export const CONSEQUENCE = anyWord(
  "so|therefore|thus|hence|which (?:makes?|means|comes|is|leaves|adds)",
  String.raw`that (?:makes|is|means|leaves|comes|would)|that['’]s|comes? to|works? out|makes|would be|i\.e\.|also`,
  "daher|somit|damit|macht|sind das|das sind|ergibt|donc|cela (?:fait|ferait)|ça fait|soit|cioè|quindi",
  "ossia|ou seja|dus|alltså|dvs|czyli|por tanto|por lo tanto|así que|eso (?:es|hace|son)|es decir|suman",
  "=",
);

/** Words of general statements and advice, which claim nothing about the person's things. */
export const GENERAL = anyWord(
  "usual(?:ly)?|typical(?:ly)?|general(?:ly)?|normally|often|commonly|most people",
  "(?:is|are|be) recommended|as a rule|rule of thumb|meist(?:ens)?|üblich(?:erweise)?|normalerweise",
  "in der regel|häufig|faustregel|généralement|en général|souvent|d['’]habitude|normalmente|en general",
  "suelen?|por lo general",
);

const INSTRUCTION_VERBS = oneOf(
  "add|mix|take|put|heat|cook|bake|boil|stir|whisk|pour|serve|use|try|keep|let|leave|cut|water|check",
  "press|click|open|run|type|choose|select|start|remember|make sure|note that|avoid|drink|wear|bring",
  "pack|plan|allow|aim|go|turn|wait|repeat|spread|store|rinse|soak|feed|multiply|divide",
);
/** Instructions to the person: "To wake it up, take…". */
export const INSTRUCTION = new RegExp(
  String.raw`^[\s*_\-•\d.)]*(?:to \p{L}+[^,.]*,|um \p{L}+[^,.]* zu \p{L}+,|pour \p{L}+[^,.]*,|para \p{L}+[^,.]*,|(?:then |next,? |first,? |finally,? )?${INSTRUCTION_VERBS}(?![\p{L}’']))`,
  "iu",
);

/** Places that no skill can reach, such as the person's calendar. */
export const ELSEWHERE = anyWord(
  "your (?:google )?calendar|your phone|a notification|notifications?|an alarm|your alarm|your bank",
  "deine[mnr]? (?:kalender|handy|telefon)|benachrichtigung|ton (?:calendrier|téléphone|agenda)",
  "votre (?:calendrier|téléphone|agenda)|une notification|tu (?:calendario|teléfono|agenda)",
  "una notificación",
);

const TRAIT_WORDS = oneOf(
  String.raw`prefer\p{L}*|like[ds]?|love[ds]?|hate[ds]?|live[ds]?|worked|own(?:ed)?|grew|studied|bought`,
  String.raw`enjoy\p{L}*|magst|mochtest|liebst|wohnst|arbeitest|bevorzugst|préfér\p{L}*|préfères|aimes?|adores`,
  "habites?|prefieres|vives|trabajas",
);
/** Statements about the person's traits and habits, which only the person or a memory can show. */
export const TRAIT = new RegExp(
  String.raw`^(?:(?:and|also|besides|as always),? )?(?:you|du|tu|vous|usted)\s(?:\p{L}+\s){0,2}?${TRAIT_WORDS}(?!\p{L})`,
  "iu",
);

export const OVERDUE = anyWord(
  String.raw`overdue|past due|late|überfällig\p{L}*|en retard|vencid[oa]s?|atrasad[oa]s?`,
);

export const NOW = anyWord(
  String.raw`now|already|jetzt|nun|bereits|maintenant|désormais|déjà|ahora|ya|nyt|nu|ora|agora`,
);

/** Words that identify German, which capitalizes nouns. */
export const GERMAN = anyWord(
  String.raw`der|die|das|und|ist|sind|ich|du|nicht|ein|eine|mit|von|für|auf|dem|den|zu|im|am|dein\p{L}*`,
  String.raw`mein\p{L}*|bis|noch|wird|hat|habe|wurde\p{L}*|bei|nach|aus|wie|wann|kein\p{L}*|einen?|zum|zur|vom`,
  "beim",
);

/** References to an earlier occasion. */
export const LAST_TIME = anyWord(
  "last time|the other day|(?:beim|das) letzten? mal|neulich|la dernière fois|la última vez",
  "l['’]ultima volta|da última vez|vorige keer|förra gången",
);

/** Words for an addition. */
export const ADDITION = anyWord(
  "also|as well|in addition|additionally|besides|moreover|furthermore|auch|außerdem|zudem|ebenfalls",
  "aussi|également|en outre|además|también|inoltre|anche|também|além disso|ook|bovendien|också|dessutom",
  "også|także|również",
);

/** Verbs that report the content of a text. */
export const REPORTS = anyWord(
  "says?|said|mentions?|mentioned|states?|stated|notes? that|noted that|writes?|wrote|claims?|explains?",
  "suggests?|steht|sagt|erwähnt|schreibt|besagt|heißt es|erklärt|dit|mentionne|indique|précise|écrit",
  "explique|dice|menciona|indica|explica|escribe|pone|scrive|spiega|diz|zegt|vermeldt|står|säger|siger",
  "nämner|mówi",
);

/** Phrases that introduce an opinion. */
export const OPINION = new RegExp(
  wholeWords(
    "in my (?:view|opinion|experience)|i (?:think|believe|would say)|from memory|as far as i know",
    "please (?:verify|check)|meiner meinung|ich (?:finde|denke|glaube)|à mon avis|je (?:pense|crois)",
    "en mi opinión|creo que",
  ),
  "iu",
);

/** Words of judgements. */
export const JUDGES = new RegExp(
  wholeWords(
    "worth|best|better|good|great|nice|fine|sensible|important|useful|easy|easier|common|normal|look",
    "looks|seem|seems|sound|sounds|makes sense|conviene|lohnt|sinnvoll|wichtig|utile|important",
    "vale la pena|should|would|might|may|can|could|must|need|needs",
  ),
  "iu",
);

const FILLER_WORDS = oneOf(
  "(?:hello|hi|hey|good (?:morning|afternoon|evening|night|day)|hallo|guten (?:morgen|tag|abend)|gute nacht|bonjour|bonsoir|salut|hola|buen[oa]s (?:d[ií]as|tardes|noches))(?: (?:there|again|to you))?(?:,? how are you(?: (?:doing|today))?)?",
  "how are you(?: (?:doing|today))?|wie geht(?: es dir|['’]s)|comment (?:ça va|vas-tu|allez-vous)",
  "¿?(?:qué tal|cómo estás)|you(?:['’]re| are)(?: very| most)? welcome|my pleasure|no problem",
  "don['’]t mention it",
  "(?:i['’]m |i am )?(?:happy|glad|here) to (?:help|be of help)(?: (?:you|further|again|anytime|any time))?",
  "(?:any|every)time|thanks?(?: you)?(?: (?:so|very) much| again)?|many thanks",
  String.raw`have (?:a|an) (?:\p{L}+ )?(?:day|evening|night|weekend|week|time|trip|meal)|have fun(?: [\p{L} ]+)?`,
  "enjoy(?: your (?:day|evening|meal|trip|weekend))?|good luck|take care|see you(?: (?:soon|later))?",
  "bye|goodbye|gern geschehen|gerne?|bitte(?: schön| sehr)?|danke(?: schön| sehr)?",
  "viel (?:erfolg|spaß|glück)|schönen (?:tag|abend) noch|de rien|avec plaisir|je vous en prie",
  "merci(?: beaucoup)?|bonne (?:journée|soirée|chance)|de nada|con (?:mucho )?gusto|gracias",
  "buena suerte|ok|okay|alright|all right|sure|of course|certainly|got it|understood|verstanden|klar",
  "alles klar|d['’]accord|entendu|vale|claro|entendido",
);
/** Filler phrases that are a whole sentence and claim nothing: "You're welcome!", "Have a nice day!" */
export const FILLER = new RegExp(
  String.raw`^[\s*_]*${FILLER_WORDS}[\s.!?,…*_\p{Extended_Pictographic}]*$`,
  "iu",
);

/** Reports that the request was carried out, without saying how: "Done.", "All set!" */
export const BARE_DONE = new RegExp(
  [
    String.raw`^[\s*_]*(?:\p{Extended_Pictographic}\uFE0F?\s*)?(?:(?:all|it['’]s|it is|that['’]s|that is) )?`,
    String.raw`(?:done|finished|set|ready|erledigt|fertig|fait|c['’]est fait|hecho|listo)(?: now)?`,
    String.raw`(?:\s*\[\d{1,3}\])?[\s.!*_\p{Extended_Pictographic}]*$`,
  ].join(""),
  "iu",
);

/** Nouns for a message. */
const MESSAGE =
  "(?:message|e-?mail|mail|text|note|letter|reply|answer|invitation|report|nachricht|antwort)s?";
/** Other words for a message that was sent: "it has gone out", "Ada has the message", "the mail reached her". */
export const SENT = new RegExp(
  [
    String.raw`(?<!\p{L})on (?:its|the|their) way(?!\p{L})`,
    String.raw`(?<!\p{L})(?:has|have|is|are|['’]s|['’]ve) (?:\p{L}+ )?gone (?:out|off|through)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:has|have|['’]s|got|received|hat) (?:(?:now|already|got|received|jetzt|bereits) )*(?:the|your|my|this|it|die|deine) ?(?:${MESSAGE})(?!\p{L})`,
    String.raw`(?<!\p{L})(?:has|have|['’]s|['’]ve|is|are|was|were) (?:(?:now|already|also) )*(?:been )?(?:told|informed|notified|contacted)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:(?:now|already) knows?|knows? (?:it |about it |of it )?now)(?!\p{L})`,
    String.raw`(?<!\p{L})${MESSAGE} (?:to [^.,;]{1,40} )?(?:is out|(?:has )?(?:reached|arrived)|went (?:out|off|through))(?!\p{L})`,
  ].join("|"),
  "iu",
);
/** "Really sent?", "Did it go out?" */
export const ASKS_WHETHER_SENT =
  /(?<!\p{L})(?:(?:sent|e-?mailed|mailed|delivered|forwarded|gesendet|geschickt|envoyé|enviado)[^.!]*\?|did (?:you|it) (?:[^.!?]* )?(?:send|e-?mail|mail|go out)(?!\p{L}))/iu;

const EACH = oneOf("every|each|all|jeden?|alle|tous les|toutes les|chaque|todos los|todas las|cada");
const PERIODS = oneOf(
  "days?|weeks?|months?|years?|hours?|mornings?|evenings?|nights?",
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weekdays?",
  "tage?|wochen?|monate?|jahre?|jours?|semaines?|mois|ans?",
  "días?|semanas?|mes(?:es)?|años?",
);
/** "Every month" says how often, not that all of something is meant. */
export const RECURRENCE = new RegExp(String.raw`(?<!\p{L})${EACH}\s+(?:\d+\s+)?${PERIODS}(?!\p{L})`, "giu");

/** Superlatives for the greatest value of a column. */
export const LARGEST = new RegExp(
  wholeWords(
    "longest|highest|largest|biggest|greatest|heaviest|dearest|most expensive",
    String.raw`längste\p{L}*|höchste\p{L}*|größte\p{L}*|teuerste\p{L}*|schwerste\p{L}*`,
    String.raw`l[ae] plus (?:long|grand|haut|cher|chère|élevée?|lourde?)\p{L}*|más (?:larg|alt|grande|car|pesad)\p{L}*`,
  ),
  "iu",
);
/** Superlatives for the smallest value of a column. */
export const SMALLEST = new RegExp(
  wholeWords(
    "shortest|lowest|smallest|cheapest|fewest|lightest|least",
    String.raw`kürzeste\p{L}*|niedrigste\p{L}*|kleinste\p{L}*|billigste\p{L}*|günstigste\p{L}*|wenigste\p{L}*|leichteste\p{L}*`,
    String.raw`l[ae] (?:plus (?:court|petit|bas|léger)|moins)\p{L}*|más (?:cort|baj|pequeñ|barat)\p{L}*`,
  ),
  "iu",
);
/** Words that restrict a statement to some rows of a table. */
export const NARROWS = new RegExp(
  wholeWords(
    "over|under|above|below|than|at least|at most|between|without|except|excluding|only|first|last|each|per|until",
    "since|before|after|über|unter|mehr als|ohne|außer|nur|sauf|sans|plus de|moins de|sin|salvo|solo",
  ),
  "iu",
);
/** Words for the contents of the workspace. */
export const FOLDERS = new RegExp(
  wholeWords(
    String.raw`workspace|folders?|director(?:y|ies)|files?|entry|entries|inbox|empty|out\/`,
    "arbeitsbereich|ordner|dateie?n?|eintr[aä]ge?n?|leer|dossiers?|fichiers?|entrées?|vide",
    "carpetas?|archivos?|entradas?|vacía",
  ),
  "iu",
);
const SINCE_OR_IN = "in|within|since|for|innerhalb|binnen|seit|dans|sous|depuis|en|dentro de|hace";
const UNITS_OF_TIME = oneOf(
  "days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?",
  "jours?|semaines?|mois|ans?|d[ií]as?|semanas?|mes(?:es)?|años?",
);
/** "In three days", "two weeks ago": a time that is counted from today. */
export const FROM_TODAY = new RegExp(
  String.raw`(?<!\p{L})(?:${SINCE_OR_IN}) (?:\d+|\p{L}+) ${UNITS_OF_TIME}(?!\p{L})|(?<!\p{L})ago(?!\p{L})`,
  "iu",
);
