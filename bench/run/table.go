package main

// A section compares programs that read one input. The first is the measure of
// the others.
type section struct {
	title, input string
	programs     []program
}

// A program is a command of a shell; $IN is the input. It is left out if one
// of the tools it needs is not installed.
type program struct {
	name, needs, command string
}

func scan(workers string) program {
	return program{"kaudit scan --workers " + workers, "kaudit", "exec kaudit scan -o json --workers " + workers + " $IN"}
}

// sections are what is claimed. jq and gojq read an eighth: they take a minute
// for what wc reads in a sixth of a second.
func sections() []section {
	lines := []program{
		{"wc -l", "wc", "exec wc -l $IN"},
		// To /dev/null grep would stop at the first line that it finds.
		{"grep -c", "grep cat", `grep -cF '"verb":"watch"' $IN | cat`},
		scan("1"), scan("2"),
		{"duckdb, 2 threads", "duckdb", `exec duckdb -c "set threads = 2; ` + byKind + ` from read_json('$IN', format='newline_delimited', columns={` + columns + `}) group by all"`},
	}
	return []section{
		{"Metadata", "metadata.log", lines},
		{"RequestResponse", "response.log", lines},
		{"Metadata, an eighth", "small.log", []program{
			scan("2"),
			{"jq, columns | sort | uniq -c", "jq sort uniq", `jq -r '` + tsv + `' $IN | sort | uniq -c`},
			{"jq, grouped with latency", "jq", `exec jq -n '` + grouped + `' $IN`},
			{"gojq, grouped with latency", "gojq", `exec gojq -n '` + grouped + `' $IN`},
		}},
		{"Metadata, one .gz", "metadata.log.gz", []program{
			{"gzip -dc", "gzip", "exec gzip -dc $IN"}, scan("1"), scan("2"),
		}},
		{"Metadata, four .gz", "part-*.log.gz", []program{
			{"gzip -dc, one after another", "gzip", "exec gzip -dc $IN"}, scan("1"), scan("2"),
		}},
		{"Metadata, one .zst", "metadata.log.zst", []program{
			{"zstd -dc", "zstd", "exec zstd -dc $IN"}, scan("1"), scan("2"),
		}},
	}
}

const (
	tsv     = `[.verb,.objectRef.resource,.responseStatus.code]|@tsv`
	grouped = `def t: (.[:19]+"Z"|fromdate)+("0"+.[19:26]|tonumber);
		reduce inputs as $e ({}; ($e|[.verb,.objectRef.resource,.responseStatus.code]|tostring) as $k
		| (($e.stageTimestamp|t)-($e.requestReceivedTimestamp|t)) as $d
		| .[$k].n += 1 | .[$k].max = ([.[$k].max // 0, $d]|max))`
	byKind  = `select verb, objectRef.resource, responseStatus.code, count(*), max(stageTimestamp - requestReceivedTimestamp)`
	columns = `verb: 'VARCHAR', objectRef: 'STRUCT(resource VARCHAR)', responseStatus: 'STRUCT(code INTEGER)',
		requestReceivedTimestamp: 'TIMESTAMP', stageTimestamp: 'TIMESTAMP'`
)
