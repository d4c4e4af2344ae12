import { wholeWords } from "@metahuman/core/text/patterns";
import { isChange } from "./action-claims.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { type ObservedCall } from "./observed-calls.ts";
import { blank, contentWords, QUOTE, stem, significantWords } from "./mentions.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import { NEGATION } from "./vocabulary.ts";

/** "I'll remind you on Wednesday", "You will be reminded": only a schedule keeps this promise. */
const REMINDER = new RegExp(
  wholeWords(
    String.raw`i(?:['’]ll| will| shall|['’]m going to| am going to) (?:\p{L}+ )?remind you`,
    String.raw`you(?:['’]ll| will) (?:\p{L}+ )?(?:be reminded|(?:get|receive|have) (?:an?|the|your) (?:reminder|notification|alert))`,
    "ich erinnere (?:dich|sie)(?! daran, dass)|ich werde (?:dich|sie) (?:[^.!?]* )?erinnern",
    "du wirst (?:[^.!?]* )?erinnert|je (?:te|vous) (?:l[ea] )?rappellerai|te (?:l[oa] )?recordaré",
    "muistutan (?:sinua|teitä)|jag påminner dig|jeg minner deg|ti ricorderò",
    "ik (?:herinner je|zal je [^.!?]*herinneren)|vou (?:te lembrar|lembrar-te)|lembro-te",
  ),
  "iu",
);

/** "I'll let you know": a promise of a message at a later time only where the sentence names a time. */
const MESSAGE = new RegExp(
  wholeWords(
    String.raw`i(?:['’]ll| will| shall|['’]m going to| am going to) (?:\p{L}+ )?(?:(?:notify|alert|ping|nudge|message|text|email|mail|call|warn|prompt) you|let you know|send you (?:an?|the|your) (?:reminder|notification|message|alert|note))`,
    String.raw`you(?:['’]ll| will) (?:\p{L}+ )?(?:be (?:notified|alerted|told|informed)|hear (?:it )?from me|get word)`,
    "ich (?:benachrichtige|informiere) (?:dich|sie)",
    "ich werde (?:dich|sie) (?:[^.!?]* )?(?:benachrichtigen|informieren)|ich melde mich",
    "ich sage (?:dir|ihnen) bescheid|je (?:te|vous) (?:préviendrai|notifierai|avertirai)",
    "te (?:avisaré|notificaré)",
  ),
  "iu",
);

/** "I'll keep an eye on it", "I will keep you posted": only a schedule or a watch looks again after the run. */
const WATCHING = new RegExp(
  wholeWords(
    "i(?:['’]ll| will| shall|['’]m going to| am going to) (?:(?:also|now|then) )?(?:keep (?:an|my|a close) eye (?:out|on)|keep (?:watching|checking|monitoring)|keep you (?:posted|updated|informed)|watch (?:it|this|that|out|the|for|over|your)|monitor|check (?:back|again|regularly|daily|hourly|every)|look again|follow up)",
    "ich (?:behalte [^.!?]* im (?:auge|blick)|halte (?:dich|sie) auf dem laufenden)",
    "je (?:garde(?:rai)? un œil|(?:te|vous) tiendrai informée?s?)",
    "(?:estaré pendiente|te mantendré (?:al tanto|informad[oa]))",
  ),
  "iu",
);

/** "I also set a reminder for the evening before", "A reminder is set" */
const MADE_REMINDER = new RegExp(
  wholeWords(
    String.raw`i(?:['’]ve| have)? (?:(?:also|now|then|already) )*(?:set(?: up)?|created|added|scheduled|made|put in) (?:you )?(?:an?|the|your|another|one|two|three|\d+) (?:\p{L}+ ){0,2}(?:reminders?|alarms?)`,
    "(?:reminders?|alarms?) (?:[^.,;:!?]{1,60} )?(?:is|are|has been|have been|was|were) (?:(?:also|now|already) )*(?:set(?: up)?|created|added|scheduled|ready|active|in place)",
    String.raw`(?:with|and|including|plus) (?:an?|the|your) (?:\p{L}+ ){0,2}reminders? (?:(?:in|for|at|on|the|an?|half|one|two|\d+) )*(?:\p{L}+ )?(?:morning|evening|noon|night|day|hours?|minutes?|week|before|earlier|\d)`,
    "ich habe (?:[^.!?]* )?erinnerung(?:en)? (?:[^.!?]* )?(?:gesetzt|gestellt|erstellt|eingerichtet|eingestellt|angelegt|hinzugefügt|eingetragen)",
    String.raw`j['’]ai (?:\p{L}+ )?(?:mis|créé|programmé|ajouté) (?:un|le|deux) rappels?`,
    "he (?:puesto|creado|programado|añadido) (?:un|el|dos) recordatorios?",
  ),
  "iu",
);

/** A condition that is not the person's or the operator's own doing: "as soon as something new appears". */
const WAITS_FOR =
  /(?<!\p{L})(?:as soon as|whenever|when|once|if|in case|sobald|wenn|dès que|en cuanto|cuando) (?!(?:you|i|we|du|sie|ich|wir|tu|vous|je)(?!\p{L}))\p{L}/iu;

/** A condition of the person's own: "if you like". */
const UP_TO_YOU =
  /(?<!\p{L})(?:if|unless|once|when|whenever|as soon as|wenn|falls|sobald|si|dès que|cuando) (?:you|du|sie|tu|vous|quieres|needed|necessary|nötig|gewünscht)(?!\p{L})/iu;

/** "It starts again on 14 December" */
const RESUMES = new RegExp(
  wholeWords(
    "(?:starts?|runs?|begins?|resumes?|restarts?|continues?|comes?|goes?|is|are|be|switch(?:ed)?|turn(?:ed)?) (?:[^.;!?]{0,40} )?(?:again|back)",
    "resumes?|restarts?|resumed|unpaused?|reactivated?|(?:startet|läuft|beginnt) [^.;!?]{0,40}wieder",
    "reprend(?:ra)?|se reanuda(?:rá)?",
  ),
  "iu",
);

/** A task of which the person will be reminded. */
const REMINDS = /^remindedat \d/mu;

const PAUSED = /^(?:action pause|enabled false)$/mu;

const CONDITIONAL_REMINDER = /(?<!\p{L})(?:if|unless|once|wenn|falls|sobald|si|dès que|cuando)(?!\p{L})/iu;

const REMINDER_WORD = /remind|notif|alert|erinner|benachrichtig|rappel|recordatorio|aviso/iu;

/** The words of a sentence that promise something at a later time. */
function promiseIn(text: string, calls: readonly ObservedCall[]): string | undefined {
  const watching = WATCHING.exec(text)?.[0] ?? (WAITS_FOR.test(text) ? MESSAGE.exec(text)?.[0] : undefined);
  if (watching !== undefined) return UP_TO_YOU.test(text) ? undefined : watching;
  if (CONDITIONAL_REMINDER.test(text)) return undefined;
  if (!namesTime(text)) return REMINDER.exec(text)?.[0];
  const isPaused = calls.some((call) => call.success && PAUSED.test(call.text));
  return (REMINDER.exec(text) ?? MESSAGE.exec(text) ?? (isPaused ? RESUMES.exec(text) : null))?.[0];
}

/**
 * A promise of a reminder, of watching something or of starting it again, or a reminder that is said to be set, although no call set
 * it for later, and nothing of the kind is known.
 */
export function unsetReminders(text: string, evidence: PreparedEvidence): Problem[] {
  if (text.includes("?") || NEGATION.test(text)) return [];
  const { calls } = evidence;
  const promised = promiseIn(text, calls);
  if (promised !== undefined)
    return isSetOrKnown(text, evidence)
      ? []
      : [refuted(`"${promised}" is promised, and no call set it for later.`)];
  const made = MADE_REMINDER.exec(text)?.[0];
  if (made === undefined || CONDITIONAL_REMINDER.test(text) || isSetOrKnown(text, evidence)) return [];
  const problem = `"${made}" is claimed, and no call set one.`;
  // A task, or a line of a file, may be meant.
  return [calls.some(makesRecord) ? doubted(problem) : refuted(problem)];
}

const makesRecord = (call: ObservedCall): boolean => isChange(call) && call.tool !== "memory_remember";

/** True if a call set something for later, or if a reminder of the same thing is known. */
function isSetOrKnown(text: string, { calls, source }: PreparedEvidence): boolean {
  const about = topicOf(`${text}\n${source.request}`);
  const isAbout = (known: string): boolean => significantWords(known).some((word) => about.has(stem(word)));
  // A list of schedules shows a reminder only where it contains one about the same thing.
  const isSet = calls.some(
    ({ success, tool, text: shown }) =>
      success &&
      ((/remind|schedule_(?:create|update)|web_watch/u.test(tool) && !PAUSED.test(shown)) ||
        REMINDS.test(shown) ||
        (/schedule_list/u.test(tool) && isAbout(shown))),
  );
  const isKnown = [
    ...source.memories,
    ...(source.known ?? []),
    ...source.conversation.filter(({ role }) => role === "operator").map(({ text }) => text),
  ]
    .flatMap((known) => known.split(/\n|(?<=[.!?])\s/u))
    .some((known) => REMINDER_WORD.test(known) && isAbout(known));
  return isSet || isKnown;
}

/** "in an hour", "later today" */
const SOME_TIME = new RegExp(
  wholeWords(
    String.raw`in (?:an?|half an|a few|some|two|three|\d+) (?:hours?|minutes?|moments?|days?|weeks?|while)|later`,
    "tonight|soon|every (?:day|hour|morning|evening|week)|in einer stunde|später|dans une heure|plus tard",
    "en una hora|más tarde",
  ),
  "iu",
);

/** True when the text names a day or a time. */
function namesTime(text: string): boolean {
  if (SOME_TIME.test(text)) return true;
  const { days, weekdays, times, relative, months } = quantitiesIn(text.replaceAll(QUOTE, blank));
  return [days, weekdays, times, relative, months].some(({ length }) => length > 0);
}

/** Stems of the words that say what a reminder is for and when, without the words of reminding itself. */
const topicOf = (text: string): Set<string> =>
  new Set(
    contentWords(text)
      .filter((word) => !REMINDER_WORD.test(word) && !PROMISE_WORDS.has(word))
      .map(stem),
  );

const PROMISE_WORDS: ReadonlySet<string> = new Set(
  "will shall please let know get receive have ping send message text call email mail warn set schedule scheduled schedules about bitte werde dich mich ich".split(
    " ",
  ),
);
