package kaudit_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"
)

// A manifest is what krew reads. Fields that it does not know are errors.
type manifest struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Version          string
		Homepage         string
		ShortDescription string `yaml:"shortDescription"`
		Description      string
		Caveats          string
		Platforms        []struct {
			Selector struct {
				MatchLabels struct{ OS, Arch string } `yaml:"matchLabels"`
			}
			URI    string
			SHA256 string
			Bin    string
		}
	}
}

// released reads .krew.yaml as a release fills it in.
func released(t *testing.T, tag string) manifest {
	t.Helper()
	text, err := os.ReadFile(".krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sum := strings.Repeat("0123456789abcdef", 4)
	fill := template.FuncMap{"addURIAndSha": func(uri, tag string) string {
		return fmt.Sprintf("uri: %s\n    sha256: %s", strings.ReplaceAll(uri, "{{ .TagName }}", tag), sum)
	}}
	form, err := template.New("krew").Funcs(fill).Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var filled bytes.Buffer
	if err := form.Execute(&filled, map[string]string{"TagName": tag}); err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := yaml.UnmarshalWithOptions(filled.Bytes(), &m, yaml.Strict()); err != nil {
		t.Fatalf("%v\n%s", err, &filled)
	}
	return m
}

func TestTheKrewManifestIsOne(t *testing.T) {
	m := released(t, "v1.2.3")
	for what, ok := range map[string]bool{
		"apiVersion":                       m.APIVersion == "krew.googlecontainertools.github.com/v1alpha2",
		"kind":                             m.Kind == "Plugin",
		"name":                             m.Metadata.Name == "kaudit",
		"version":                          m.Spec.Version == "v1.2.3",
		"homepage":                         m.Spec.Homepage == "https://"+module,
		"short description of 50 at most":  m.Spec.ShortDescription != "" && len(m.Spec.ShortDescription) <= 50,
		"description":                      strings.Contains(m.Spec.Description, "kubectl kaudit"),
		"platforms":                        len(m.Spec.Platforms) > 0,
		"short description without a stop": !strings.HasSuffix(m.Spec.ShortDescription, "."),
	} {
		if !ok {
			t.Errorf("the manifest has no good %s", what)
		}
	}
	for _, p := range m.Spec.Platforms {
		want := "kaudit"
		if p.Selector.MatchLabels.OS == "windows" {
			want += ".exe"
		}
		if p.Bin != want || len(p.SHA256) != 64 {
			t.Errorf("%+v: the program is %s, want %s, with a sum", p.Selector, p.Bin, want)
		}
	}
}

// TestTheKrewManifestNamesWhatIsPacked compares it with what "make dist" packs.
func TestTheKrewManifestNamesWhatIsPacked(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(makefile), "\nPLATFORMS = ")
	_, archive, ok2 := strings.Cut(rest, "-czf dist/")
	if !ok || !ok2 {
		t.Fatal("the Makefile names no platforms, or packs nothing")
	}
	var packed, named []string
	for _, platform := range strings.Fields(rest[:strings.IndexByte(rest, '\n')]) {
		system, arch, _ := strings.Cut(platform, "/")
		packed = append(packed, strings.NewReplacer("$(VERSION)", "v1.2.3", "$(*D)", system, "$(*F)", arch).Replace(strings.Fields(archive)[0]))
	}
	for _, p := range released(t, "v1.2.3").Spec.Platforms {
		labels := p.Selector.MatchLabels
		name := fmt.Sprintf("kaudit_v1.2.3_%s_%s.tar.gz", labels.OS, labels.Arch)
		if want := "https://" + module + "/releases/download/v1.2.3/" + name; p.URI != want {
			t.Errorf("the archive is at %s, want %s", p.URI, want)
		}
		named = append(named, name)
	}
	slices.Sort(packed)
	slices.Sort(named)
	if !slices.Equal(packed, named) {
		t.Errorf("make dist packs %v, the manifest names %v", packed, named)
	}
}

func TestWhatKrewInstallsAreOurCommands(t *testing.T) {
	text := released(t, "v1.2.3").Spec.Description
	for line := range strings.Lines(text) {
		_, call, ok := strings.Cut(line, "kubectl kaudit ")
		if !ok {
			continue
		}
		command := strings.Fields(call)[0]
		if out, err := exec.Command("go", "run", "./cmd/kaudit", "help", command).CombinedOutput(); err != nil {
			t.Errorf("the manifest shows kubectl kaudit %s: %s", command, out)
		}
	}
}
