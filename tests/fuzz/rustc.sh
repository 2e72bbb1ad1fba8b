#!/bin/sh
# Compiles a crate of this workspace for libFuzzer, with the flags that cargo-fuzz gives: its code counts how often it runs, and
# tells what it compares with what. Other crates are compiled as for the tests, and shared with them; build scripts end before
# any fuzzing.
case "$*" in
*"--crate-name build_script"*) exec "$@" ;;
esac
exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
