/**
 * English words that say nothing about what a text is about. Left out of the index and of queries; other languages'
 * common words are weighed down by how many records hold them.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at by for from with as is are was were be been being am do does did done have has had having " +
    "i me my mine we us our ours you your yours he him his she her hers it its they them their theirs this that these those " +
    "and or but nor if then else so not no can could would will shall should may might must cannot dont doesnt didnt isnt " +
    "arent wasnt werent wont cant im ive youre whats what which who whom whose where when why how there here about into " +
    "onto over under up down out off again please just also very too than such only own same some any each all both more most " +
    "other upon per via still yet already ever"
  ).split(" "),
);
