import { anyWord, wholeWords } from "../text/patterns.ts";

/** The effect of a call on its target. `CHANGE_WORDS` contains the words that ask for it. */
export type TargetAction = "delete" | "stop" | "move" | "overwrite" | "append" | "change" | "send" | "run";

/** The endings of verbs by language. In the lists below, `~` after a stem means any of these endings. */
const ENDINGS = {
  german: "e|en|t|st|te|est",
  french: "e|es|er|ez|é",
  // With the pronouns that follow a Spanish verb: "bórralo".
  romance:
    "(?:a|e|i|ar|er|ir|are|ere|ire|ate|isci|o|as|es|é|ei|ado|ada|ato|ata)(?:l[aeo]s?|ti|me|me?l[ao]s?)?",
  dutch: "|en|t|de",
  scandinavian: "|a|e|r|ar|er|at|et|ade|ede",
  slavic: String.raw`\p{L}{0,6}`,
} as const;

/**
 * Turns a list of alternatives into a pattern, and `~` into the endings. Spaces separate the alternatives, so white space
 * within one is written `\\s`.
 */
const alternatives = (text: string, ending = ""): string =>
  text.replaceAll("~", `(?:${ending})`).replaceAll(" ", "|");

const CLAUSE_OPENERS = "and|then|please|und|dann|bitte|et|puis|y|luego|e|poi|dan|ja|sitten|och|sedan|og|så";

/**
 * Matches the alternatives only at the beginning of a clause, because they have another meaning elsewhere: "tira" (a strip),
 * "marca" (a brand), "lisää" (more).
 */
const atClauseStart = (pattern: string): string =>
  String.raw`(?<=(?:^|[,;:.!?\n]|(?<!\p{L})(?:${CLAUSE_OPENERS}))\s*)(?:${pattern})`;

const DELETE_WORDS = anyWord(
  alternatives(
    "delet(?:e[sd]?|ing|ion) remov(?:e[sd]?|ing|al) eras(?:e[sd]?|ing) trash(?:ed|ing)? discard(?:s|ed|ing)? drop(?:s|ped|ping)? throw(?:s|n|ing)? threw",
  ),
  alternatives(
    "clean(?:s|ed|ing|up)? clear(?:s|ed|ing)? tid(?:y|ied|ying) empt(?:y|ied|ying) purg(?:e[sd]?|ing) wip(?:e[sd]?|ing) forget(?:ting)? forgot rid",
  ),
  alternatives(
    "lösch~? gelöscht entfern~? entfernt aufräumen aufgeräumt wegräumen leere leeren geleert wirf werfen wegwerfen weggeworfen vergiss vergessen schmeiß~? schmeiss~? wegschmeißen",
    ENDINGS.german,
  ),
  alternatives(
    "supprim~ effac~ enlev~ vider videz vidé nettoie nettoy~ oubli~ jett(?:e|es) jet(?:er|ez|é)",
    ENDINGS.french,
  ),
  alternatives(
    "b[oó]rr~ elim[ií]n~ quita quitar quítal[ao]s? limpia limpiar límpial[ao]s? vaciar olvid~ tirar tíral[ao]s? cancella cancellal[aeio] cancellare cancellate cancelli rimuov~ svuot~ butt(?:a|are|ate|i|al[aeio])",
    ENDINGS.romance,
  ),
  alternatives(
    "apaga apagar apague exclui exclua excluir remov(?:a|er|ido|ida) esque[cç](?:e|er|a) limpe limpar dimentic~",
    ENDINGS.romance,
  ),
  alternatives("verwijder~ gewist gooi gooien weggooien vergeet", ENDINGS.dutch),
  alternatives("usuń~ удал~ очист~", ENDINGS.slavic),
  alternatives(
    "poist(?:a|aa|akaa|aisitko|etaan|at) hävit(?:ä|ää|täkää) tyhjen(?:nä|tää|täkää) siivo(?:a|ta|kaa) unohda unohtaa",
  ),
  alternatives(
    "rader~ släng~ slängt tömma töm tömmer glöm glömma slett~ fjern~ tøm tømme tømmer glem",
    ENDINGS.scandinavian,
  ),
  atClauseStart("räume?|leer|vide|vacía|tira|wis"),
  String.raw`(?:kann|können|soll|sollen|muss|müssen|darf) weg|weg damit`,
  String.raw`(?:ta|tar) (?:\S+ ){0,6}bort`,
);

const MOVE_WORDS = anyWord(
  alternatives(
    "mov(?:e[sd]?|ing) renam(?:e[sd]?|ing) archiv(?:e[sd]?|ing) puts? putting relocat(?:e[sd]?|ing) sort(?:s|ed|ing)? organi[sz](?:e[sd]?|ing) tid(?:y|ied|ying) clean(?:s|ed|ing|up)? transfer(?:s|red|ring)?",
  ),
  alternatives("verschieb~? verschoben benenn~? umbenennen umbenannt", ENDINGS.german),
  alternatives(
    "sort(?:iere|ieren|ier) archivier~? trier triez déplac~ renomm~ ranger rangez rangé",
    ENDINGS.french,
  ),
  alternatives(
    "muev~ muév~ mover movido renombr~ ordena ordenar ordene sposta spostal[aeio] spostare sposti rinomin~ renome(?:ia|ie|ar) arquiv(?:a|ar|e)",
    ENDINGS.romance,
  ),
  alternatives("verplaats~ hernoem~ archiveer", ENDINGS.dutch),
  alternatives("przenieś~ перемест~ переимен~", ENDINGS.slavic),
  alternatives(
    "siirrä siirtää siirtäkää siirretään siirrätkö arkistoi arkistoida flytta flyttar flyttat flytte flytter flyttet omdøp omdøpe arkiver~",
    ENDINGS.scandinavian,
  ),
  atClauseStart("räume?|range|trie|nimeä|döp|byt|flytt"),
);

/** Determiners, each with the space after it. After them, "change", "edit" and "update" are nouns: "summarize the changes". */
const DETERMINERS = String.raw`(?<!\p{L})(?:the|an?|any|all|my|your|his|her|its|their|these|those|last|latest|recent|new|of|no|what|which) `;

const OVERWRITE_WORDS = anyWord(
  alternatives(
    "overwrit(?:e|es|ing|ten) overwrote replac(?:e[sd]?|ing) rewrit(?:e|es|ing|ten) rewrote updat(?:ed|ing) chang(?:ed|ing) edit(?:ed|ing) fix(?:ed|ing) correct(?:s|ed|ing)? set(?:s|ting)? add(?:s|ed|ing)?",
  ),
  alternatives(
    "überschreib~? überschrieben ersetz~? ersetzt änder~? ändern geändert aktualisier~? korrigier~? eintragen hinzufügen",
    ENDINGS.german,
  ),
  alternatives("remplac~ modifi~ corrig~", ENDINGS.french),
  alternatives(
    "corrig(?:e|es|ir|i|a) corregir cambi(?:a|ar|e|are|ia) cámbial[ao]s? actual[ií]z~ reempla[zc]~ sostitui~ sostitui(?:sci|re) aggiorn(?:a|are|i|al[aeio]) atualiz~ muda mudar mude substitu(?:a|i|ir) alter(?:a|ar|e) modific(?:a|ar|are|he|al[ao])",
    ENDINGS.romance,
  ),
  alternatives("wijzig~ vervang~ bijwerken aanpassen", ENDINGS.dutch),
  alternatives("измен~ замен~", ENDINGS.slavic),
  alternatives("muuttaa muuttakaa muokkaa muokata korvaa korvata päivitä päivittää korjaa korjata"),
  alternatives(
    "ändra ändrar ändrat ersätt~ uppdatera uppdaterar endre endrer endret erstatt~ oppdater~",
    ENDINGS.scandinavian,
  ),
  String.raw`(?<!${DETERMINERS})(?:changes?|edits?|updates?|fix(?:es)?)`,
  String.raw`(?:make|apply|do) (?:\S+ ){0,3}(?:changes?|edits?|updates?|fix(?:es)?|corrections?)`,
  String.raw`(?:mache?|führe?|nimm) (?:\S+ ){0,4}(?:änderung(?:en)?|korrektur(?:en)?)`,
  String.raw`mets (?:\S+ ){1,6}à jour|pas (?:\S+ ){1,6}aan|werk (?:\S+ ){1,6}bij`,
  atClauseStart(
    "setze?|trage?(?= .* ein(?:$|[\\s,.!]))|füge?|cambia|muuta(?! kuin)|lisää(?! tieto)|lägg(?:a)?|rätta|legge?",
  ),
);

const STOP_WORDS = anyWord(
  alternatives(
    "stop(?:s|ped|ping)? cancel(?:s|l?ed|l?ing)? end(?:s|ed|ing)? unschedul(?:e[sd]?|ing) switch(?:ed|ing)? turn(?:ed|ing)? paus(?:e[sd]?|ing) halt(?:ed|ing)? quit(?:ting)? no",
  ),
  alternatives("stopp~? beend~? beendet abbrechen abgebrochen pausier~?", ENDINGS.german),
  alternatives("arrêt~ annul~ annuler annulez", ENDINGS.french),
  alternatives(
    "parar detén detener ferma fermare annulla annullare suspend~ cancela cancelar",
    ENDINGS.romance,
  ),
  alternatives(
    "stopp~ peruuta peruuttaa pysäytä pysäyttää lopeta lopettaa avbryt~ avslutt~ avsluta",
    ENDINGS.scandinavian,
  ),
);

/**
 * The words that ask for each kind of change, in the supported languages. Only whole words count: "cancelleria" (stationery)
 * does not contain "cancella". For `append` and `change`, see `asksFor`. A host or a program must be named, so `send` and `run`
 * have no words.
 */
export const CHANGE_WORDS: Readonly<Record<TargetAction, RegExp | undefined>> = {
  delete: DELETE_WORDS,
  move: MOVE_WORDS,
  overwrite: OVERWRITE_WORDS,
  stop: STOP_WORDS,
  append: undefined,
  change: undefined,
  send: undefined,
  run: undefined,
};

/** Words outside English that ask for a change of a task or report that it is done. The English ones are in `target-words.ts`. */
export const NON_ENGLISH_TASK_CHANGES = anyWord(
  alternatives(
    "erledig~? erledigt geändert änder~? ändern verschieb~? verschoben verschob umbenennen umbenannt markier~? markiert abhaken abgehakt fertig beend~? beendet korrigier~? aktualisier~?",
    ENDINGS.german,
  ),
  alternatives(
    "déplac~ modifi~ renomm~ marqu(?:er|ez|é) coch~ repouss~ corrig~ compléter complétez terminé",
    ENDINGS.french,
  ),
  alternatives(
    "cambi(?:a|ar|e|are) cámbial[ao]s? muev~ muév~ aplaz~ renombr~ marcar márcal[ao]s? (?<!de\\s)hech[oa] feit[oa] posp[oó]n(?:er)? terminad[oa] acabé acabei acabad[oa] concluí concluíd[oa] sposta spostare sposti segnal[aeio] segnare segnat[oaie] rinvi(?:a|are|al[aeio]) modific(?:a|ar|are|he) actualiz~",
    ENDINGS.romance,
  ),
  alternatives("wijzig~ verplaats~ markeer klaar gedaan", ENDINGS.dutch),
  alternatives(
    "merkitse merkitä merkitään merkkaa merkata tehdyksi valmis valmiiksi siirrä siirtää siirretään lykkää lykätä muuttaa muokkaa",
  ),
  alternatives(
    "markera markerar avklarad avklarat flytta flyttar ändra ändrar uppskjuta marker markere flytte endre endrer utsett utsette ferdig utført",
  ),
  atClauseStart("marque|marca|segna|complète|muuta(?! kuin)|vaihda|nimeä|skjut|flytt"),
);

const NOT_TO_FORGET = new RegExp(
  wholeWords(
    String.raw`(?:do not|don['’]?t|never) forget|vergiss(?: \S+)? nicht|nicht (?:\S+ )?vergessen`,
    String.raw`n['’]?\s?oubli\p{L}+ pas|no (?:te |se )?olvid\p{L}+|non dimenti\p{L}+|não (?:te |se )?esque\p{L}+`,
    String.raw`vergeet(?: \S+)? niet|älä unohda|glöm inte|ikke glem`,
  ),
  "giu",
);

/** Removes phrases such as "don't forget", because their verb does not ask for a deletion. */
export const withoutDoNotForget = (text: string): string => text.replaceAll(NOT_TO_FORGET, " ");
