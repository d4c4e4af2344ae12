import { stemOf } from "../../text/words.ts";

/**
 * Everyday words for the same thing, one group per line; written for this project. A word with several everyday
 * meanings is in a group only if these meanings rarely meet in one person's memories.
 */
const SAME = `
  doctor physician gp
  dentist dental orthodontist
  optician optometrist
  vet veterinarian
  medicine medication drug pill tablet prescription
  pharmacy chemist drugstore apothecary
  hospital clinic
  illness disease sickness
  ill sick unwell
  injury wound
  vaccine vaccination jab inoculation
  allergy allergic intolerance intolerant
  glasses spectacles
  car automobile auto vehicle
  motorbike motorcycle
  bike bicycle cycle
  lorry truck
  petrol gasoline fuel
  garage workshop mechanic
  tyre tire
  licence license
  plate registration
  subway underground metro
  train railway rail
  plane airplane aircraft flight
  airport terminal
  ferry boat ship
  trip journey travel voyage
  holiday vacation
  hotel accommodation lodging
  luggage baggage suitcase
  ticket reservation booking
  book reserve
  home house
  flat apartment
  landlord landlady
  tenant lodger renter
  lift elevator
  cellar basement
  attic loft
  yard garden
  lawn grass
  tap faucet
  sofa couch settee
  cupboard wardrobe closet cabinet
  fridge refrigerator
  freezer deepfreeze
  stove cooker hob
  washer washing laundry
  vacuum hoover
  television tv telly
  mobile cellphone phone telephone smartphone
  laptop notebook computer pc
  wifi wlan wireless internet broadband
  router modem
  password passcode passphrase
  code pin combination
  heating heater boiler furnace radiator
  plumber plumbing
  electrician electric electrical
  carpenter joiner
  builder contractor
  cleaner housekeeper
  rubbish trash garbage waste
  bin dustbin
  repair fix mend
  broken damaged defective
  warranty guarantee
  mother mum mom mama
  father dad daddy papa
  child kid
  son boy
  daughter girl
  baby infant newborn
  wife spouse husband partner
  grandmother grandma granny nan
  grandfather grandpa grandad granddad
  aunt auntie
  relative family
  friend mate buddy pal
  neighbour neighbor
  colleague coworker workmate
  boss manager supervisor chief
  employer company firm
  job work occupation profession employment
  salary wage pay income earnings
  office workplace
  meeting appointment
  holiday leave
  birthday born birth
  wedding marriage married marry
  funeral burial
  party celebration celebrate
  gift present
  money cash
  cost price expense
  bill invoice
  mortgage loan
  insurance policy insurer insured
  fee charge
  cheap inexpensive affordable
  expensive costly pricey dear
  buy purchase bought
  shop store
  supermarket grocery groceries
  food meal dish
  dinner supper
  eat ate
  drink beverage
  sweet dessert pudding
  biscuit cookie
  crisps chips
  aubergine eggplant
  courgette zucchini
  coriander cilantro
  prawn shrimp
  vegetarian vegan meatless
  restaurant bistro
  cafe coffeehouse
  pub bar
  teacher tutor instructor
  nursery kindergarten preschool daycare
  university college
  pupil student
  exam test
  course class lesson
  homework assignment
  film movie
  cinema theatre theater
  novel book
  author writer
  song track
  band musicians
  concert gig
  football soccer
  gym fitness workout exercise
  run jog running jogging
  hike walk trek hiking
  swim swimming pool
  climb climbing mountaineering
  match game
  club team
  dog puppy
  cat kitten
  shoes trainers sneakers footwear
  trousers pants
  jumper sweater pullover
  coat jacket
  jewellery jewelry
  hobby pastime
  favourite favorite preferred prefer
  like love enjoy
  hate dislike detest
  fear afraid scared phobia
  begin start commence
  end finish
  keep store stored kept
  hide hidden
  lend lent borrow borrowed loan
  owe debt
  lose lost missing
  address street
  town city village
  country nation
  birthplace hometown
  nationality citizenship
  id identity passport
  post mail
  parcel package delivery
  email mail
  web website site
  picture photo photograph image
  chat talk conversation
  plan intention
  deadline due
  annual yearly
  quick fast
  big large
  small little
  nanny babysitter childminder sitter
  hairdresser barber hairstylist salon
  lawyer solicitor attorney
  accountant bookkeeper
  physio physiotherapist physiotherapy
  therapist counsellor counselor psychologist
  eyesight vision
  surname lastname
`;

/** A general word, then the specific words that answer a question about it. */
const KINDS = `
  pet: dog cat puppy kitten rabbit hamster parrot tortoise guinea
  child: son daughter
  kid: son daughter
  sibling: brother sister
  parent: mother father mum mom dad
  relative: aunt uncle cousin nephew niece
  vehicle: car van motorbike bike
  instrument: piano guitar violin cello flute drum trumpet
  sport: football tennis swimming climbing hockey badminton yoga
  language: english german french spanish italian finnish swedish
  eat: allergic allergy vegetarian vegan intolerant intolerance
  live: address street moved flat apartment
  tool: drill hammer saw ladder spanner
  furniture: sofa table chair desk shelf
  appliance: fridge dishwasher oven washer dryer kettle
  drink: coffee tea wine beer juice
  transport: bus train tram metro
  spouse: wife husband married
`;

/** How much an indexed synonym counts as a match of the word that was asked for. */
const SAME_WEIGHT = 0.7;
const KIND_WEIGHT = 0.5;

export interface Synonym {
  stem: string;
  weight: number;
}

const SYNONYMS: ReadonlyMap<string, readonly Synonym[]> = readTables();

/** The stems that mean nearly the same as a stem, without itself. */
export function synonymsOf(stem: string): readonly Synonym[] {
  return SYNONYMS.get(stem) ?? [];
}

function readTables(): Map<string, Synonym[]> {
  const synonyms = new Map<string, Map<string, number>>();
  const add = (word: string, other: string, weight: number): void => {
    const [stem, otherStem] = [stemOf(word), stemOf(other)];
    if (stem === otherStem) return;
    const known = synonyms.get(stem) ?? new Map<string, number>();
    known.set(otherStem, Math.max(weight, known.get(otherStem) ?? 0));
    synonyms.set(stem, known);
  };
  for (const group of wordsByLine(SAME))
    for (const word of group) for (const other of group) add(word, other, SAME_WEIGHT);
  for (const [general = "", ...specific] of wordsByLine(KINDS.replaceAll(":", "")))
    for (const other of specific) add(general, other, KIND_WEIGHT);
  return new Map(
    [...synonyms].map(([stem, others]) => [
      stem,
      [...others].map(([other, weight]) => ({ stem: other, weight })),
    ]),
  );
}

function wordsByLine(table: string): string[][] {
  return table
    .split("\n")
    .map((line) => line.trim().split(/\s+/).filter(Boolean))
    .filter((words) => words.length > 1);
}
