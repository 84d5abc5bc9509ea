// Package browser_test looks at kaudit's page in a real browser: Chromium, as
// the distribution packages it. It is a module of its own, so that go test
// ./... needs no browser and kaudit's go.mod no driver of one. "make browser"
// runs it.
package browser_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "leave pictures of the pages in this folder")

// browser is the context of the one browser that all tests share; kaudit is
// the command that was built for them.
var (
	browser context.Context
	kaudit  string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "kaudit-browser")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	kaudit = filepath.Join(dir, "kaudit")
	build := exec.Command("go", "build", "-o", kaudit, "./cmd/kaudit")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return fail(fmt.Errorf("build kaudit: %w\n%s", err, out))
	}
	program, err := findBrowser()
	if err != nil {
		return fail(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		return fail(fmt.Errorf("start %s: %w", program, err))
	}
	return m.Run()
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func findBrowser() (string, error) {
	for _, name := range []string{os.Getenv("CHROME"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no Chromium: install it (apt-get install chromium), or name one in $CHROME")
}

// A tab shows one page and notes what it should not do.
type tab struct {
	context.Context
	t *testing.T

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// open shows a page in a new tab of the given width.
func open(t *testing.T, file string, width int64, media ...*emulation.MediaFeature) *tab {
	t.Helper()
	tb := newTab(t)
	tb.show(file, width, media...)
	return tb
}

func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	tb := &tab{Context: ctx, t: t}
	if err := chromedp.Listen(ctx, tb.note); err != nil { // opens the tab: a time limit would be on the tab, not on what it does
		t.Fatal(err)
	}
	tb.Context, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	call(tb, network.Enable, network.EnableParams{})
	call(tb, log.Enable, cdp.Empty{})
	return tb
}

// show loads a page, at the given width, and forgets what the one before did.
func (tb *tab) show(file string, width int64, media ...*emulation.MediaFeature) {
	tb.t.Helper()
	tb.mu.Lock()
	tb.complaints, tb.requests = nil, nil
	tb.mu.Unlock()
	call(tb, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
	call(tb, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: media})
	tb.do(chromedp.Navigate("file://"+file), chromedp.WaitReady(chromedp.CSS("footer")))
}

// note is told of all that happens in the tab.
func (tb *tab) note(event any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		tb.requests = append(tb.requests, e.Request.URL)
	case *log.EventEntryAdded:
		tb.complaints = append(tb.complaints, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		tb.complaints = append(tb.complaints, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		tb.complaints = append(tb.complaints, "a script wrote to the console")
	case *page.EventJavascriptDialogOpening:
		tb.complaints = append(tb.complaints, "a script opened a dialog: "+e.Message)
	}
}

func (tb *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	tb.t.Helper()
	if err := chromedp.Do(tb, actions...); err != nil {
		tb.t.Fatal(err)
	}
}

// call sends a command of the browser's protocol.
func call[P, R any](tb *tab, command cdp.Command[P, R], params P) R {
	tb.t.Helper()
	answer, err := chromedp.Call(tb, command, params)
	if err != nil {
		tb.t.Fatal(err)
	}
	return answer
}

// ask evaluates an expression in the page. What the page's policy forbids to
// the page it does not forbid to the test.
func ask[T any](tb *tab, expression string) T {
	tb.t.Helper()
	answer, err := chromedp.Run(tb, chromedp.Evaluate[T](expression))
	if err != nil {
		tb.t.Fatal(err)
	}
	return answer
}

// checkQuiet is that the page complained of nothing and asked for nothing but
// itself.
func (tb *tab) checkQuiet(file string) {
	tb.t.Helper()
	tb.mu.Lock()
	defer tb.mu.Unlock()
	for _, text := range tb.complaints {
		tb.t.Errorf("the browser complains: %s", text)
	}
	for _, url := range tb.requests {
		if url != "file://"+file {
			tb.t.Errorf("the page asks for %s", url)
		}
	}
	if len(tb.requests) == 0 {
		tb.t.Error("not even the page itself was asked for: requests are not seen")
	}
}

// shoot leaves a picture of the whole page, if pictures are wanted.
func (tb *tab) shoot(name string) {
	tb.t.Helper()
	if *shots == "" {
		return
	}
	picture, err := chromedp.Run(tb, chromedp.FullScreenshot(100))
	if err != nil {
		tb.t.Fatal(err)
	}
	if err := os.MkdirAll(*shots, 0o755); err != nil {
		tb.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o644); err != nil {
		tb.t.Fatal(err)
	}
}

// logs are recorded logs with something different to show each; the last one
// is healthy.
var logs = []string{"a-stuck-metadata-same", "b-hijacked-metadata-all", "d-heartbeat-gap", "e-panic-generic-all", "h-ha-two-apiservers", "f-big-normal-metadata"}

// scan returns the page of a recorded log.
func scan(t *testing.T, name string) string {
	t.Helper()
	return write(t, exec.Command(kaudit, "scan", "-q", "-o", "html", filepath.Join("..", "..", "fixtures", name)))
}

func write(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	html, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, stderr.String())
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, html, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
