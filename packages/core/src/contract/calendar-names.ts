/** From Sunday, as `Date.getDay` counts. */
export const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
/** "jan", "feb", …: the beginnings by which the names of months are recognized. */
export const SHORT_MONTHS = MONTHS.map((name) => name.slice(0, 3).toLowerCase());
