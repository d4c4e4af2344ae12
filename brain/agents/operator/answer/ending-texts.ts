import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { knownLanguageOf } from "./answer-language.ts";

/** The operator's own sentences at the end of a run that was not finished. */
export interface EndingTexts {
  stopped(steps: number): string;
  stuck(reason: string): string;
  failed(error: Pick<ErrorDetail, "message" | "suggestions">): string;
  /** Why the model's call failed. */
  modelFailed(message: string): string;
  untilThen: string;
  answerEnds: string;
  doneUntilThen: string;
  notDone: string;
  nothingChanged: string;
  /** What to do after a reply that broke off, and after a model that could not be reached. */
  askAgain: string;
  whenBack: string;
}

const adviceOf = ({ suggestions }: Pick<ErrorDetail, "suggestions">): string =>
  suggestions?.length ? ` ${suggestions.join(" ")}` : "";

/** Messages and reasons are in English: they go into parentheses after a sentence in the language of the person. */
const TEXTS = {
  English: {
    stopped: (steps) =>
      `This request is not finished: it used ${steps === 1 ? "the one step" : `all ${String(steps)} steps`} that it may take. Choose Continue to go on with it.`,
    stuck: (reason) => `This request was not finished, because it went in circles. ${reason}`,
    failed: (error) => `This request could not be finished. ${error.message}${adviceOf(error)}`,
    modelFailed: (message) => message,
    untilThen: "Until then:",
    answerEnds: "The answer ends here.",
    doneUntilThen: "Done until then:",
    notDone: "Not done: whatever else this request asks for.",
    nothingChanged: "Nothing was changed.",
    askAgain: "Choose Continue to ask again.",
    whenBack: "Choose Continue when the model is back.",
  },
  German: {
    stopped: (steps) =>
      `Diese Anfrage ist nicht fertig: ${steps === 1 ? "der eine erlaubte Schritt ist" : `alle ${String(steps)} erlaubten Schritte sind`} verbraucht. Mit „Continue“ geht es weiter.`,
    stuck: (reason) => `Diese Anfrage wurde nicht fertig, weil sie sich im Kreis drehte. (${reason})`,
    failed: (error) =>
      `Diese Anfrage konnte nicht abgeschlossen werden. (${error.message}${adviceOf(error)})`,
    modelFailed: (message) => `Das Sprachmodell hat nicht richtig geantwortet. (${message})`,
    untilThen: "Bis dahin:",
    answerEnds: "Hier endet die Antwort.",
    doneUntilThen: "Bis dahin erledigt:",
    notDone: "Nicht erledigt: alles andere, worum diese Anfrage bittet.",
    nothingChanged: "Es wurde nichts geändert.",
    askAgain: "Mit „Continue“ wird noch einmal gefragt.",
    whenBack: "Mit „Continue“ geht es weiter, sobald das Modell wieder da ist.",
  },
  French: {
    stopped: (steps) =>
      `Cette demande n'est pas terminée : ${steps === 1 ? "la seule étape permise est utilisée" : `les ${String(steps)} étapes permises sont utilisées`}. « Continue » permet de la poursuivre.`,
    stuck: (reason) => `Cette demande n'a pas été terminée, car elle tournait en rond. (${reason})`,
    failed: (error) => `Cette demande n'a pas pu être terminée. (${error.message}${adviceOf(error)})`,
    modelFailed: (message) => `Le modèle n'a pas répondu correctement. (${message})`,
    untilThen: "Jusque-là :",
    answerEnds: "La réponse s'arrête ici.",
    doneUntilThen: "Fait jusque-là :",
    notDone: "Pas fait : tout le reste de cette demande.",
    nothingChanged: "Rien n'a été modifié.",
    askAgain: "« Continue » pose de nouveau la question.",
    whenBack: "« Continue » reprend la demande quand le modèle est de retour.",
  },
  Spanish: {
    stopped: (steps) =>
      `Esta petición no está terminada: ${steps === 1 ? "ya se usó el único paso permitido" : `ya se usaron los ${String(steps)} pasos permitidos`}. Con «Continue» se sigue con ella.`,
    stuck: (reason) => `Esta petición no se terminó, porque daba vueltas en círculo. (${reason})`,
    failed: (error) => `No se pudo terminar esta petición. (${error.message}${adviceOf(error)})`,
    modelFailed: (message) => `El modelo no respondió bien. (${message})`,
    untilThen: "Hasta entonces:",
    answerEnds: "La respuesta termina aquí.",
    doneUntilThen: "Hecho hasta entonces:",
    notDone: "Sin hacer: todo lo demás que pide esta petición.",
    nothingChanged: "No se cambió nada.",
    askAgain: "Con «Continue» se pregunta de nuevo.",
    whenBack: "Con «Continue» se sigue cuando el modelo vuelva.",
  },
} satisfies Record<string, EndingTexts>;

/** The request and the turns before it, oldest first, which tell the language of the person. */
interface RequestInConversation {
  request: string;
  conversation: { turns: readonly { role: string; text: string }[] };
}

/** The sentences in the language of the request, or of what the person said before, where it is certain; else in English. */
export function endingTexts({ request, conversation }: RequestInConversation): EndingTexts {
  const before = conversation.turns.flatMap(({ role, text }) => (role === "person" ? [text] : []));
  const messages = [request, ...before.toReversed()];
  return TEXTS[messages.map(knownLanguageOf).find((language) => language !== undefined) ?? "English"];
}
