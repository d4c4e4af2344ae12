import { wholeWords, oneOf } from "@metahuman/core/text/patterns";
import { stem as inflectionless } from "@metahuman/core/language/tokens/words";
import { actionsIn } from "./action-claims.ts";
import { splitWords } from "./action-words.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, filesIn, stem, withoutNames } from "./mentions.ts";
import { type AnswerSoFar } from "./number-arithmetic.ts";
import { quantitiesIn } from "./quantities.ts";
import { quantityWords } from "./quantity-words.ts";
import { measureOf } from "./units.ts";
import { isAnotherLanguage } from "./answer-language.ts";
import { CONDITIONAL, GENERAL, JUDGES, NEGATION, OPINION } from "./vocabulary.ts";

/** Function words of the checked languages. */
const FUNCTION_WORDS =
  "the and for are was were has have had this that these those with from into your you not all one than then them they their there here what which when also only still just very more most other some any its our out now " +
  "yes can could will would shall should may might must cannot did does don doesn didn isn wasn aren weren couldn wouldn hasn haven won get gets got been being about over under above below after before between within without during since until while because although though however whether where who whose whom why how both each every either neither too much many few several such same another his her hers him she hers mine ours yours theirs itself yourself off again yet already ever never always often sometimes perhaps maybe rather quite almost nearly exactly roughly around least less enough else instead otherwise therefore thus hence apart except including across along through per via upon like even " +
  "der die das und ist sind ein eine einen einem einer eines den dem des mit von für auf aus bei nach auch nur noch nicht sich dein deine deinen deiner deinem ich habe hast hat haben wurde wurden wird werden worden war waren sie wir ihr ihm ihn ihnen ihre ihren ihrem ihrer sein seine seinen seinem mein meine meinen kann kannst können soll sollte muss müssen darf dass ob weil wenn aber oder als wie was wer wann bis zum zur vom beim ins ans über unter vor zwischen durch gegen ohne seit schon bereits mehr weniger sehr etwa rund dazu dafür davon damit darin daran dort hier jetzt nun dann also sonst alle alles allem jede jeder jedes keine kein keinen nichts etwas andere anderen anderes beide beiden zwei auch außer außerdem zudem liegt steht gibt " +
  "les des une est sont dans pour avec sur par pas plus aussi ton tes vous nous ils elle elles été avait avez avons ont cela ces cette cet ses son leur leurs que qui dont mais donc car comme très peu encore déjà toujours jamais rien tout tous toute toutes chaque entre depuis avant après sous sans chez puis ferait être avoir fait deux autre autres même aux " +
  "los las una unos unas del con por para que está están hay sus son era eran fue fueron han has tiene tienen tienes pero como muy más menos también sólo solo sobre entre desde hasta sin cada todo todos toda todas otro otra otros otras este esta esto estos estas ese esa eso dos nada algo donde cuando " +
  "gli dei delle della dello degli del nel nella sul sulla per che non sono era hai hanno come anche più meno molto poco tutto tutti ogni altro altri altra due tra fra dopo prima " +
  "uma uns umas dos das nos nas pelo pela com não mais menos também são está estão foi foram tem têm muito pouco cada todo todos outra outro dois duas até desde entre " +
  "het een van voor met naar niet ook maar nog als dan dat die deze dit zijn was waren heeft hebt heb had wordt worden werd zal kan moet mag door over onder tussen geen alle alles elk elke twee " +
  "och att som inte med till från för den det ett var har hade kan ska men eller också bara alla allt varje två och jeg ikke til fra det har hadde kan skal men eller også bare alle alt hver der som med nie jest się dla oraz ale lub też już tylko jego jej ich ten tego";

/** Words with which answers present what was found, its order and its amount. */
const FRAME_WORDS =
  "file files folder folders note notes entry entries list lists listed item items page pages text line lines row rows column columns result results record records memory memories task tasks document documents name names named number numbers value values word words thing things point points part parts section sections detail details information content contents date dates day days week weeks month months year years time times hour hours minute minutes second seconds morning evening night today tomorrow yesterday weekday weekdays weekend weekends clock " +
  "say says said read reads mention mentions mentioned state states stated note noted list show shows shown see seen find found look looks hold holds contain contains include includes included call calls called appear appears name give gives given according come comes came go goes went make makes made take takes took put set use uses used need needs needed become becomes became stay stays leave leaves left remain remains keep keeps kept start starts started begin begins end ends ended run runs ran cost costs pay pays paid belong belongs mean means meant exist exists change changed changes follow follows fall falls work works do done know known remember " +
  "first last next previous second third final new old recent longest shortest largest smallest biggest oldest newest earliest latest highest lowest cheapest dearest most expensive cheaper longer shorter larger smaller bigger older newer earlier later higher lower best worst average mean median total sum together altogether overall combined difference half third quarter double twice share percent gap range rest whole single separate equal alone ago apart far long high large small short early late due open currently available different similar main following above respectively missing empty marked ticked called named based possible several " +
  "datei dateien ordner notiz notizen eintrag einträge liste seite text zeile zeilen ergebnis ergebnisse aufgabe aufgaben wert werte wort name tag tage tagen woche wochen monat monate monaten jahr jahre jahren stunde stunden minute minuten uhr laut sagt nennt enthält erwähnt kostet beträgt dauert beginnt endet heißt bleibt bleiben kommt kommen geht erste ersten letzte letzten nächste neueste älteste größte kleinste längste erledigt abgehakt markiert platz fehlt fehlen insgesamt zusammen durchschnitt hälfte viertel fällig offen gefunden gelesen " +
  "fichier fichiers dossier note notes liste page texte ligne lignes tâche tâches jour jours semaine mois heure heures selon indique contient mentionne coûte commence premier première dernier dernière prochain prochaine total ensemble moyenne moitié trouvé fait faite faites terminé terminée ouverte ouvertes enregistré manque " +
  "archivo archivos carpeta nota notas lista página texto línea tarea tareas día días semana semanas mes meses año años hora horas según indica contiene menciona cuesta empieza primero primera último última próximo próxima total juntos promedio mitad encontrado encontré hecha hecho hechas abierta abierto abiertas sigue siguen pendiente pendientes " +
  "file cartella nota elenco lista pagina giorno giorni settimana mese ora ore primo prima ultimo ultima totale bestand bestanden map lijst pagina dag dagen week maand jaar uur eerste laatste totaal fil filer mapp anteckning lista sida dag dagar vecka månad år första sista senaste";

let framing: ReadonlySet<string> | undefined;

const framingWords = (): ReadonlySet<string> =>
  (framing ??= new Set([...splitWords(FUNCTION_WORDS), ...splitWords(FRAME_WORDS), ...quantityWords()]));

/** The content words of a text: no function words, presentation words, names of files or quantities. */
export function contentOf(text: string): string[] {
  const frame = framingWords();
  return contentWords(withoutNames(text)).filter(
    (word) =>
      !frame.has(word) && !frame.has(word.replace(/s$/, "")) && !/\d/.test(word) && measureOf(word) === "",
  );
}

/** True for a word that the evidence contains in any inflection or compound. */
function isGrounded(word: string, { observedStems, sourceStems, text }: PreparedEvidence): boolean {
  const short = stem(word);
  if (observedStems.has(short) || sourceStems.has(short)) return true;
  const plain = inflectionless(word);
  const shortPlain = stem(plain);
  if (plain.length > 2 && (observedStems.has(shortPlain) || sourceStems.has(shortPlain))) return true;
  return plain.length >= 4 && text.includes(plain.slice(0, 6));
}

/** The minimum share of content words that the evidence must contain. */
const MIN_SHARE = 0.26;

/** Sentences with fewer content words are not judged. */
const MIN_WORDS = 2;

/** Requests for advice or an explanation, whose answers go beyond what was observed. */
const ASKS_ADVICE = new RegExp(
  wholeWords(
    "should|what now|explain|advice|advise|recommend|suggest|ideas?|tips?|help me",
    "how (?:do|can|could|should|to)|what (?:can|could|would) (?:i|we)",
    "is it (?:ok|okay|bad|safe|normal|worth)|best way|(?:write|draft|plan) (?:me |us )?(?:an?|my|the)",
    "soll(?:te)?|rat|empfiehl|erklär|vorschl[aä]g|idee|tipps?|wie (?:kann|mache|soll)|conseil|explique",
    "dois-je|faut-il|comment (?:faire|puis)|debería|consejo|explica|cómo (?:puedo|hago)",
  ),
  "iu",
);

/** "A starter survives…", "Until then, a bowl…": general statements. */
const INDEFINITE = /^(?:[^,]{1,30}, )?(?:an?|any|eine?|une?|una?|un)\s/iu;

const NO_IMPERATIVES = oneOf(
  "From|With|For|In|On|At|By|Of|And|But|So|As|After|Before|Since|Under|Over|Both|Only|Here|Then|Like",
  "That|Was|Is|Are|Were|All|Half|Most|Also|Inside|Besides|Within|During|Between|Among|About|Around|To",
  "Into|Near|Behind",
);
/** "Restart the app", "Keep it warm": a bare verb and its object. */
const IMPERATIVE = new RegExp(
  String.raw`^[\s*_\-•\d.)]*(?!${NO_IMPERATIVES}\s)\p{Lu}\p{Ll}*(?<!ed|ing|s|ly)\s(?:the|a|an|your|it|them|me|him|her|this|these|those|yourself)\s`,
  "u",
);

/** "That is sensible:", "I hope it helps": comments of the operator. */
const COMMENTS = new RegExp(
  [
    String.raw`^(?:that(?:['’]s| is| was) (?:an?|no|not|sensible|right|fine|common|normal|why)\s`,
    String.raw`so[ ,]`,
    String.raw`(?:procura|recuerda|denk|vergiss|pense|n['’]oublie)\s`,
    String.raw`i (?:keep|hope|wish|think|would|can|will|am|have no)\s)`,
  ].join("|"),
  "iu",
);

const CAUSE =
  /(?<!\p{L})(?:because(?: of)?|due to|thanks to|weil|wegen|aufgrund|parce que?|à cause de|porque|debido a)\s(.+)$/iu;

/** Outcomes that other people decide; only evidence can show them. */
const OUTCOME = new RegExp(
  wholeWords(
    "confirmed|approved|agreed|accepted|rejected|declined|merged|signed(?! up)|published|shipped",
    "delivered|genehmigt|bestätigt|zugesagt|abgesagt|unterschrieben|gemergt|geliefert|confirmée?s?",
    "approuvée?s?|signée?s?|livrée?s?|confirmad[oa]s?|aprobad[oa]s?|firmad[oa]s?|entregad[oa]s?",
  ),
  "giu",
);

/** The words before a number in a sentence about a count. */
const COUNTS = /^(?:\p{L}+\s(?:are|is|has|have|hat|haben|sind|gibt es|y a|hay|tiene)\s)?$/iu;

/**
 * Problems with statements that share too few words with the evidence. Numbers, days and times are checked elsewhere;
 * sentences in another language than the evidence are not compared.
 */
export function ungroundedContent(text: string, evidence: PreparedEvidence, before: AnswerSoFar): string[] {
  if (evidence.text === "" || text.endsWith("?") || isAnotherLanguage(text, evidence, before)) return [];
  if (NEGATION.test(text)) return [];
  const isForeign = (words: readonly string[]): boolean =>
    words.length > 0 && !words.some((word) => isGrounded(word, evidence));
  const [, cause = ""] = CAUSE.exec(text) ?? [];
  if (!/\d/u.test(cause) && !CONDITIONAL.test(text) && isForeign(contentOf(cause)))
    return ["Nothing observed supports this cause."];
  const outcomes = CONDITIONAL.test(text) ? [] : (text.match(OUTCOME) ?? []);
  if (outcomes.some((word) => !isGrounded(word.toLowerCase(), evidence)))
    return [`"${outcomes.join(", ")}" is stated, and nothing observed shows it.`];
  if (!isStatement(text, evidence)) return [];
  const content = contentOf(text);
  if (content.length < MIN_WORDS) return [];
  const grounded = content.map((word) => isGrounded(word, evidence));
  // "The team was happy with the progress": the subject is known, but nothing said about it.
  const tail = content.length - 1 - grounded.lastIndexOf(true);
  const isShown = grounded.filter(Boolean).length / content.length >= MIN_SHARE && tail < MIN_WORDS;
  return isShown ? [] : ["Nothing observed supports this statement."];
}

/** True for a statement that can be compared by its words alone. */
function isStatement(text: string, { source }: PreparedEvidence): boolean {
  if (/[:!]\W*$/u.test(text) || /\d/u.test(text.replace(/^[\s\-*•]*\d{1,2}[.)]/u, ""))) return false;
  const { numbers } = quantitiesIn(text);
  if (numbers.some(({ unit, start }) => COUNTS.test(text.slice(0, start)) || measureOf(unit) !== ""))
    return false;
  if ([GENERAL, OPINION, JUDGES, INDEFINITE, IMPERATIVE, COMMENTS].some((one) => one.test(text)))
    return false;
  // "`sort()` puts the numbers in order": what code does is general knowledge.
  if (filesIn(text).length === 0 && text.includes("`")) return false;
  return actionsIn(text).length === 0 && !ASKS_ADVICE.test(source.request);
}
