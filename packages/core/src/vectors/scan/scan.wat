;; Inner products of one vector of bytes with many, on 128-bit SIMD.
(module
  (import "scan" "memory" (memory 1))

  ;; $query: where its numbers stand, as 16-bit ones, $stride of them. $rows: where the first row stands, $stride bytes
  ;; each, one after the other. $products: where the products go, in the order of the rows, as 32-bit numbers.
  ;; $stride is a multiple of 16 that is not 0. There are four times $quarter rows, and the four quarters are read side
  ;; by side: memory that is fetched from four places at once comes more than twice as fast as from one.
  (func (export "scan")
    (param $query i32) (param $stride i32) (param $rows i32) (param $quarter i32) (param $products i32)
    (local $row0 i32) (local $row1 i32) (local $row2 i32) (local $row3 i32)
    (local $out0 i32) (local $out1 i32) (local $out2 i32) (local $out3 i32)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local $low v128) (local $high v128)
    (local $numbers i32) (local $at i32) (local $gap i32)
    (local.set $gap (i32.mul (local.get $quarter) (local.get $stride)))
    (local.set $row0 (local.get $rows))
    (local.set $row1 (i32.add (local.get $row0) (local.get $gap)))
    (local.set $row2 (i32.add (local.get $row1) (local.get $gap)))
    (local.set $row3 (i32.add (local.get $row2) (local.get $gap)))
    (local.set $gap (i32.shl (local.get $quarter) (i32.const 2)))
    (local.set $out0 (local.get $products))
    (local.set $out1 (i32.add (local.get $out0) (local.get $gap)))
    (local.set $out2 (i32.add (local.get $out1) (local.get $gap)))
    (local.set $out3 (i32.add (local.get $out2) (local.get $gap)))
    (block $done
      (loop $next_rows
        (br_if $done (i32.eqz (local.get $quarter)))
        (local.set $quarter (i32.sub (local.get $quarter) (i32.const 1)))
        (local.set $sum0 (v128.const i32x4 0 0 0 0))
        (local.set $sum1 (v128.const i32x4 0 0 0 0))
        (local.set $sum2 (v128.const i32x4 0 0 0 0))
        (local.set $sum3 (v128.const i32x4 0 0 0 0))
        (local.set $numbers (local.get $query))
        (local.set $at (i32.const 0))
        (loop $next_numbers
          (local.set $low (v128.load (local.get $numbers)))
          (local.set $high (v128.load offset=16 (local.get $numbers)))
          (local.set $sum0 (i32x4.add (local.get $sum0) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (i32.add (local.get $row0) (local.get $at))))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (i32.add (local.get $row0) (local.get $at)))))))
          (local.set $sum1 (i32x4.add (local.get $sum1) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (i32.add (local.get $row1) (local.get $at))))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (i32.add (local.get $row1) (local.get $at)))))))
          (local.set $sum2 (i32x4.add (local.get $sum2) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (i32.add (local.get $row2) (local.get $at))))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (i32.add (local.get $row2) (local.get $at)))))))
          (local.set $sum3 (i32x4.add (local.get $sum3) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (i32.add (local.get $row3) (local.get $at))))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (i32.add (local.get $row3) (local.get $at)))))))
          (local.set $numbers (i32.add (local.get $numbers) (i32.const 32)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next_numbers (i32.lt_u (local.get $at) (local.get $stride))))
        (i32.store (local.get $out0) (call $sum (local.get $sum0)))
        (i32.store (local.get $out1) (call $sum (local.get $sum1)))
        (i32.store (local.get $out2) (call $sum (local.get $sum2)))
        (i32.store (local.get $out3) (call $sum (local.get $sum3)))
        (local.set $row0 (i32.add (local.get $row0) (local.get $stride)))
        (local.set $row1 (i32.add (local.get $row1) (local.get $stride)))
        (local.set $row2 (i32.add (local.get $row2) (local.get $stride)))
        (local.set $row3 (i32.add (local.get $row3) (local.get $stride)))
        (local.set $out0 (i32.add (local.get $out0) (i32.const 4)))
        (local.set $out1 (i32.add (local.get $out1) (i32.const 4)))
        (local.set $out2 (i32.add (local.get $out2) (i32.const 4)))
        (local.set $out3 (i32.add (local.get $out3) (i32.const 4)))
        (br $next_rows))))

  (func $sum (param $four v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $four)) (i32x4.extract_lane 1 (local.get $four)))
      (i32.add (i32x4.extract_lane 2 (local.get $four)) (i32x4.extract_lane 3 (local.get $four))))))
