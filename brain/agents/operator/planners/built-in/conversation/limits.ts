// The longest messages that readers read, in UTF-16 code units. A longer message is taken as a text, or as about something else.

/** An order, a question or a statement about one thing: the lines of a list, the rows of a table, a task, a file, a fact. */
export const MAX_ORDER = 200;
/** A calculation in words. */
export const MAX_CALCULATION = 120;
/** A request in which a date, a time or the name of a file is looked for. */
export const MAX_REQUEST = 300;
/** A request that holds a whole text, such as a letter or a list. */
export const MAX_REQUEST_WITH_TEXT = 2_000;
