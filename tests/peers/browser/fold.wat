;; Looks at every byte in the memory of another module: what is measured is that module, and not a loop in JavaScript.
(module
  (import "env" "memory" (memory 0))
  (func (export "fold") (param $at i32) (param $length i32) (result i32)
    (local $sum i64)
    (local $words i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (local.set $words (i32.add (local.get $at) (i32.and (local.get $length) (i32.const -8))))
    (block $no_word
      (loop $word
        (br_if $no_word (i32.ge_u (local.get $at) (local.get $words)))
        (local.set $sum (i64.add (local.get $sum) (i64.load align=1 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $word)))
    (block $no_byte
      (loop $byte
        (br_if $no_byte (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $sum (i64.add (local.get $sum) (i64.load8_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $byte)))
    (i32.xor
      (i32.wrap_i64 (local.get $sum))
      (i32.wrap_i64 (i64.shr_u (local.get $sum) (i64.const 32))))))
