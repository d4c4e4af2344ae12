/**
 * The source of `scan.wasm` in the text format of WebAssembly: it compares one vector with many on 128-bit SIMD. Where many
 * rows are read, several places in memory are read side by side, because the processor fetches them in parallel.
 */
export function scanSource(): string {
  return `(module (import "scan" "memory" (memory 1)) ${rotate} ${encode} ${sumSigns()} ${select} ${multiply()} ${multiplyPacked()} ${sumOfFour})`;
}

/** The places that are read side by side; the number of blocks is a multiple of it. Four take half as long again. */
export const SIGN_STREAMS = 8;
/** Rows that are far from each other are waited for: 24 side by side take half the time of 8, and rows in order as long. */
export const ROW_STREAMS = 24;
/** The groups whose values are added as bytes, each at most 63, before the sums get 16 bits. */
export const GROUPS_AT_ONCE = 4;

/**
 * `sumSigns(tables, groups, codes, share, sums)`: sums over the signs of rows, 16 bits each.
 *
 * - `codes`: the address of 8 × `share` blocks of 32 rows. A block has 16 bytes for every group of four numbers: byte n
 *   has the signs of row n in its low four bits, and those of row n + 16 in its high four.
 * - `tables`: the address of 16 bytes for each group: what each combination of four signs adds, at most 63.
 * - `groups`: their number, a multiple of four.
 * - `sums`: the address for the sums, in the order of the rows.
 */
function sumSigns(): string {
  const streams = range(SIGN_STREAMS);
  const declared = (type: string, ...names: string[]): string =>
    names.map((name) => `(local $${name} ${type})`).join(" ");
  /** A sum has even rows and odd ones times 256, until the odd ones are subtracted. */
  const sums = streams.flatMap((stream) =>
    ["both", "odd"].flatMap((kind) => [`${kind}_low${stream}`, `${kind}_high${stream}`]),
  );
  const addGroup = (group: number, stream: number): string => {
    const offset = `offset=${16 * group}`;
    const low = `(i8x16.relaxed_swizzle (local.get $values) (v128.and (local.get $code) (local.get $four_bits)))`;
    const high = `(i8x16.relaxed_swizzle (local.get $values)
      (v128.and (i16x8.shr_u (local.get $code) (i32.const 4)) (local.get $four_bits)))`;
    const added = (to: string, value: string): string =>
      `(local.set $${to} ${group === 0 ? value : `(i8x16.add (local.get $${to}) ${value})`})`;
    return `(local.set $code (v128.load ${offset} (local.get $codes${stream})))
      ${added(`low${stream}`, low)} ${added(`high${stream}`, high)}`;
  };
  const widen = (half: string, stream: number): string => `
    (local.set $both_${half}${stream} (i16x8.add (local.get $both_${half}${stream}) (local.get $${half}${stream})))
    (local.set $odd_${half}${stream} (i16x8.add (local.get $odd_${half}${stream})
      (i16x8.shr_u (local.get $${half}${stream}) (i32.const 8))))`;
  const store = (half: string, offset: number, stream: number): string => `
    (local.set $code (i16x8.sub (local.get $both_${half}${stream})
      (i16x8.shl (local.get $odd_${half}${stream}) (i32.const 8))))
    (v128.store offset=${offset} (local.get $sums${stream})
      (i8x16.shuffle 0 1 16 17 2 3 18 19 4 5 20 21 6 7 22 23 (local.get $code) (local.get $odd_${half}${stream})))
    (v128.store offset=${offset + 16} (local.get $sums${stream})
      (i8x16.shuffle 8 9 24 25 10 11 26 27 12 13 28 29 14 15 30 31 (local.get $code) (local.get $odd_${half}${stream})))`;

  return `(func (export "sumSigns")
    (param $tables i32) (param $groups i32) (param $codes i32) (param $share i32) (param $sums i32)
    ${declared("i32", "table", "end", "codes_gap", "sums_gap")}
    ${declared("i32", ...streams.flatMap((stream) => [`codes${stream}`, `sums${stream}`]))}
    ${declared("v128", "values", "code", "four_bits", ...sums)}
    ${declared("v128", ...streams.flatMap((stream) => [`low${stream}`, `high${stream}`]))}
    (local.set $four_bits (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
    (local.set $end (i32.add (local.get $tables) (i32.shl (local.get $groups) (i32.const 4))))
    (local.set $codes_gap (i32.mul (local.get $share) (i32.shl (local.get $groups) (i32.const 4))))
    (local.set $sums_gap (i32.shl (local.get $share) (i32.const 6)))
    ${each(streams, (stream) =>
      ["codes", "sums"]
        .map((name) =>
          stream === 0
            ? `(local.set $${name}0 (local.get $${name}))`
            : `(local.set $${name}${stream} (i32.add (local.get $${name}${stream - 1}) (local.get $${name}_gap)))`,
        )
        .join(" "),
    )}
    (block $done
      (loop $next_block
        (br_if $done (i32.eqz (local.get $share)))
        (local.set $share (i32.sub (local.get $share) (i32.const 1)))
        ${each(sums, (name) => `(local.set $${name} (v128.const i32x4 0 0 0 0))`)}
        (local.set $table (local.get $tables))
        (loop $next_groups
          ${each(
            range(GROUPS_AT_ONCE),
            (group) => `(local.set $values (v128.load offset=${16 * group} (local.get $table)))
              ${each(streams, (stream) => addGroup(group, stream))}`,
          )}
          ${each(
            streams,
            (stream) => `${widen("low", stream)} ${widen("high", stream)}
              (local.set $codes${stream} (i32.add (local.get $codes${stream}) (i32.const ${16 * GROUPS_AT_ONCE})))`,
          )}
          (local.set $table (i32.add (local.get $table) (i32.const ${16 * GROUPS_AT_ONCE})))
          (br_if $next_groups (i32.lt_u (local.get $table) (local.get $end))))
        ${each(
          streams,
          (stream) => `${store("low", 0, stream)} ${store("high", 32, stream)}
            (local.set $sums${stream} (i32.add (local.get $sums${stream}) (i32.const 64)))`,
        )}
        (br $next_block))))`;
}

/**
 * `multiply(query, stride, rows, list, parts)`: inner products with some rows.
 *
 * - `query`: the address of the vector, as `stride` 16-bit numbers.
 * - `stride`: the bytes of a row, a multiple of 16 that is not 0.
 * - `rows`: the address of the first row; the others follow.
 * - `list`: the address of the numbers of 24 × `parts` rows, 32 bits each; the products replace them.
 */
function multiply(): string {
  const streams = range(ROW_STREAMS);
  return `(func (export "multiply")
    (param $query i32) (param $stride i32) (param $rows i32) (param $list i32) (param $parts i32)
    (local $numbers i32) (local $at i32) (local $low v128) (local $high v128)
    ${each(streams, (stream) => `(local $row${stream} i32) (local $sum${stream} v128)`)}
    (block $done
      (loop $next_rows
        (br_if $done (i32.eqz (local.get $parts)))
        (local.set $parts (i32.sub (local.get $parts) (i32.const 1)))
        ${each(streams, startOfRow)}
        (local.set $numbers (local.get $query))
        (local.set $at (i32.const 0))
        (loop $next_numbers
          (local.set $low (v128.load (local.get $numbers)))
          (local.set $high (v128.load offset=16 (local.get $numbers)))
          ${each(
            streams,
            (stream) => `(local.set $sum${stream} (i32x4.add (local.get $sum${stream}) (i32x4.add
              (i32x4.dot_i16x8_s (local.get $low)
                (v128.load8x8_s (i32.add (local.get $row${stream}) (local.get $at))))
              (i32x4.dot_i16x8_s (local.get $high)
                (v128.load8x8_s offset=8 (i32.add (local.get $row${stream}) (local.get $at)))))))`,
          )}
          (local.set $numbers (i32.add (local.get $numbers) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next_numbers (i32.lt_u (local.get $at) (local.get $stride))))
        ${each(streams, storeSum)}
        (local.set $list (i32.add (local.get $list) (i32.const ${4 * ROW_STREAMS})))
        (br $next_rows))))`;
}

/**
 * `multiplyPacked(query, stride, rows, list, parts)`: the same with rows of half bytes, each from 0 to 15. A byte has one number
 * of the first half of a row in its low four bits, and the one at the same place of the second half in its high four.
 *
 * - `query`: for every 16 bytes of a row the address of 32 signed bytes, those for the low four bits first. What follows the
 *   numbers of a row has to be 0, because the kernel reads up to 15 bytes beyond its end.
 * - `stride`: the bytes of a row, which is not 0.
 */
function multiplyPacked(): string {
  const streams = range(ROW_STREAMS);
  return `(func (export "multiplyPacked")
    (param $query i32) (param $stride i32) (param $rows i32) (param $list i32) (param $parts i32)
    (local $numbers i32) (local $at i32) (local $low v128) (local $high v128) (local $pairs v128) (local $four_bits v128)
    ${each(streams, (stream) => `(local $row${stream} i32) (local $sum${stream} v128)`)}
    (local.set $four_bits (v128.const i32x4 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f 0x0f0f0f0f))
    (block $done
      (loop $next_rows
        (br_if $done (i32.eqz (local.get $parts)))
        (local.set $parts (i32.sub (local.get $parts) (i32.const 1)))
        ${each(streams, startOfRow)}
        (local.set $numbers (local.get $query))
        (local.set $at (i32.const 0))
        (loop $next_numbers
          (local.set $low (v128.load (local.get $numbers)))
          (local.set $high (v128.load offset=16 (local.get $numbers)))
          ${each(
            streams,
            (stream) => `(local.set $pairs (v128.load (i32.add (local.get $row${stream}) (local.get $at))))
              (local.set $sum${stream} (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $low)
                (v128.and (local.get $pairs) (local.get $four_bits))
                (i32x4.relaxed_dot_i8x16_i7x16_add_s (local.get $high)
                  (v128.and (i16x8.shr_u (local.get $pairs) (i32.const 4)) (local.get $four_bits))
                  (local.get $sum${stream}))))`,
          )}
          (local.set $numbers (i32.add (local.get $numbers) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next_numbers (i32.lt_u (local.get $at) (local.get $stride))))
        ${each(streams, storeSum)}
        (local.set $list (i32.add (local.get $list) (i32.const ${4 * ROW_STREAMS})))
        (br $next_rows))))`;
}

/** Sets the address of the next row of a stream and clears its sum. */
function startOfRow(stream: number): string {
  return `(local.set $row${stream} (i32.add (local.get $rows)
      (i32.mul (i32.load offset=${4 * stream} (local.get $list)) (local.get $stride))))
    (local.set $sum${stream} (v128.const i32x4 0 0 0 0))`;
}

function storeSum(stream: number): string {
  return `(i32.store offset=${4 * stream} (local.get $list) (call $sum_of_four (local.get $sum${stream})))`;
}

/**
 * `rotate(numbers, end, factors)`: multiplies 32-bit numbers by factors, then applies the fast Walsh–Hadamard transform, in
 * place and without scaling. `numbers` and `end` are addresses; the numbers are a power of two, at least four.
 */
const rotate = `(func (export "rotate") (param $numbers i32) (param $end i32) (param $factors i32)
  (local $at i32) (local $start i32) (local $half i32) (local $one v128) (local $other v128)
  ;; The first two steps combine four neighbors.
  (local.set $at (local.get $numbers))
  (loop $next_four
    (local.set $one (f32x4.mul (v128.load (local.get $at)) (v128.load (local.get $factors))))
    (local.set $one (f32x4.add
      (i8x16.shuffle 0 1 2 3 0 1 2 3 8 9 10 11 8 9 10 11 (local.get $one) (local.get $one))
      (f32x4.mul (v128.const f32x4 1 -1 1 -1)
        (i8x16.shuffle 4 5 6 7 4 5 6 7 12 13 14 15 12 13 14 15 (local.get $one) (local.get $one)))))
    (v128.store (local.get $at) (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 (local.get $one) (local.get $one))
      (f32x4.mul (v128.const f32x4 1 1 -1 -1)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 (local.get $one) (local.get $one)))))
    (local.set $factors (i32.add (local.get $factors) (i32.const 16)))
    (local.set $at (i32.add (local.get $at) (i32.const 16)))
    (br_if $next_four (i32.lt_u (local.get $at) (local.get $end))))
  (local.set $half (i32.const 16))
  (block $done
    (loop $next_step
      (br_if $done (i32.ge_u (i32.add (local.get $numbers) (local.get $half)) (local.get $end)))
      (local.set $start (local.get $numbers))
      (loop $next_pair
        (local.set $at (local.get $start))
        (local.set $start (i32.add (local.get $start) (local.get $half)))
        (loop $next_numbers
          (local.set $one (v128.load (local.get $at)))
          (local.set $other (v128.load (i32.add (local.get $at) (local.get $half))))
          (v128.store (local.get $at) (f32x4.add (local.get $one) (local.get $other)))
          (v128.store (i32.add (local.get $at) (local.get $half)) (f32x4.sub (local.get $one) (local.get $other)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next_numbers (i32.lt_u (local.get $at) (local.get $start))))
        (local.set $start (i32.add (local.get $start) (local.get $half)))
        (br_if $next_pair (i32.lt_u (local.get $start) (local.get $end))))
      (local.set $half (i32.shl (local.get $half) (i32.const 1)))
      (br $next_step))))`;

/**
 * `encode(numbers, end, codes)`: writes the signs of each group of four 32-bit numbers to a byte, a bit for each that is above
 * 0. The sum of the numbers without signs replaces the first number.
 */
const encode = `(func (export "encode") (param $numbers i32) (param $end i32) (param $codes i32)
  (local $at i32) (local $four v128) (local $sum v128)
  (local.set $at (local.get $numbers))
  (loop $next
    (local.set $four (v128.load (local.get $at)))
    (i32.store8 (local.get $codes)
      (i32x4.bitmask (f32x4.gt (local.get $four) (v128.const f32x4 0 0 0 0))))
    (local.set $sum (f32x4.add (local.get $sum) (f32x4.abs (local.get $four))))
    (local.set $codes (i32.add (local.get $codes) (i32.const 1)))
    (local.set $at (i32.add (local.get $at) (i32.const 16)))
    (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
  (f32.store (local.get $numbers) (f32.add
    (f32.add (f32x4.extract_lane 0 (local.get $sum)) (f32x4.extract_lane 1 (local.get $sum)))
    (f32.add (f32x4.extract_lane 2 (local.get $sum)) (f32x4.extract_lane 3 (local.get $sum))))))`;

/**
 * `select(sums, end, least, list)`: the places of the 16-bit sums between two addresses, a multiple of 16 bytes apart, that are
 * at least `least`. Writes their number to the address `list`, then the places in ascending order, 32 bits each.
 */
const select = `(func (export "select") (param $sums i32) (param $end i32) (param $least i32) (param $list i32)
  (local $place i32) (local $next i32) (local $found i32) (local $limits v128)
  (local.set $limits (i16x8.splat (local.get $least)))
  (local.set $next (i32.add (local.get $list) (i32.const 4)))
  (loop $next_eight
    (local.set $found (i16x8.bitmask (i16x8.ge_u (v128.load (local.get $sums)) (local.get $limits))))
    (block $none
      (br_if $none (i32.eqz (local.get $found)))
      (loop $next_found
        (i32.store (local.get $next) (i32.add (local.get $place) (i32.ctz (local.get $found))))
        (local.set $next (i32.add (local.get $next) (i32.const 4)))
        (local.set $found (i32.and (local.get $found) (i32.sub (local.get $found) (i32.const 1))))
        (br_if $next_found (local.get $found))))
    (local.set $place (i32.add (local.get $place) (i32.const 8)))
    (local.set $sums (i32.add (local.get $sums) (i32.const 16)))
    (br_if $next_eight (i32.lt_u (local.get $sums) (local.get $end))))
  (i32.store (local.get $list) (i32.shr_u
    (i32.sub (local.get $next) (i32.add (local.get $list) (i32.const 4))) (i32.const 2))))`;

const sumOfFour = `(func $sum_of_four (param $four v128) (result i32)
  (i32.add
    (i32.add (i32x4.extract_lane 0 (local.get $four)) (i32x4.extract_lane 1 (local.get $four)))
    (i32.add (i32x4.extract_lane 2 (local.get $four)) (i32x4.extract_lane 3 (local.get $four)))))`;

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function each<Item>(items: readonly Item[], code: (item: Item) => string): string {
  return items.map(code).join("\n");
}
