package picture_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kaudit/kaudit/analysis"
	"github.com/kaudit/kaudit/audit"
	"github.com/kaudit/kaudit/report/picture"
)

// noon is when the spans of these tests begin; they last 100 seconds, so that
// a second is a percent.
var noon = audit.TimeOf(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))

var span = picture.Span{From: noon, To: at(100)}

func at(seconds float64) audit.Time { return noon + audit.Time(seconds*1e6) }

// mark reads "round 10-20", "open 10-" and "gap 10-20 n1".
func mark(text string) analysis.Mark {
	m := analysis.Mark{N: 1}
	fields := strings.Fields(text)
	m.Kind = fields[0]
	from, to, _ := strings.Cut(fields[1], "-")
	m.From = at(number(from))
	if to != "" {
		m.To = at(number(to))
	}
	if len(fields) > 2 {
		m.Label = fields[2]
	}
	return m
}

func number(text string) (n float64) {
	fmt.Sscan(text, &n)
	return n
}

func finding(marks ...string) analysis.Finding {
	f := analysis.Finding{ID: "toy/1"}
	for _, text := range marks {
		f.Marks = append(f.Marks, mark(text))
	}
	return f
}

// lanes tells lanes as text: "n1: gap 10+20 row 0".
func lanes(p picture.Picture) []string {
	var all []string
	for i := range p.Lanes {
		l := &p.Lanes[i]
		for _, b := range l.Bars {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %g+%g row %d of %d", l.Label, b.Kind.Name, b.X, b.Width, b.Row, l.Rows)))
		}
	}
	return all
}

func TestMarksBecomeBars(t *testing.T) {
	for _, c := range []struct {
		name  string
		marks []string
		want  []string
	}{
		{"in order of time, in percent of the span", []string{"round 30-40", "round 10-20"}, []string{"round 10+10 row 0 of 1", "round 30+10 row 0 of 1"}},
		{"what overlaps stands in another row", []string{"session 10-40", "session 20-30", "session 40-50"}, []string{
			"session 10+30 row 0 of 2", "session 20+10 row 1 of 2", "session 40+10 row 0 of 2",
		}},
		{"what has no end goes on to the span's", []string{"open 60-"}, []string{"open 60+40 row 0 of 1"}},
		{"what reaches outside is cut", []string{"round 90-130"}, []string{"round 90+10 row 0 of 1"}},
		{"what lies outside is left out", []string{"round 110-120"}, nil},
		{"a lane for each label", []string{"gap 10-20 n1", "gap 10-20 n2"}, []string{"n1 gap 10+10 row 0 of 1", "n2 gap 10+10 row 0 of 1"}},
		{"a kind that is not known is drawn", []string{"novelty 10-20"}, []string{"novelty 10+10 row 0 of 1"}},
	} {
		got := lanes(picture.Of([]analysis.Finding{finding(c.marks...)}, nil, span))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestFewThatOverlapAllHaveARow(t *testing.T) {
	var marks []string
	for i := range 10 {
		marks = append(marks, fmt.Sprintf("open %d-99", i))
	}
	p := picture.Of([]analysis.Finding{finding(marks...)}, nil, span)
	if got := p.Lanes[0].Rows; got != 10 {
		t.Errorf("10 sessions side by side take %d rows", got)
	}
}

func TestManyThatOverlapStayInFewRows(t *testing.T) {
	var marks []string
	for i := range 50 {
		marks = append(marks, fmt.Sprintf("session %d-99", i))
	}
	p := picture.Of([]analysis.Finding{finding(marks...)}, nil, span)
	if got := p.Lanes[0].Rows; got > 8 {
		t.Errorf("50 sessions side by side take %d rows", got)
	}
	if got := len(p.Lanes[0].Bars); got != 50 {
		t.Errorf("%d of 50 are drawn", got)
	}
	inRow := map[int]int{}
	for _, bar := range p.Lanes[0].Bars {
		inRow[bar.Row]++
	}
	if len(inRow) != p.Lanes[0].Rows || inRow[0] > 40 {
		t.Errorf("so many are in each row: %v", inRow)
	}
}

func TestLanesThatAreLeftOutAreCounted(t *testing.T) {
	var nodes []string
	for i := range 30 {
		nodes = append(nodes, fmt.Sprintf("gap 10-20 n%d", i))
	}
	many := make([]analysis.Finding, 10)
	for i := range many {
		many[i] = finding(nodes...)
	}
	p := picture.Of(many, nil, span)
	if len(p.Lanes) != picture.MaxLanes || len(p.Lanes)+p.More != 300 {
		t.Errorf("%d lanes and %d more, want %d and 300 in all", len(p.Lanes), p.More, picture.MaxLanes)
	}
}

func TestMarksOfManyNodesStandForALaneEach(t *testing.T) {
	var marks []string
	for i := range 12 {
		marks = append(marks, fmt.Sprintf("gap 10-20 n%d", i))
	}
	f := finding(append(marks, "gap 10-20", "gap 12-22")...)
	f.Marks[12].N, f.Marks[13].N = 150, 138
	if p := picture.Of([]analysis.Finding{f}, nil, span); len(p.Lanes) != 12 || p.More != 288 {
		t.Errorf("%d lanes and %d more, want 12 and 288", len(p.Lanes), p.More)
	}
}

func TestNotesWithAPlaceInTimeAreBands(t *testing.T) {
	notes := []analysis.Note{
		{Kind: "hole", From: at(20), To: at(30)},
		{Kind: "restart", From: at(50), To: at(50)},
		{Kind: "coarse-times", From: at(0), To: at(100)},
		{Kind: "hole", From: at(200), To: at(300)},
	}
	var got []string
	for _, b := range picture.Of(nil, notes, span).Bands {
		got = append(got, fmt.Sprintf("%s %g+%g", b.Kind, b.X, b.Width))
	}
	if diff := cmp.Diff([]string{"hole 20+10", "restart 50+0"}, got); diff != "" {
		t.Errorf("bands (-want +got):\n%s", diff)
	}
}

func TestOnlyWhatIsThereButForItsBarsIsLasting(t *testing.T) {
	p := picture.Of([]analysis.Finding{finding("outage 10-20"), finding("round 10-20"), finding("outage 10-20", "round 30-40")}, nil, span)
	for i, want := range []bool{true, false, false} {
		if got := p.Lanes[i].Lasting; got != want {
			t.Errorf("lane %d is lasting: %v, want %v", i, got, want)
		}
	}
}

func TestWhatIsWellStandsInTheLaneOfWhatIsNot(t *testing.T) {
	p := picture.Of([]analysis.Finding{finding("gap 25-50 n1", "heard 0-25 n1", "heard 50-75 n1")}, nil, span)
	want := []string{"n1 heard 0+25 row 0 of 1", "n1 gap 25+25 row 0 of 1", "n1 heard 50+25 row 0 of 1"}
	if diff := cmp.Diff(want, lanes(p)); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
	trouble, well := p.Lanes[0].Told()
	if got := picture.Count(trouble); len(got) != 1 || got[0].Kind.Name != "gap" || len(well) != 2 {
		t.Errorf("trouble %v, well %v", trouble, well)
	}
	if diff := cmp.Diff([]float64{1, 0, 1, 0}, p.Lanes[0].Heard(span, 4)); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
	if got := picture.Of([]analysis.Finding{finding("gap 25-50")}, nil, span).Lanes[0].Heard(span, 4); got != nil {
		t.Errorf("a lane that tells of no time heard has %v", got)
	}
}

func TestTicksAreRoundTimes(t *testing.T) {
	for _, c := range []struct {
		length time.Duration
		want   string
	}{
		{50 * time.Second, "12:00:10 12:00:20 12:00:30 12:00:40"},
		{5 * time.Minute, "12:01 12:02 12:03 12:04"},
		{3 * time.Hour, "12:30 13:00 13:30 14:00 14:30"},
		{20 * time.Hour, "03-02 15:00 03-02 18:00 03-02 21:00 03-03 00:00 03-03 03:00 03-03 06:00"},
		{5 * day, "03-03 03-04 03-05 03-06 03-07"},
	} {
		var got []string
		for _, tick := range picture.Of(nil, nil, picture.Span{From: noon, To: noon.Add(c.length)}).Ticks {
			if tick.Text != "" {
				got = append(got, tick.Text)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %s, want %s", c.length, text, c.want)
		}
	}
}

const day = 24 * time.Hour

func TestAPictureHasFewTicksHoweverLongItIs(t *testing.T) {
	for length := time.Millisecond; length < 20*365*day; length = length*3/2 + time.Microsecond {
		p := picture.Of(nil, nil, picture.Span{From: noon, To: noon.Add(length)})
		if n := len(p.Ticks); n > 10 {
			t.Errorf("%s has %d ticks", length, n)
		}
		if text := crowded(p.Ticks); text != "" && length > 2*time.Millisecond { // shorter ones may have no round time
			t.Errorf("%s: %s", length, text)
		}
	}
}

// crowded says which times of an axis have too little room beside them: on a
// screen, and on a phone, where minor ones are left out.
func crowded(ticks []picture.Tick) string {
	const character = 6.6 // pixels, of the page's font at 12
	for _, axis := range []struct {
		pixels float64
		minor  bool
	}{{790, true}, {350, false}} {
		var last picture.Tick
		shown := 0
		for _, tick := range ticks {
			if tick.Text == "" || tick.Minor && !axis.minor {
				continue
			}
			if room := (tick.X - last.X) * axis.pixels / 100; shown > 0 && room < character*float64(len(tick.Text)) {
				return fmt.Sprintf("%s and %s are %.0f of %.0f pixels apart", last.Text, tick.Text, room, axis.pixels)
			}
			last = tick
			shown++
		}
		if shown == 0 {
			return fmt.Sprintf("there is no time on %.0f pixels", axis.pixels)
		}
	}
	return ""
}

func TestSparkTellsWhenMuchWentOn(t *testing.T) {
	for _, c := range []struct {
		name string
		f    analysis.Finding
		want string
	}{
		{"when all was well is nothing", finding("gap 0-25 n1", "heard 25-100 n1"), "10 0 0 0"},
		{"by the time that marks cover", finding("round 0-25", "round 25-37.5"), "10 5 0 0"},
		{"a moment counts as it stands", finding("panic 60-60", "panic 61-61", "panic 90-90"), "0 0 10 5"},
		{"however short, it is there", finding("outage 0-25", "outage 80-80.1"), "10 0 0 1"},
		{"without marks, by its evidence", analysis.Finding{Evidence: []analysis.Evidence{{Time: at(30)}}}, "0 10 0 0"},
		{"nothing is nothing", analysis.Finding{}, "0 0 0 0"},
	} {
		var got []string
		for _, v := range picture.Spark(&c.f, span, 4) {
			tenth := int(v*10 + 0.5)
			if v > 0 && tenth == 0 {
				tenth = 1
			}
			got = append(got, fmt.Sprint(tenth))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: got %s, want %s", c.name, text, c.want)
		}
	}
}

func TestASpanWithoutLengthIsNoReasonToFail(t *testing.T) {
	f := finding("round 0-0")
	p := picture.Of([]analysis.Finding{f}, nil, picture.Span{From: noon, To: noon})
	if len(p.Lanes) != 1 || p.Lanes[0].Bars[0].X != 0 {
		t.Errorf("got %+v", p.Lanes)
	}
	if got := picture.Spark(&f, picture.Span{From: noon, To: noon}, 3); got[0] != 1 {
		t.Errorf("a spark over no time is %v", got)
	}
}
