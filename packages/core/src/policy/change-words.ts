/** How a call affects its target; selects the words of a request that ask for such a call. */
export type TargetAction = "delete" | "stop" | "move" | "overwrite" | "append" | "change" | "send" | "run";

/** The endings of verbs, by language, that `~` matches. */
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

/** One pattern of whole words separated by spaces. */
const words = (text: string, ending = ""): string =>
  text.replaceAll("~", `(?:${ending})`).replaceAll(" ", "|");

const whole = (...patterns: readonly string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${patterns.join("|")})(?![\p{L}\p{N}])`, "iu");

/**
 * Words that ask for something only at the beginning of a clause, because they have another meaning elsewhere: "tira"
 * (a strip), "marca" (a brand), "lisää" (more).
 */
const first = (text: string): string =>
  String.raw`(?<=(?:^|[,;:.!?\n]|(?<!\p{L})(?:and|then|please|und|dann|bitte|et|puis|y|luego|e|poi|dan|ja|sitten|och|sedan|og|så))\s*)(?:${text})`;

const REMOVAL = whole(
  words(
    "delet(?:e[sd]?|ing|ion) remov(?:e[sd]?|ing|al) eras(?:e[sd]?|ing) trash(?:ed|ing)? discard(?:s|ed|ing)? drop(?:s|ped|ping)? throw(?:s|n|ing)? threw",
  ),
  words(
    "clean(?:s|ed|ing|up)? clear(?:s|ed|ing)? tid(?:y|ied|ying) empt(?:y|ied|ying) purg(?:e[sd]?|ing) wip(?:e[sd]?|ing) forget(?:ting)? forgot rid",
  ),
  words(
    "lösch~? gelöscht entfern~? entfernt aufräumen aufgeräumt wegräumen leere leeren geleert wirf werfen wegwerfen weggeworfen vergiss vergessen schmeiß~? schmeiss~? wegschmeißen",
    ENDINGS.german,
  ),
  words(
    "supprim~ effac~ enlev~ vider videz vidé nettoie nettoy~ oubli~ jett(?:e|es) jet(?:er|ez|é)",
    ENDINGS.french,
  ),
  words(
    "b[oó]rr~ elim[ií]n~ quita quitar quítal[ao]s? limpia limpiar límpial[ao]s? vaciar olvid~ tirar tíral[ao]s? cancella cancellal[aeio] cancellare cancellate cancelli rimuov~ svuot~ butt(?:a|are|ate|i|al[aeio])",
    ENDINGS.romance,
  ),
  words(
    "apaga apagar apague exclui exclua excluir remov(?:a|er|ido|ida) esque[cç](?:e|er|a) limpe limpar dimentic~",
    ENDINGS.romance,
  ),
  words("verwijder~ gewist gooi gooien weggooien vergeet", ENDINGS.dutch),
  words("usuń~ удал~ очист~", ENDINGS.slavic),
  words(
    "poist(?:a|aa|akaa|aisitko|etaan|at) hävit(?:ä|ää|täkää) tyhjen(?:nä|tää|täkää) siivo(?:a|ta|kaa) unohda unohtaa",
  ),
  words(
    "rader~ släng~ slängt tömma töm tömmer glöm glömma slett~ fjern~ tøm tømme tømmer glem",
    ENDINGS.scandinavian,
  ),
  first("räume?|leer|vide|vacía|tira|wis"),
  String.raw`(?:kann|können|soll|sollen|muss|müssen|darf) weg|weg damit`,
  String.raw`(?:ta|tar) (?:\S+ ){0,6}bort`,
);

const MOVING = whole(
  words(
    "mov(?:e[sd]?|ing) renam(?:e[sd]?|ing) archiv(?:e[sd]?|ing) puts? putting relocat(?:e[sd]?|ing) sort(?:s|ed|ing)? organi[sz](?:e[sd]?|ing) tid(?:y|ied|ying) clean(?:s|ed|ing|up)? transfer(?:s|red|ring)?",
  ),
  words("verschieb~? verschoben benenn~? umbenennen umbenannt", ENDINGS.german),
  words("sort(?:iere|ieren|ier) archivier~? trier triez déplac~ renomm~ ranger rangez rangé", ENDINGS.french),
  words(
    "muev~ muév~ mover movido renombr~ ordena ordenar ordene sposta spostal[aeio] spostare sposti rinomin~ renome(?:ia|ie|ar) arquiv(?:a|ar|e)",
    ENDINGS.romance,
  ),
  words("verplaats~ hernoem~ archiveer", ENDINGS.dutch),
  words("przenieś~ перемест~ переимен~", ENDINGS.slavic),
  words(
    "siirrä siirtää siirtäkää siirretään siirrätkö arkistoi arkistoida flytta flyttar flyttat flytte flytter flyttet omdøp omdøpe arkiver~",
    ENDINGS.scandinavian,
  ),
  first("räume?|range|trie|nimeä|döp|byt|flytt"),
);

/** Words after which "change", "edit" and "update" are nouns: "summarize the changes". */
const OF_NOUNS = String.raw`(?<!\p{L})(?:the|an?|any|all|my|your|his|her|its|their|these|those|last|latest|recent|new|of|no|what|which) `;

const REPLACING = whole(
  words(
    "overwrit(?:e|es|ing|ten) overwrote replac(?:e[sd]?|ing) rewrit(?:e|es|ing|ten) rewrote updat(?:ed|ing) chang(?:ed|ing) edit(?:ed|ing) fix(?:ed|ing) correct(?:s|ed|ing)? set(?:s|ting)? add(?:s|ed|ing)?",
  ),
  words(
    "überschreib~? überschrieben ersetz~? ersetzt änder~? ändern geändert aktualisier~? korrigier~? eintragen hinzufügen",
    ENDINGS.german,
  ),
  words("remplac~ modifi~ corrig~", ENDINGS.french),
  words(
    "corrig(?:e|es|ir|i|a) corregir cambi(?:a|ar|e|are|ia) cámbial[ao]s? actual[ií]z~ reempla[zc]~ sostitui~ sostitui(?:sci|re) aggiorn(?:a|are|i|al[aeio]) atualiz~ muda mudar mude substitu(?:a|i|ir) alter(?:a|ar|e) modific(?:a|ar|are|he|al[ao])",
    ENDINGS.romance,
  ),
  words("wijzig~ vervang~ bijwerken aanpassen", ENDINGS.dutch),
  words("измен~ замен~", ENDINGS.slavic),
  words("muuttaa muuttakaa muokkaa muokata korvaa korvata päivitä päivittää korjaa korjata"),
  words(
    "ändra ändrar ändrat ersätt~ uppdatera uppdaterar endre endrer endret erstatt~ oppdater~",
    ENDINGS.scandinavian,
  ),
  String.raw`(?<!${OF_NOUNS})(?:changes?|edits?|updates?|fix(?:es)?)`,
  String.raw`(?:make|apply|do) (?:\S+ ){0,3}(?:changes?|edits?|updates?|fix(?:es)?|corrections?)`,
  String.raw`(?:mache?|führe?|nimm) (?:\S+ ){0,4}(?:änderung(?:en)?|korrektur(?:en)?)`,
  String.raw`mets (?:\S+ ){1,6}à jour|pas (?:\S+ ){1,6}aan|werk (?:\S+ ){1,6}bij`,
  first(
    "setze?|trage?(?= .* ein(?:$|[\\s,.!]))|füge?|cambia|muuta(?! kuin)|lisää(?! tieto)|lägg(?:a)?|rätta|legge?",
  ),
);

const STOPPING = whole(
  words(
    "stop(?:s|ped|ping)? cancel(?:s|l?ed|l?ing)? end(?:s|ed|ing)? unschedul(?:e[sd]?|ing) switch(?:ed|ing)? turn(?:ed|ing)? paus(?:e[sd]?|ing) halt(?:ed|ing)? quit(?:ting)? no",
  ),
  words("stopp~? beend~? beendet abbrechen abgebrochen pausier~?", ENDINGS.german),
  words("arrêt~ annul~ annuler annulez", ENDINGS.french),
  words("parar detén detener ferma fermare annulla annullare suspend~ cancela cancelar", ENDINGS.romance),
  words(
    "stopp~ peruuta peruuttaa pysäytä pysäyttää lopeta lopettaa avbryt~ avslutt~ avsluta",
    ENDINGS.scandinavian,
  ),
);

/**
 * The words that ask for each kind of change, in the supported languages. Words such as "cancelleria" match none of
 * them.
 */
export const CHANGE_WORDS: Readonly<Record<TargetAction, RegExp | undefined>> = {
  delete: REMOVAL,
  move: MOVING,
  overwrite: REPLACING,
  stop: STOPPING,
  append: undefined,
  change: undefined,
  send: undefined,
  run: undefined,
};

/** Words outside English that ask for a change of a task or report that it is done. */
export const CHANGE_OF_TASK = whole(
  words(
    "erledig~? erledigt geändert änder~? ändern verschieb~? verschoben verschob umbenennen umbenannt markier~? markiert abhaken abgehakt fertig beend~? beendet korrigier~? aktualisier~?",
    ENDINGS.german,
  ),
  words(
    "déplac~ modifi~ renomm~ marqu(?:er|ez|é) coch~ repouss~ corrig~ compléter complétez terminé",
    ENDINGS.french,
  ),
  words(
    "cambi(?:a|ar|e|are) cámbial[ao]s? muev~ muév~ aplaz~ renombr~ marcar márcal[ao]s? (?<!de\\s)hech[oa] feit[oa] posp[oó]n(?:er)? terminad[oa] acabé acabei acabad[oa] concluí concluíd[oa] sposta spostare sposti segnal[aeio] segnare segnat[oaie] rinvi(?:a|are|al[aeio]) modific(?:a|ar|are|he) actualiz~",
    ENDINGS.romance,
  ),
  words("wijzig~ verplaats~ markeer klaar gedaan", ENDINGS.dutch),
  words(
    "merkitse merkitä merkitään merkkaa merkata tehdyksi valmis valmiiksi siirrä siirtää siirretään lykkää lykätä muuttaa muokkaa",
  ),
  words(
    "markera markerar avklarad avklarat flytta flyttar ändra ändrar uppskjuta marker markere flytte endre endrer utsett utsette ferdig utført",
  ),
  first("marque|marca|segna|complète|muuta(?! kuin)|vaihda|nimeä|skjut|flytt"),
);

const NOT_TO_FORGET =
  /(?<!\p{L})(?:(?:do not|don['’]?t|never) forget|vergiss(?: \S+)? nicht|nicht (?:\S+ )?vergessen|n['’]?\s?oubli\p{L}+ pas|no (?:te |se )?olvid\p{L}+|non dimenti\p{L}+|não (?:te |se )?esque\p{L}+|vergeet(?: \S+)? niet|älä unohda|glöm inte|ikke glem)(?!\p{L})/giu;

/** A text without its requests not to forget something, which ask for no deletion. */
export const withoutReminders = (text: string): string => text.replaceAll(NOT_TO_FORGET, " ");
