import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import { installedSkills } from "@metahuman/skills/installed";
import { skillGrammar } from "@metahuman/skills/skill-card";
import { describe, expect, it } from "vitest";
import { learned } from "../../testing/learned-recipe.ts";

const options = {
  now: new Date("2026-11-22T10:00:00Z"),
  timeZone: "Europe/Oslo",
  skillGrammars: installedSkills.map(skillGrammar),
};
const FILM = learned(
  "film",
  ["add the film Alien to my watchlist", "add the film {title} to my watchlist"],
  { title: ["string", "Alien"] },
  [["fs_append", { path: "lists/films.md", text: "- ${title}\n" }]],
);
const WIFI = learned(
  "wifi",
  ["remember the wifi password of Cafe Luna: moonbeam7", "remember the wifi password of {place}: {password}"],
  { place: ["string", "Cafe Luna"], password: ["string", "moonbeam7"] },
  [["memory_remember", { text: "wifi password of ${place}: ${password}" }]],
);
const PIANO = learned(
  "piano",
  ["book a guitar result with Ms Ortega on 2026-12-03", "book a {subject} result with {teacher} on {day}"],
  { subject: ["string", "guitar"], teacher: ["string", "Ms Ortega"], day: ["date", "2026-12-03"] },
  [["task_create", { title: "${subject} result with ${teacher}", due: "${day}" }]],
);
const MENU = learned(
  "menu",
  [
    "fetch the menu of https://mensa.example.org/today and save it as lunch",
    "fetch the menu of {url} and save it as {name}",
  ],
  { url: ["string", "https://mensa.example.org/today"], name: ["string", "lunch"] },
  [
    ["http_get", { url: "${url}" }],
    ["fs_write", { path: "menus/${name}.txt", content: "${steps.1.body}" }],
  ],
);
const MILEAGE = learned(
  "mileage",
  ["log 42 km for the client Hartmann", "log {km} km for the client {client}"],
  { km: ["number", "42"], client: ["string", "Hartmann"] },
  [["fs_append", { path: "mileage.csv", text: "${client},${km}\n" }]],
);
const RETURN = learned(
  "return",
  [
    "remind me to return the book Momo to the library by 2026-12-09",
    "remind me to return the book {book} to the library by {day}",
  ],
  { book: ["string", "Momo"], day: ["date", "2026-12-09"] },
  [["task_create", { title: "return ${book} to the library", due: "${day}" }]],
);
const VISITORS = learned(
  "visitors",
  ["expect 4 visitors from Siemens on 2026-12-01", "expect {count} visitors from {company} on {day}"],
  { count: ["number", "4"], company: ["string", "Siemens"], day: ["date", "2026-12-01"] },
  [["fs_append", { path: "visitors.md", text: "- ${day}: ${count} from ${company}\n" }]],
);
const QUOTE = learned(
  "quote",
  ["start a quote for a bookcase for Lindqvist", "start a quote for a {item} for {customer}"],
  { item: ["string", "bookcase"], customer: ["string", "Lindqvist"] },
  [["task_create", { title: "quote for ${customer}: ${item}" }]],
);
const PRESSURE = learned(
  "pressure",
  ["log blood pressure 128 over 82", "log blood pressure {systolic} over {diastolic}"],
  { systolic: ["number", "128"], diastolic: ["number", "82"] },
  [["fs_append", { path: "pressure.csv", text: "${systolic},${diastolic}\n" }]],
);
const LEND = learned(
  "lend",
  ["I lent The Hobbit to Marta", "I lent {book} to {person}"],
  { book: ["string", "The Hobbit"], person: ["string", "Marta"] },
  [["fs_append", { path: "lent.md", text: "- ${book}: ${person}\n" }]],
);
const BILL = learned(
  "bill",
  [
    "invoice 2231 from Nordholz, 480 euros, due 12 december",
    "invoice {number} from {supplier}, {amount} euros, due {due}",
  ],
  {
    number: ["string", "2231"],
    supplier: ["string", "Nordholz"],
    amount: ["number", "480"],
    due: ["date", "2026-12-12"],
  },
  [["task_create", { title: "pay invoice ${number} from ${supplier}: ${amount} euros", due: "${due}" }]],
);
const CLUB = [QUOTE, PRESSURE, LEND, BILL, FILM, WIFI, PIANO, MENU, MILEAGE, RETURN, VISITORS];

const BRUSHED = learned(
  "brushed",
  ["note that I brushed the goat for 15 minutes", "note that I brushed the {animal} for {minutes} minutes"],
  { animal: ["string", "goat"], minutes: ["number", "15"] },
  [["fs_append", { path: "farm/brushing.md", text: "- ${animal}: ${minutes} min\n" }]],
);
const HEATING = learned(
  "heating",
  ["set the heating to 20 degrees", "set the heating to {degrees} degrees"],
  { degrees: ["number", "20"] },
  [["json_update", { path: "heating.json", set: "target = ${degrees}" }]],
);
const BOAT = learned(
  "boat",
  ["hire the boat Molly for 3 hours", "hire the boat {boat} for {hours} hours"],
  { boat: ["string", "Molly"], hours: ["number", "3"] },
  [["fs_append", { path: "boats.csv", text: "${boat},${hours}\n" }]],
);
const GIG = learned(
  "gig",
  ["log the concert of Lankum in Bergen", "log the concert of {band} in {town}"],
  { band: ["string", "Lankum"], town: ["string", "Bergen"] },
  [["fs_append", { path: "concerts.md", text: "- ${band}: ${town}\n" }]],
);
const RECITAL = learned(
  "recital",
  [
    "plan a quartet recital on 2026-12-03 in the Villa Stenersen",
    "plan a quartet recital on {day} in the {place}",
  ],
  { day: ["date", "2026-12-03"], place: ["string", "Villa Stenersen"] },
  [["task_create", { title: "quartet recital: ${place}", due: "${day}" }]],
);
const WALK = learned(
  "walk",
  ["Nils walks the dog Bella on 2026-12-03", "{person} walks the dog {dog} on {day}"],
  { person: ["string", "Nils"], dog: ["string", "Bella"], day: ["date", "2026-12-03"] },
  [["task_create", { title: "${person}: ${dog}", due: "${day}" }]],
);
const TERM = learned(
  "term",
  ["add the sailing term keel meaning bottom", "add the sailing term {term} meaning {meaning}"],
  { term: ["string", "keel"], meaning: ["string", "bottom"] },
  [["fs_append", { path: "terms.md", text: "- ${term}: ${meaning}\n" }]],
);
const LETTER = learned(
  "letter",
  ["collect letter QX77 from Dalby", "collect letter {code} from {sender}"],
  { code: ["string", "QX77"], sender: ["string", "Dalby"] },
  [["task_create", { title: "letter ${code} from ${sender}" }]],
);

describe("requests that follow no template", () => {
  const first = (say: string) => {
    const { match, likely } = matchRecipe(say, CLUB, options);
    const found = match ?? likely[0];
    return found && { id: found.function.id, values: found.values };
  };

  it.each([
    ["another thing of the function", "stick Perfect Days on my watchlist", { title: "Perfect Days" }],
    [
      "a value before its thing",
      "I need a piano result with Mr Bell on friday",
      { subject: "piano", teacher: "Mr Bell", day: "2026-11-27" },
    ],
    [
      "the day before the order",
      "on december 8 book a cello result with Ada Wong",
      { subject: "cello", teacher: "Ada Wong", day: "2026-12-08" },
    ],
    [
      "a verb where the template has a colon",
      "the wifi password of Hotel Adria is sunny-side, keep it in mind",
      { place: "Hotel Adria", password: "sunny-side" },
    ],
    [
      "an address that is to be got",
      "get the menu from https://canteen.example.com/week and store it as week48",
      { url: "https://canteen.example.com/week", name: "week48" },
    ],
    ["its thing, a value and its measure", "client Meyer: 88 km", { km: 88, client: "Meyer" }],
    [
      "all that it is about, and no order",
      "guitar result with Viktor on 5 december",
      { subject: "guitar", teacher: "Viktor", day: "2026-12-05" },
    ],
    [
      "two names in another order, told apart by a capital",
      "make a quote for Petersen, a wardrobe",
      { item: "wardrobe", customer: "Petersen" },
    ],
    [
      "what a person is, before the name",
      "I need a quote for a desk for a new client, Olaf Berg",
      { item: "desk", customer: "Olaf Berg" },
    ],
    ["two numbers with a slash between them", "blood pressure 119/76", { systolic: 119, diastolic: 76 }],
    [
      "what has been done",
      "Persuasion has been lent to Mrs Oduya",
      { book: "Persuasion", person: "Mrs Oduya" },
    ],
    [
      "a number of digits beside an amount, each named",
      "Please enter an invoice: number 19, supplier Oskarsson, 300 euros, due 5 December.",
      { number: "19", supplier: "Oskarsson", amount: 300, due: "2026-12-05" },
    ],
  ])("are understood with %s", (_why, say, values) => {
    expect(first(say)?.values).toEqual(values);
  });

  it.each([
    ["the opposite verb", "forget the wifi password of Cafe Luna"],
    ["a verb that no list has", "extend the book Momo at the library until 2026-12-09"],
    ["another thing between the same words", "remember the door code of Cafe Luna: 4711"],
    ["a verb that only sounds like the thing", "book a table for two with Ms Ortega on 2026-12-03"],
    ["something that was called off", "the 4 visitors from Siemens on 2026-12-01 are cancelled"],
    ["one thing more", "log 42 km for the client Hartmann and the way back"],
    ["a second value of each kind", "I lent The Hobbit to Marta and Emma to Jonas"],
    ["another currency", "invoice 2231 from Nordholz, 480 dollars, due 12 december"],
    ["how often", "I lent The Hobbit to Marta twice"],
    ["the way back", "lend The Hobbit back to Marta"],
    ["half of the thing's name", "log blood sugar 128 over 82"],
    ["one order more", "start a quote for a bookcase for Lindqvist and mail it"],
    ["a choice that is open", "book a guitar or piano result with Ms Ortega on friday, whichever is cheaper"],
  ])("match no function with %s", (_why, say) => {
    expect(first(say)).toBeUndefined();
  });

  it("are not certain where they report what has not happened", () => {
    const match = (say: string) => matchRecipe(say, [BRUSHED], options);
    expect(match("note that I brushed the pony for 20 minutes").match?.values).toEqual({
      animal: "pony",
      minutes: 20,
    });
    for (const modal of ["must", "should", "want to", "have to"])
      expect(match(`note that I ${modal} brush the pony for 20 minutes`).match).toBeUndefined();
  });

  it("are not certain where they describe a state instead of a task", () => {
    expect(matchRecipe("the heating is at 20 degrees", [HEATING], options).match).toBeUndefined();
    expect(matchRecipe("the heating at 20 degrees", [HEATING], options).match?.values).toEqual({
      degrees: 20,
    });
  });

  it.each([
    ["a verb", "rent the boat Tilda for 2 hours", { boat: "Tilda", hours: 2 }],
    ["a thing", "log the gig of Ye Vagabonds in Oslo", { band: "Ye Vagabonds", town: "Oslo" }],
  ])(
    "are offered and not certain where %s is named by another word of the same meaning",
    (_why, say, values) => {
      const { match, likely } = matchRecipe(say, [BOAT, GIG], options);
      expect(match).toBeUndefined();
      expect(likely[0]?.values).toEqual(values);
    },
  );

  it.each([
    ["the opposite", "I borrowed The Hobbit from Marta", [LEND]],
    ["a near thing that is another one", "log the rehearsal of Lankum in Bergen", [GIG]],
    ["several of the thing", "log the gigs of Lankum in Bergen", [GIG]],
    ["what has been done already", "rented the boat Tilda for 2 hours yesterday", [BOAT]],
  ])("match no function where a word means %s", (_why, say, club) => {
    expect(matchRecipe(say, club, options)).toMatchObject({ likely: [] });
    expect(matchRecipe(say, club, options).match).toBeUndefined();
  });

  it.each([
    [
      "a reason at the end",
      "plan a quartet recital on friday in the library because the chapel is being heated",
      { day: "2026-11-27", place: "library" },
    ],
    [
      "a place after another preposition",
      "schedule a quartet recital at Anna's farm on friday",
      { day: "2026-11-27", place: "Anna's farm" },
    ],
    [
      "a number put right without a pause",
      "hire the boat Tilda for 2 no sorry 4 hours",
      { boat: "Tilda", hours: 4 },
    ],
    [
      "the verb in the form of what goes on",
      "Ingrid is walking the dog Rex on friday",
      { person: "Ingrid", dog: "Rex", day: "2026-11-27" },
    ],
    [
      "a word more before what leads to a value",
      "add the sailing term bow with the meaning front",
      { term: "bow", meaning: "front" },
    ],
    ["a code where the name should be", "collect letter Tveit from TT90", { code: "TT90", sender: "Tveit" }],
    [
      "another one of what it adds",
      "add another sailing term: bow meaning front",
      { term: "bow", meaning: "front" },
    ],
    [
      "a pronoun that takes the value up",
      "add the sailing term: bow, it means front",
      { term: "bow", meaning: "front" },
    ],
    ["a code at the end", "there's a letter from Tveit, code TT90", { code: "TT90", sender: "Tveit" }],
  ])("bind the right values with %s", (_why, say, values) => {
    const { match, likely } = matchRecipe(say, [RECITAL, BOAT, WALK, TERM, LETTER], options);
    expect((match ?? likely[0])?.values).toEqual(values);
  });

  it("are offered, and not replayed, where a thing and all values are named, but no action", () => {
    const { match, likely } = matchRecipe("there's a letter coming from Tveit, code TT90", [LETTER], options);
    expect([match, likely[0]?.values]).toEqual([undefined, { code: "TT90", sender: "Tveit" }]);
  });

  it.each([
    ["another thing than the second half of the name", "plan a quartet dinner on friday in the library"],
    ["an order to ask", "test me on the sailing term bow meaning front"],
    ["“another” where the value is missing", "add another sailing term meaning front"],
  ])("match no function with %s", (_why, say) => {
    const { match, likely } = matchRecipe(say, [RECITAL, TERM], options);
    expect([...likely, ...(match ? [match] : [])]).toEqual([]);
  });
});

describe("requests in the frame of a function", () => {
  const WATCH = learned(
    "watch",
    ["log the watch: wind NW 6, sight 4 miles", "log the watch: wind {wind}, sight {sight}"],
    { wind: ["string", "NW 6"], sight: ["string", "4 miles"] },
    [["fs_append", { path: "watch.md", text: "- ${wind} ${sight}\n" }]],
  );
  const FAULT = learned(
    "fault",
    ["report a fault on van 12: left door sticks", "report a fault on van {van}: {fault}"],
    { van: ["number", "12"], fault: ["string", "left door sticks"] },
    [["task_create", { title: "Van ${van}: ${fault}" }]],
  );
  const CLIENT = learned(
    "client",
    [
      "open a client folder for Brandt for the year 2025",
      "open a client folder for {client} for the year {year}",
    ],
    { client: ["string", "Brandt"], year: ["number", "2025"] },
    [["fs_mkdir", { path: "clients/${client}/${year}" }]],
  );
  const TIDES = learned(
    "tides",
    ["read me the tide table for Porthleven", "read me the tide table for {harbour}"],
    { harbour: ["string", "Porthleven"] },
    [["fs_read", { path: "tides/${harbour}.md" }]],
  );
  it.each([
    [
      "one letter before a number",
      "log the watch: wind S 3, sight 8 miles",
      { wind: "S 3", sight: "8 miles" },
    ],
    [
      "“the following”",
      "please report for van 15 the following fault: horn mute",
      { van: 15, fault: "horn mute" },
    ],
    [
      "“one” that is no number",
      "client folder Petrov 2024 please, open one",
      { client: "Petrov", year: 2024 },
    ],
    ["a question for what it shows", "what does the tide table for Padstow say?", { harbour: "Padstow" }],
  ])("bind the right values with %s", (_why, say, values) => {
    const { match, likely } = matchRecipe(say, [WATCH, FAULT, CLIENT, TIDES], options);
    expect((match ?? likely[0])?.values).toEqual(values);
  });

  it("match no function that shows a thing with a question why it says something", () => {
    const { match, likely } = matchRecipe("why does the tide table for Padstow say so?", [TIDES], options);
    expect([...likely, ...(match ? [match] : [])]).toEqual([]);
  });
});
