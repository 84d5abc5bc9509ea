GOFUMPT     = go run mvdan.cc/gofumpt@v0.12.0
STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Where goroutines are: only these packages can race.
CONCURRENT = ./parser ./analysis/driver ./cmd/kaudit

.PHONY: build dist test check format vet browser race bench compare fuzz generate

build: ## bin/kaudit, one static binary
	CGO_ENABLED=0 go build -trimpath -o bin/kaudit ./cmd/kaudit

# What .krew.yaml names.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

dist: $(PLATFORMS:%=dist/%) ## archives of VERSION for a release, and their sums
	cd dist && sha256sum kaudit_$(VERSION)_*.tar.gz > kaudit_$(VERSION)_checksums.txt

# The folders stay: each version is built anew.
.PHONY: $(PLATFORMS:%=dist/%)
$(PLATFORMS:%=dist/%): dist/%:
	@test -n "$(VERSION)" || { echo "say which: make dist VERSION=v0.1.0"; exit 1; }
	mkdir -p $@
	CGO_ENABLED=0 GOOS=$(*D) GOARCH=$(*F) go build -trimpath -o $@/ ./cmd/kaudit
	cp LICENSE README.md $@
	tar -C $@ -czf dist/kaudit_$(VERSION)_$(*D)_$(*F).tar.gz .

test:
	go test -shuffle=on ./...

check: format vet test race ## what CI runs

format:
	@unformatted="$$($(GOFUMPT) -l .)"; test -z "$$unformatted" || { echo "not gofumpt-clean: $$unformatted"; exit 1; }

vet:
	go vet ./...
	$(STATICCHECK) ./...

browser: ## look at the page in Chromium; SHOTS=DIR leaves pictures
	cd report/browser && go vet . && go test -count=1 . $(if $(SHOTS),-shots $(abspath $(SHOTS)))

race:
	go test -race -short -shuffle=on $(CONCURRENT)

bench:
	go test -run '^$$' -bench . -benchmem ./parser ./analysis/... ./query/... ./cmd/kaudit

compare: ## with other tools, on generated logs
	bench/compare.sh

# Fuzz targets run one at a time: go test takes no more. What is found is not
# made smaller for a minute each, which FuzzChunks and FuzzRun would take.
FUZZTIME = 20s
FUZZ = Fuzz# how the names of the targets begin
fuzz:
	@set -e; for file in $$(grep -rl --include='*_test.go' '^func $(FUZZ)' .); do \
		for target in $$(sed -n 's/^func \($(FUZZ)[A-Za-z0-9_]*\).*/\1/p' $$file); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x ./$$(dirname $$file); \
		done; \
	done

generate: ## completions, the analyzer table of the README, goldens
	go generate ./...
	go test ./report ./cmd/kaudit -update
	go test . -update
