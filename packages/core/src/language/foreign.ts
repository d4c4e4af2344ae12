import type { Grammar } from "./grammar.ts";
import type { Token } from "./tokens.ts";
import { FUNCTION_WORDS } from "./words.ts";

/** Words that other languages need for most sentences, and that are no English words. */
const OTHERS: ReadonlySet<string> = new Set(
  // Spanish, Portuguese
  (
    "el los las una unos que qué por para con mi mis cómo está cuál dónde muéstrame muestra crea añade borra lee escribe tarea tareas archivo archivos hola gracias favor " +
    "os uma meu minha meus minhas não você está quais onde cria adiciona apaga arquivo tarefa tarefas obrigado olá " +
    // French
    "le les des une mes mon ma dans avec pour est sont quelles quels où montre-moi montre crée ajoute supprime affiche fichier fichiers tâche tâches bonjour merci lis écris liste " +
    // German
    "der das ein eine einen einer meine meinen mein mir bitte ist sind und mit für von nicht wie wo wann zeige zeig erstelle erstell lösche lies schreibe schreib aufgabe aufgaben datei dateien danke welche morgen heute " +
    // Italian
    "il gli della mia mie miei sono che cosa dove mostra mostrami aggiungi elimina leggi scrivi attività ciao grazie " +
    // Dutch, Nordic
    "het een mijn zijn met voor niet hoe waar toon maak verwijder lees schrijf taken bestand bestanden dank " +
    "jeg jag ett mine mina ikke inte och og hva vad vis visa vise slett lag oppgave oppgaver uppgifter filer takk tack " +
    // Polish, Czech, Turkish
    "moje mój jest nie pokaż dodaj usuń plik zadanie zadania dziękuję ukaž přidej smaž soubor úkoly bana benim görev görevleri görevlerimi dosya göster ekle sil"
  ).split(" "),
);

/** True for a request in another language than English: most of its letters, or of its little words, are of another. */
export function isForeign(tokens: readonly Token[], grammar: Grammar): boolean {
  const words = tokens.filter(({ kind }) => kind === "word").map(({ text }) => text);
  const letters = words.join("").match(/\p{L}/gu)?.length ?? 0;
  const latin = words.join("").match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin < letters / 2) return true;
  const others = words.filter((word) => OTHERS.has(word)).length;
  const english = words.filter(
    (word) => !OTHERS.has(word) && (FUNCTION_WORDS.has(word) || grammar.vocabulary.has(word)),
  ).length;
  return others > english;
}
