package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownIsSetPlainly(t *testing.T) {
	const page = "# stuck-watch: a client that\n\n" +
		"One **bold** paragraph that is longer than thirty columns\nand goes on in `code` and [a link](https://example.com/1).\n\n" +
		"## What to do\n" +
		"- first point, which is long enough to be filled\n" +
		"  over two lines\n" +
		"- second\n\n" +
		"1. one\n" +
		"2. two\n\n" +
		"    indented   code\n    of two lines\n\n" +
		"```\nas it   stands\n\n  indented\n```\n" +
		"| option | means |\n|---|---|\n| `rounds` | at least two rounds of it |\n| `a\\|b` | x |\n"
	const want = `stuck-watch: a client that

One bold paragraph that is
longer than thirty columns and
goes on in ` + "`code`" + ` and a link
<https://example.com/1>.

WHAT TO DO

- first point, which is long
  enough to be filled over two
  lines
- second

1. one
2. two

    indented   code
    of two lines

    as it   stands
    
      indented

  option    means
  ` + "`rounds`" + `  at least two
            rounds of it
  ` + "`a|b`" + `     x
`
	if diff := cmp.Diff(want, plainMarkdown(page, 30)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestATableWithoutRoomForItsLastColumnIsSetAsText(t *testing.T) {
	const page = "| kind | what was seen | severity |\n|---|---|---|\n| `a` | rounds from one version | critical |\n"
	const want = "  kind  what was seen; severity\n  `a`   rounds from one version;\n        critical\n"
	if diff := cmp.Diff(want, plainMarkdown(page, 34)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
