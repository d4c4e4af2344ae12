import { oneOf } from "@metahuman/core/text/patterns";

/**
 * The words by which an answer claims something, in English, German, French and Spanish. The tables are small on
 * purpose: a claim with a missing form is not checked, and a form that is too general refutes true sentences.
 */

/** The effect of an action; a claim of one needs a successful call of a skill that can have it. */
export type ActionKind =
  | "write"
  | "delete"
  | "move"
  | "update"
  | "send"
  | "order"
  | "cancel"
  | "call"
  | "publish"
  | "schedule"
  | "install"
  | "download"
  | "run"
  | "draw"
  | "look";

export const splitWords = (text: string): string[] => text.trim().split(/\s+/u);

/** Participles that agree with their noun. */
const inflect = (ends: readonly string[], stems: string): string[] =>
  splitWords(stems).flatMap((stem) => ends.map((end) => stem + end));

const french = (stems: string): string[] => inflect(["", "e", "s", "es"], stems);

const spanish = (stems: string): string[] => inflect(["o", "a", "os", "as"], stems);

/** Past forms and participles. */
const FORMS: readonly (readonly [ActionKind, readonly string[]])[] = [
  [
    "write",
    [
      ...splitWords(
        "created wrote written drafted noted remembered duplicated saved stored added appended recorded filed copied exported inserted logged committed",
      ),
      ...splitWords(
        "erstellt angelegt geschrieben gespeichert abgespeichert abgelegt hinzugefügt eingetragen ergänzt",
      ),
      ...splitWords("notiert gemerkt angehängt kopiert exportiert hinterlegt festgehalten"),
      ...french("noté créé écrit enregistré sauvegardé ajouté stocké copié consigné exporté"),
      ...spanish("anotad cread guardad escrit añadid agregad copiad registrad exportad"),
      ...splitWords(
        "tallennettu luotu opgeslagen aangemaakt salvato creato salvo criado sparad skapad zapisano",
      ),
      ...splitWords("creé guardé escribí añadí agregué copié registré"),
    ],
  ],
  [
    "delete",
    [
      ...splitWords(
        "deleted removed erased forgotten vergessen trashed discarded cleared wiped emptied gelöscht entfernt geleert verworfen",
      ),
      ...french("supprimé effacé retiré vidé oublié"),
      ...spanish("eliminad borrad quitad olvidad"),
      ...splitWords(
        "eliminé borré quité poistettu verwijderd eliminato cancellato excluído apagado raderad borttagen usunięto",
      ),
    ],
  ],
  [
    "move",
    [
      ...splitWords("moved renamed archived relocated verschoben umbenannt archiviert"),
      ...french("déplacé renommé archivé"),
      ...spanish("movid renombrad archivad"),
      ...splitWords("moví renombré archivé siirretty verplaatst hernoemd spostato rinominato movido flyttad"),
    ],
  ],
  [
    "update",
    [
      ...splitWords(
        "updated changed edited modified tagged assigned enabled disabled reset replaced corrected marked set overwrote overwritten adjusted",
      ),
      ...splitWords(
        "rescheduled postponed merged fixed completed ticked aktualisiert geändert bearbeitet ersetzt",
      ),
      ...splitWords("korrigiert markiert gesetzt überschrieben angepasst abgehakt zusammengeführt"),
      ...french("modifié corrigé remplacé marqué actualisé reporté"),
      ...spanish("actualizad cambiad modificad corregid marcad reemplazad"),
      ...splitWords("actualicé cambié modifiqué corregí marqué"),
    ],
  ],
  [
    "send",
    [
      ...splitWords(
        "attached sent submitted delivered reminded told emailed e-mailed mailed replied responded forwarded notified texted messaged replied informed gesendet geschickt",
      ),
      ...splitWords(
        "verschickt gemailt weitergeleitet benachrichtigt versandt versendet mitgeschickt informiert",
      ),
      ...french("envoyé transmis notifié expédié transféré prévenu"),
      ...spanish("enviad mandad notificad reenviad avisad"),
      ...splitWords(
        "lähetetty verzonden verstuurd inviato enviado skickad wysłano envié mandé notifiqué reenvié avisé",
      ),
    ],
  ],
  [
    "order",
    [
      ...splitWords("booked reserved renewed ordered purchased bought paid subscribed gebucht reserviert"),
      ...splitWords("bestellt gekauft bezahlt überwiesen abonniert vereinbart"),
      ...french("réservé commandé acheté payé"),
      ...spanish("reservad comprad pagad"),
      ...splitWords("reservé compré pagué"),
    ],
  ],
  [
    "cancel",
    [...splitWords("cancelled canceled storniert cancelé"), ...french("annulé"), ...spanish("cancelad")],
  ],
  [
    "call",
    [
      ...splitWords("called phoned contacted spoke talked angerufen kontaktiert llamé contacté"),
      ...french("appelé contacté"),
      ...spanish("llamad contactad"),
    ],
  ],
  [
    "publish",
    [
      ...splitWords("shared published posted uploaded pushed deployed synced invited geteilt veröffentlicht"),
      ...splitWords("hochgeladen eingeladen synchronisiert compartí publiqué subí invité"),
      ...french("partagé publié téléversé invité synchronisé"),
      ...spanish("compartid publicad subid invitad sincronizad"),
    ],
  ],
  [
    "schedule",
    [
      ...splitWords("scheduled arranged eingeplant terminiert programé agendé"),
      ...french("planifié programmé"),
      ...spanish("programad agendad"),
    ],
  ],
  [
    "install",
    [
      ...splitWords(
        "installed uninstalled restarted rebooted printed backed encrypted compressed zipped freed converted installiert",
      ),
      ...splitWords("neugestartet gedruckt gesichert verschlüsselt komprimiert umgewandelt konvertiert"),
      ...french("installé redémarré imprimé chiffré compressé converti"),
      ...spanish("instalad reiniciad impres cifrad comprimid convertid"),
    ],
  ],
  [
    "download",
    [...splitWords("downloaded heruntergeladen descargué"), ...french("téléchargé"), ...spanish("descargad")],
  ],
  [
    "run",
    [
      ...splitWords("ran executed tested ausgeführt getestet ejecuté probé"),
      ...french("exécuté testé"),
      ...spanish("ejecutad probad"),
    ],
  ],
  [
    "draw",
    [
      ...splitWords(
        "drew drawn painted sketched photographed filmed gezeichnet gemalt skizziert fotografiert gefilmt",
      ),
      ...french("dessiné peint photographié filmé"),
      ...spanish("dibujad pintad fotografiad filmad"),
    ],
  ],
  [
    "look",
    [
      ...splitWords(
        "searched googled browsed checked verified reviewed opened confirmed gesucht durchsucht recherchiert",
      ),
      ...splitWords(
        "geprüft überprüft geöffnet nachgesehen nachgeschaut busqué revisé comprobé verifiqué consulté",
      ),
      ...french("cherché vérifié consulté ouvert relu"),
      ...spanish("buscad revisad comprobad verificad abiert consultad"),
    ],
  ],
];

export const ACTION_FORMS: ReadonlyMap<string, ActionKind> = new Map(
  FORMS.flatMap(([kind, forms]) => forms.map((form): [string, ActionKind] => [form, kind])),
);

/**
 * Second meanings of verbs, each in the words that show it: "called off" cancels, and "pushed back" or "pushed to Friday" changes a day. A
 * reading replaces the kind of its verb in `ACTION_FORMS`.
 */
const READINGS: ReadonlyMap<string, readonly (readonly [words: RegExp, kind: ActionKind])[]> = new Map([
  ["went", [[/went (?:out|into the (?:post|mail))/iu, "send"]]],
  ["put", [[/(?:list|calendar|folder|file|notes?)(?!\p{L})/iu, "write"]]],
  [
    "made",
    [
      [
        /(?<!\p{L})made (?:an?|the|your) (?:\p{L}+ )?(?:reservation|booking|payment|purchase|donation)(?!\p{L})/iu,
        "order",
      ],
      [/(?<!\p{L})made (?:an?|the|your) (?:phone |video )?call(?!\p{L})/iu, "call"],
      [
        /(?<!\p{L})made (?:an?|the|your) (?:\p{L}+ )?(?:drawing|painting|photo|picture|sketch)(?!\p{L})/iu,
        "draw",
      ],
      [/(?:folder|file|copy|copies|backup|note|list|task)/iu, "write"],
    ],
  ],
  ["placed", [[/(?<!\p{L})placed (?:an?|the|your) (?:\p{L}+ )?(?:order|call)(?!\p{L})/iu, "order"]]],
  [
    "took",
    [
      [
        /(?<!\p{L})took (?:an?|the|your) (?:\p{L}+ )?(?:photo|photograph|picture|screenshot|selfie)(?!\p{L})/iu,
        "draw",
      ],
    ],
  ],
  [
    "drew",
    [
      [/(?<!\p{L})drew up(?!\p{L})/iu, "write"],
      [
        /(?<!\p{L})drew (?:on|upon|from|(?:the |a |my )?(?:conclusions?|line|comparison|distinction|attention|inspiration))(?!\p{L})/iu,
        "look",
      ],
    ],
  ],
  ["called", [[/(?<!\p{L})called (?:[^.;!?]*? )?off(?!\p{L})/iu, "cancel"]]],
  [
    "pushed",
    [
      [/(?<!\p{L})pushed (?:[^.;!?]*? )?(?:back|forward|ahead|out)(?!\p{L})/iu, "update"],
      [
        /(?<!\p{L})pushed (?:[^.;!?]*? )?(?:to|until|till|by) (?:the )?(?:\d|(?:next|the following|tomorrow|later|a day|a week|one|two|three|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*)/iu,
        "update",
      ],
    ],
  ],
]);

/** The kind of action that a verb claims in its clause. */
export const kindOf = (word: string, clause: string): ActionKind | undefined =>
  READINGS.get(word)?.find(([reading]) => reading.test(clause))?.[1] ?? ACTION_FORMS.get(word);

/** Which claims a call of a tool can support, by the words of the tool's name; programs and code can do anything local. */
const TOOL_WORDS: Readonly<Record<string, readonly ActionKind[]>> = {
  write: ["write", "update"],
  append: ["write", "update"],
  mkdir: ["write"],
  create: ["write", "schedule", "update"],
  add: ["write", "update"],
  insert: ["write", "update"],
  save: ["write", "update"],
  remember: ["write"],
  register: ["write", "update"],
  curate: ["write", "update"],
  todos: ["write", "update"],
  copy: ["write"],
  delete: ["delete", "move"],
  remove: ["delete"],
  cancel: ["cancel"],
  forget: ["delete"],
  move: ["move", "update", "delete", "write"],
  rename: ["move", "update"],
  update: ["update", "schedule", "write", "move"],
  edit: ["update", "write"],
  commit: ["write", "update"],
  schedule: ["schedule", "write"],
  execute: ["run", "write", "delete", "move", "update", "install", "download", "draw"],
  shell: ["run", "write", "delete", "move", "update", "install", "download", "draw"],
  run: ["run", "write", "delete", "move", "update", "install", "download", "draw"],
  send: ["send"],
  mail: ["send"],
  email: ["send"],
  notify: ["send"],
  message: ["send"],
  reply: ["send"],
  book: ["order"],
  order: ["order"],
  pay: ["order"],
  call: ["call"],
  push: ["publish"],
  upload: ["publish"],
  publish: ["publish"],
  post: ["publish", "send"],
  share: ["publish"],
  invite: ["publish", "send"],
  download: ["download", "look"],
  install: ["install"],
  print: ["install"],
  http: ["look", "download"],
};

export const kindsOfTool = (tool: string): readonly ActionKind[] =>
  tool
    .toLowerCase()
    .split(/[^a-z]+/u)
    .flatMap((word) => TOOL_WORDS[word] ?? []);

/** Other names for an action of a kind: a renamed file is moved and changed, a task set to tomorrow is rescheduled. */
const ALSO: Readonly<Partial<Record<ActionKind, readonly ActionKind[]>>> = {
  write: ["update"],
  delete: ["move"],
  move: ["update", "delete", "write"],
  update: ["schedule", "write", "move"],
  schedule: ["write", "update"],
};

/** Which claims the sentences can support in which skills report their outcomes: "Created out/a.md." */
export const kindsOfReports = (sentences: readonly string[]): readonly ActionKind[] =>
  sentences
    .flatMap((sentence) => {
      const first = /^(?:You will be )?(\p{L}+)/u.exec(sentence)?.[1]?.toLowerCase() ?? "";
      return first === "reminded" ? "schedule" : (ACTION_FORMS.get(first) ?? []);
    })
    .flatMap((kind) => [kind, ...(ALSO[kind] ?? [])]);

/**
 * What a call may do beyond its name: an overwritten file may lose parts, and a task or a schedule is cancelled by its status or by
 * its deletion.
 */
export function kindsOfEffect(
  tool: string,
  kinds: readonly ActionKind[],
  text: string,
): readonly ActionKind[] {
  return [
    ...(kinds.includes("write") && REWRITES.test(text) ? (["delete", "move"] as const) : []),
    ...(kinds.includes("write") && HOLDS_DRAWING.test(text) ? (["draw"] as const) : []),
    ...((kinds.includes("update") && SETS_CANCELLED.test(text)) || DELETES_RECORD.test(tool)
      ? (["cancel"] as const)
      : []),
  ];
}

const DELETES_RECORD = /^(?:task|schedule)_delete$/u;

const SETS_CANCELLED = /^status cancell?ed$/mu;

/** A picture that consists of text: SVG, HTML, a diagram in its language. */
const HOLDS_DRAWING =
  /\.(?:svg|html?|mmd|puml|dot|ps|eps|xpm)\b|<svg|<canvas|```(?:mermaid|dot|plantuml)|ascii/iu;

const REWRITES = /^(?:overwrite true|created false)$/mu;

const VERBS_WITHOUT_ACTION = oneOf(
  "check|look|search|tri|notic|assum|want|lik|us|bas|count|compar|sort|list|includ|skipp|ignor|limit|start|stopp",
  "finish|need|ask|mention|suggest|translat|summari[sz]|calculat|convert|round|work|combin|group|pick|rephras",
  "describ|explain|answer|learn|hop|enjoy|realis|realiz|consider|assess|review|analy[sz]|scann|open|match|filter",
  "miss|fail|attempt|stay|turn|fetch|avoid|decid|interpret|understood|kept|mean|chang",
);
/** Past forms of verbs of thinking, reading and writing an answer. */
export const NO_ACTION = new RegExp(`^${VERBS_WITHOUT_ACTION}(?:i?ed)$`, "u");
