import { DETERMINERS, PREPOSITIONS, PRONOUNS } from "./families.ts";
import { type Party, partyAt, partyOfSpeaker, type Transfer, findTransfer } from "./parties.ts";
import type { AlignedRequest } from "./value-borders.ts";
import { contradictsVoice } from "./voice.ts";

const transfers = new WeakMap<readonly string[], Transfer | undefined>();

/** The transfer that a request describes. A value may begin at an article or a number. */
function transferOf({ words }: Pick<AlignedRequest, "words">): Transfer | undefined {
  if (!transfers.has(words))
    transfers.set(
      words,
      findTransfer(
        words.map((word) => word.toLowerCase()),
        (at) => /^\d/u.test(words[at] ?? ""),
      ),
    );
  return transfers.get(words);
}

/** True if these words are the giver or receiver of the verb that this parameter takes: "Ines" in "gave Ines the cello". */
export function isPartyInTransfer(
  aligned: Pick<AlignedRequest, "words" | "concepts">,
  name: string,
  { from, to }: { from: number; to: number },
): boolean {
  const own = aligned.concepts.parties.ofSlots.get(name);
  const transfer = own && transferOf(aligned);
  if (own === undefined || transfer === undefined || aligned.words.slice(from, to).some(isFunctionWord))
    return false;
  const party = partyAt(transfer, { from, to });
  return party !== undefined && own.has(party);
}

const isFunctionWord = (word: string): boolean =>
  DETERMINERS.has(word.toLowerCase()) ||
  PRONOUNS.has(word.toLowerCase()) ||
  PREPOSITIONS.has(word.toLowerCase());

/** The maximum number of words of a receiver between the verb and what is given. */
const MAX_WORDS_OF_RECEIVER = 3;

/** True if what is given begins here, after its receiver: "the cello" of "gave Ines the cello". */
export function followsReceiver(
  aligned: Pick<AlignedRequest, "words" | "concepts">,
  name: string,
  from: number,
): boolean {
  const { words, concepts } = aligned;
  if (concepts.parties.ofSlots.size === 0 || concepts.parties.ofSlots.has(name)) return false;
  const transfer = transferOf(aligned);
  if (transfer === undefined || transfer.isPassive || transfer.kind === "receiver") return false;
  const article = DETERMINERS.has(words[from] ?? "") ? from : from - 1;
  const between = words.slice(transfer.verbAt + 1, article);
  return (
    DETERMINERS.has(words[article] ?? "") &&
    between.length > 0 &&
    between.length <= MAX_WORDS_OF_RECEIVER &&
    !between.some(isFunctionWord)
  );
}

/**
 * True if a request hands something over the other way than the function: "Omar gave me the cello" for "I gave the cello to
 * Ines", in any order of the words. A giver is distinguished from a receiver by the verb, by "to", "from" and "by", and by the place.
 */
export function isOtherWayRound(
  { words, concepts }: Pick<AlignedRequest, "words" | "concepts">,
  placed: readonly { name: string; from: number; to: number }[],
): boolean {
  if (contradictsVoice({ words, concepts }, placed)) return true;
  const { parties } = concepts;
  if (parties.ofSlots.size === 0 && parties.ofSpeaker.size === 0) return false;
  const plain = words.map((word) => word.toLowerCase());
  const transfer = findTransfer(plain, (at) => placed.some(({ from }) => from === at));
  if (
    transfer === undefined ||
    placed.some(({ from, to }) => from <= transfer.verbAt && transfer.verbAt < to)
  )
    return false;
  // "Invoice R-12 paid": it was paid, or it paid something.
  const { verbAt } = transfer;
  const isOpen = /^(?:[.,;!?]|please|pls)?$/u.test(plain[verbAt + 1] ?? "");
  if (isOpen && placed.some(({ to }) => to === verbAt)) return false;
  const speaker = partyOfSpeaker(transfer);
  const isOther = (own: ReadonlySet<Party> | undefined, party: Party | undefined): boolean =>
    own !== undefined && own.size > 0 && party !== undefined && !own.has(party);
  return (
    isOther(parties.ofSpeaker, speaker) ||
    placed.some(({ name, from, to }) => isOther(parties.ofSlots.get(name), partyAt(transfer, { from, to })))
  );
}
