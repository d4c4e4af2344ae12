/**
 * Common words that are one slip of the fingers away from a word of an order, and mean something else: "lost my tasks"
 * is not "list my tasks". Such a word is never taken for a slip. Found by comparing the vocabulary of the built-in
 * skills with a list of word frequencies; what is not here is guarded by the rules in `spelling.ts`.
 */
export const OTHER_WORDS: ReadonlySet<string> = new Set(
  (
    "abel alrighty bank bein bing brig brilliance brilliantly brother caller calmed cancer captains cath " +
    "chance charge cheated cheeks cold commandos commend comments compete complex composer concepts " +
    "concerts connects consent contacting contest contests context continents continuing convent creamed " +
    "crease cremated curtains dealing decline deer delicate ding directly director directors dong dose " +
    "ease editing ever exciting exit exits extent famished fiend fist fixtures flies flowing folded forge " +
    "forged forgot form fractures fried furnished futures gong greta hall halo hell incense insect " +
    "intruding kids late latter leading leaking leaning leaping lowe manny marker market masked massage " +
    "moaning mode mourning override parson persona pint popsicle raining rally regain reindeer remainder " +
    "remote retain reward rewind rise root scaring scored seating sequence sharing shouldn sick " +
    "skating skulls sore sorting sporting spying stabbing staging stalking stalling standing star starch " +
    "staring starling starring starter startled startling starved starving stat stated states stating " +
    "stats sterling stirring stoned stoop tank tanks thee thingy thorough three tile transform trough " +
    "understood whee wonderfully workplace writ"
  ).split(" "),
);
