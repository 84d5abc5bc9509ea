#!/bin/sh
# Compares kaudit with other tools on generated logs: bench/compare.sh [MIB [ROUNDS]]
# A log of 512 MiB and 5 rounds by default; it takes some minutes, most of them jq's.
set -eu
cd "$(dirname "$0")/.."
mib=${1:-512}
rounds=${2:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

CGO_ENABLED=0 go build -trimpath -ldflags -s -o "$dir/kaudit" ./cmd/kaudit
go build -o "$dir/gen" ./bench/gen
go build -o "$dir/run" ./bench/run

"$dir/gen" -mib "$mib" -level Metadata >"$dir/metadata.log"
"$dir/gen" -mib "$mib" -level RequestResponse >"$dir/response.log"
"$dir/gen" -mib "$((mib / 8))" -level Metadata >"$dir/small.log"
gzip -c "$dir/metadata.log" >"$dir/metadata.log.gz"
for part in 1 2 3 4; do
	"$dir/gen" -mib "$((mib / 4))" -level Metadata -seed "$part" | gzip >"$dir/part-$part.log.gz"
done
if command -v zstd >/dev/null; then
	zstd -q -c "$dir/metadata.log" >"$dir/metadata.log.zst"
fi

uname -srm
PATH=$dir:$PATH "$dir/run" -dir "$dir" -rounds "$rounds"
