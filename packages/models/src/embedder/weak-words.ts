import { stemOf } from "@metahuman/core/memory/text/stem";

/** Words of asking and of describing anything, by stem: they count half, because they rarely tell two texts apart. */
export const WEAK_STEMS: ReadonlySet<string> = new Set(
  (
    "get set find make give use need want know tell show list let see look say ask help like write create check take go put " +
    "thing way new one two first last provide include specify contain return given call valid request require example name " +
    "type kind data information value number text string option format default parameter function user optional"
  )
    .split(" ")
    .map(stemOf),
);
