#!/bin/sh
# Compiles a crate of this workspace for libFuzzer, with the flags of cargo-fuzz: the code counts its executions and reports its
# comparisons. Other crates are compiled as for the tests, and shared with them. Build scripts are not instrumented, because they
# end before the fuzzing.
case "$*" in
*"--crate-name build_script"*) exec "$@" ;;
esac
exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
