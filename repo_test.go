// Package kaudit_test holds the rules of the repository, as tests, each with
// its reason.
package kaudit_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/analyzers"
)

const module = "github.com/kaudit/kaudit"

// floors says what each package may import of this module: data flows once,
// forward, and an analyzer knows no file, flag or terminal. A trailing /* is
// any one folder below. Tests of a package may import what testFloors adds.
var floors = map[string][]string{
	"audit":                 {},
	"analysis/tally":        {"audit"},
	"analysis":              {"audit", "analysis/tally"},
	"parser":                {"audit", "parser/serverlog", "parser/unpack"},
	"parser/unpack":         {},
	"parser/serverlog":      {"audit"},
	"analysis/driver":       {"audit", "analysis", "parser"},
	"analysis/incident":     {"audit", "analysis"},
	"query":                 {"audit"},
	"query/events":          {"audit", "query", "report"},
	"query/timeline":        {"audit", "query", "report"},
	"query/who":             {"audit", "query", "report"},
	"query/top":             {"audit", "analysis/tally", "query", "report"},
	"report":                {"audit", "analysis", "analysis/tally", "analysis/incident", "analysis/driver", "report/picture"},
	"report/picture":        {"audit", "analysis"},
	"report/browser":        {}, // a module of its own: tests in a browser
	"analysis/analysistest": {"audit", "analysis", "analysis/driver", "parser", "fixtures"},
	"analyzers":             {"analysis", "analyzers/*"},
	"analyzers/*":           {"audit", "analysis", "analysis/tally"},
	"fixtures":              {},
	"bench/cluster":         {},
}

// above are packages that may import any other: the command line, tools that
// no user gets, and these tests.
var above = []string{".", "cmd/*", "bench", "bench/*"}

func TestPackagesImportOnlyWhatStandsBelowThem(t *testing.T) {
	for _, file := range goFiles(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		allowed, ok := lookUp(floors, pkg)
		if !ok {
			if !matchesAny(above, pkg) {
				t.Errorf("%s: package %s has no floor: say in repo_test.go what it may import, and in ARCHITECTURE.md why it is there", file, pkg)
			}
			continue
		}
		if strings.HasSuffix(file, "_test.go") {
			continue // a test may look at the whole house
		}
		for _, path := range imports(t, file) {
			rel, ours := strings.CutPrefix(path, module+"/")
			if ours && !matchesAny(allowed, rel) {
				t.Errorf("%s imports %s; %s may import only %v", file, rel, pkg, allowed)
			}
		}
	}
}

// onlyIn names the one package that may import a dependency: whoever replaces
// the library edits one place.
var onlyIn = map[string]string{
	"github.com/spf13/cobra":                "cmd/kaudit",
	"github.com/itchyny/gojq":               "cmd/kaudit",
	"github.com/olekukonko/tablewriter":     "report",
	"github.com/klauspost/compress":         "parser/unpack",
	"github.com/therootcompany/xz":          "parser/unpack",
	"github.com/bmatcuk/doublestar":         "parser",
	"k8s.io/apiserver":                      "audit parser",
	"golang.org/x/term":                     "cmd/kaudit",
	"golang.org/x/sys":                      "parser",
	"github.com/santhosh-tekuri/jsonschema": "", // tests only
	"github.com/ulikunitz/xz":               "", // tests only
	"github.com/yuin/goldmark":              "", // tests only
	"github.com/chromedp":                   "", // the browser's tests only
	"golang.org/x/net":                      "", // tests only
}

func TestADependencyHasOneImporter(t *testing.T) {
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		pkg := filepath.ToSlash(filepath.Dir(file))
		for _, path := range imports(t, file) {
			for dependency, home := range onlyIn {
				if strings.HasPrefix(path, dependency) && !slices.Contains(strings.Fields(home), pkg) && !matchesAny(above[2:], pkg) {
					t.Errorf("%s imports %s, which only %q may", file, path, home)
				}
			}
		}
	}
}

// forbidden must not be linked into the binary. Each would add megabytes and
// a surface that a reader of logs has no use for.
var forbidden = map[string]string{
	"go.etcd.io/":                     "kaudit reads logs, not etcd",
	"google.golang.org/grpc":          "kaudit speaks to no server",
	"k8s.io/client-go":                "kaudit speaks to no API server",
	"go.opentelemetry.io/":            "kaudit sends no telemetry",
	"runtime/cgo":                     "kaudit is one static binary that go install can make",
	module + "/fixtures":              "fixtures are for tests",
	module + "/analysis/analysistest": "the harness is for tests",
}

func TestTheBinaryLinksNothingForbidden(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "./cmd/kaudit")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		for prefix, why := range forbidden {
			if strings.HasPrefix(pkg, prefix) {
				t.Errorf("the binary links %s: %s", pkg, why)
			}
		}
	}
}

func TestTheModuleNeedsNoReplace(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(mod), "\nreplace") {
		t.Error("go.mod has a replace directive: go install would refuse the module")
	}
}

func TestEveryAnalyzerIsListedAndComplete(t *testing.T) {
	all := analyzers.All()
	if err := analysis.Validate(all); err != nil {
		t.Error(err)
	}
	if !slices.IsSortedFunc(all, func(a, b *analysis.Analyzer) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("analyzers.All is not in order of name")
	}
	listed := map[string]bool{}
	for _, a := range all {
		folder := strings.ReplaceAll(a.Name, "-", "")
		listed[folder] = true
		for _, file := range []string{"doc.md", folder + ".go", folder + "_test.go", "testdata"} {
			if _, err := os.Stat(filepath.Join("analyzers", folder, file)); err != nil {
				t.Errorf("analyzer %s: %v", a.Name, err)
			}
		}
	}
	entries, err := os.ReadDir("analyzers")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() && !listed[entry.Name()] {
			t.Errorf("analyzers/%s is not in analyzers.All", entry.Name())
		}
	}
}

func TestEveryPackageSaysOnceWhatItIs(t *testing.T) {
	docs := map[string][]string{}
	for _, file := range goFiles(t) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		pkg := filepath.Dir(file)
		docs[pkg] = append(docs[pkg], "")
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if syntax.Doc != nil {
			docs[pkg] = append(docs[pkg], file)
		}
	}
	for pkg, files := range docs {
		files = slices.DeleteFunc(files, func(s string) bool { return s == "" })
		if len(files) != 1 {
			t.Errorf("package %s has %d package comments, want one: %v", pkg, len(files), files)
		}
	}
}

// TestTheRepositoryStaysSmall holds clones quick: what tests need is recorded
// small and gzipped.
func TestTheRepositoryStaysSmall(t *testing.T) {
	const most = 60 << 20
	var size int64
	for _, file := range files(t) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > most {
		t.Errorf("the repository holds %d MB, at most %d are wanted", size>>20, most>>20)
	}
}

func lookUp(table map[string][]string, pkg string) ([]string, bool) {
	if allowed, ok := table[pkg]; ok {
		return allowed, true
	}
	allowed, ok := table[filepath.ToSlash(filepath.Dir(pkg))+"/*"]
	return allowed, ok
}

func matchesAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := filepath.Match(p, pkg)
		return ok
	})
}

func imports(t *testing.T, file string) []string {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func goFiles(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(files(t), func(file string) bool { return !strings.HasSuffix(file, ".go") })
}

// files lists the files of the repository, without what git and builds leave.
func files(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == ".git" || path == "bin" || path == "dist" || d.Name() == "testdata" && strings.HasSuffix(filepath.Dir(path), "fuzz")) {
			return filepath.SkipDir
		}
		if d.Type().IsRegular() {
			all = append(all, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
