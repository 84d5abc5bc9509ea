package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// HTML writes the report as one page that needs nothing else: no script, no
// network, no file beside it. Its Content-Security-Policy allows its own style
// sheet, by its hash, and nothing more, so that even markup that got past the
// template's escaping could load and run nothing.
//
// Pictures are SVG without a viewBox: places are in percent and text has the
// size of other text, so that they fit a phone as they fit a screen.
//
// Note: two libraries were considered. go-analyze/charts draws no lanes, and writes
// sizes in pixels and colours of one theme into style attributes, which the policy
// refuses. svgo takes only whole pixels and escapes no attributes.
func HTML(w io.Writer, r *Report, o Options) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	v := newDocument(r, o)
	v.Style = template.CSS(pageStyle) // ours: nothing of a log is in it
	v.Policy = policy(pageStyle)
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return fmt.Errorf("write HTML: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// policy allows one style sheet.
func policy(style string) string {
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
		"'; base-uri 'none'; form-action 'none'"
}
