package parser

import "encoding/json"

// A walker follows JSON byte by byte, far enough to tell where the records of
// a document begin and end, and where it breaks off: brackets, texts, keys,
// colons, commas. Records are the values at the top, the elements of an array
// there, and the elements of a list that a record has (see isList); so lists
// may hold lists.
// Whether a record is an event is for the decoder to say.
//
// Between records any blanks and commas will do. Inside one the walker is
// strict: a line that was torn shows first as a key or a comma out of place,
// and whoever is not, swallows what stands behind it.
type walker struct {
	frames []byte // the open brackets, outermost first
	state  state
	open   bool // a record has begun
	start  int  // of the record, in the data
	base   int  // the number of frames around the record
	margin bool // the record began at the beginning of a line
	text   int  // where the key that is being read began
	items  bool // the last key of the record was "items"
	lists  bool // a list was entered
	indent bool // the data begins in the middle of a line
}

// Frames beside the '{' and '[' inside of a record: a list, whose elements are
// records, and the object that has it.
const (
	list    = 'l'
	wrapper = 'w'
)

// maxFrames bounds how deep values nest, so that hostile input costs no more
// than that many looks at a line. No object of Kubernetes comes near it.
const maxFrames = 200

// A state says what may come next.
type state uint8

const (
	between    state = iota // a record
	inItem                  // the rest of a number or word that is a record
	keyOrEnd                // behind {
	keyNext                 // behind a comma in an object
	colonNext               // behind a key
	valueOrEnd              // behind [
	valueNext               // behind a colon, or a comma in an array
	commaOrEnd              // behind a value
	inWord                  // the rest of a number or word
	inText                  // the rest of a text that is a value
	inTextEsc               // what a backslash in it escapes
	inKey                   // the rest of a key
	inKeyEsc                // what a backslash in it escapes
)

// A stop is what a walk ends at.
type stop uint8

const (
	nothing   stop = iota // the data's end, or of one step: nothing in particular
	recordEnd             // the record from start to here is whole
	broken                // what stands here can't stand here
)

// walk goes on at position i of the data and returns where it ended, and at
// what. The data of an open record must be there again in the next call, if
// at another place: see rebase.
func (w *walker) walk(data []byte, i int) (int, stop) {
	for i < len(data) {
		s := nothing
		switch w.state {
		case inText, inKey:
			if i = seekInText(data, i); i == len(data) {
				return i, nothing
			}
			s = w.stepText(data, i)
		case inTextEsc, inKeyEsc:
			w.state--
		case inWord, inItem:
			if isWord(data[i]) {
				break
			}
			if s = w.endWord(data, i); s != nothing {
				return i, s
			}
			continue
		default:
			if !isBlank(data[i]) {
				s = w.step(data, i)
			}
		}
		if s == broken {
			return i, s
		}
		i++
		if s == recordEnd {
			return i, s
		}
	}
	return i, nothing
}

// rebase follows data that lost its first n bytes, in the middle of a line or
// at its end.
func (w *walker) rebase(n int, midLine bool) {
	w.start -= n
	w.text -= n
	w.indent = midLine
}

// reset makes w stand between records at the top.
func (w *walker) reset() { *w = walker{frames: w.frames[:0], lists: w.lists, indent: w.indent} }

// step takes w over a byte that is no blank, outside of texts and words.
func (w *walker) step(data []byte, i int) stop {
	ch := data[i]
	switch w.state {
	case between:
		return w.stepBetween(data, i)
	case keyOrEnd, keyNext:
		if ch == '"' {
			w.state, w.text = inKey, i+1
			return nothing
		}
		if ch == '}' && w.state == keyOrEnd {
			return w.pop(ch)
		}
	case colonNext:
		if ch == ':' {
			w.state = valueNext
			return nothing
		}
	case valueOrEnd, valueNext:
		if ch == ']' && w.state == valueOrEnd {
			return w.pop(ch)
		}
		return w.stepValue(data, i)
	case commaOrEnd:
		if ch != ',' {
			return w.pop(ch)
		}
		w.state = keyNext
		if w.top() == '[' {
			w.state = valueNext
		}
		return nothing
	}
	return broken
}

// stepBetween begins a record, or enters or leaves a list. A closing bracket
// too many is what a list leaves behind in which w lost its way.
func (w *walker) stepBetween(data []byte, i int) stop {
	switch ch := data[i]; {
	case ch == ',' || (ch == ']' || ch == '}') && len(w.frames) == 0:
		return nothing
	case ch == ']':
		return w.pop(ch)
	case ch == '[':
		w.lists = true
		return w.push(list, between)
	case ch == '{':
		w.begin(data, i)
		return w.push('{', keyOrEnd)
	case len(w.frames) == 0:
		return broken // text at the top is no JSON
	case ch == '"':
		w.begin(data, i)
		w.state = inText
		return nothing
	case isWord(ch):
		w.begin(data, i)
		w.state = inItem
		return nothing
	}
	return broken
}

func (w *walker) begin(data []byte, i int) {
	w.open, w.start, w.base, w.items = true, i, len(w.frames), false
	w.margin = i == 0 && !w.indent || i > 0 && data[i-1] == '\n'
}

// stepValue begins a value inside a record.
func (w *walker) stepValue(data []byte, i int) stop {
	items := w.items
	w.items = false
	switch ch := data[i]; {
	case ch == '"':
		w.state = inText
	case ch == '{' && w.open && w.margin && i > 0 && data[i-1] == '\n':
		// Who writes records on lines of their own indents nothing: this is
		// the next record, and the open one was torn.
		return broken
	case ch == '{':
		return w.push('{', keyOrEnd)
	case ch == '[' && items:
		w.open, w.lists = false, true
		w.frames[len(w.frames)-1] = wrapper
		return w.push(list, between)
	case ch == '[':
		return w.push('[', valueOrEnd)
	case isWord(ch):
		w.state = inWord
	default:
		return broken
	}
	return nothing
}

// stepText takes w over a byte that means something in a text.
func (w *walker) stepText(data []byte, i int) stop {
	switch data[i] {
	case '\n':
		return broken // no text goes on behind the end of a line
	case '\\':
		w.state++
	case '"':
		if w.state == inText {
			return w.endValue()
		}
		w.state = colonNext
		w.items = w.open && len(w.frames) == w.base+1 && w.text >= 0 && isList(data[w.text:i])
	}
	return nothing
}

// isList reports whether a key of a record has a list of records: that of an
// EventList, of what aws logs filter-log-events prints, of an Event Hub's
// message, of OpenTelemetry, of Google's Cloud Logging. None of them says of its list what its elements
// don't.
func isList(key []byte) bool {
	switch string(key) {
	case "items", "events", "records", "resourceLogs", "resource_logs", "entries":
		return true
	}
	return false
}

// endWord follows the end of a number or word before position i.
func (w *walker) endWord(data []byte, i int) stop {
	if w.state == inItem && w.start >= 0 && !json.Valid(data[w.start:i]) {
		return broken
	}
	return w.endValue()
}

// endValue follows the end of a value.
func (w *walker) endValue() stop {
	if w.open && len(w.frames) == w.base {
		w.open, w.state = false, between
		return recordEnd
	}
	w.state = commaOrEnd
	return nothing
}

func (w *walker) push(frame byte, next state) stop {
	if len(w.frames) >= maxFrames {
		return broken
	}
	w.frames, w.state = append(w.frames, frame), next
	return nothing
}

// pop closes the innermost frame with ch, if that is how it closes.
func (w *walker) pop(ch byte) stop {
	top := w.top()
	if (ch != '}' || top != '{' && top != wrapper) && (ch != ']' || top != '[' && top != list) {
		return broken
	}
	w.frames = w.frames[:len(w.frames)-1]
	switch {
	case top == wrapper, top == list && w.top() != wrapper:
		w.state = between
		return nothing
	}
	return w.endValue()
}

// top returns the innermost frame, or 0.
func (w *walker) top() byte {
	if len(w.frames) == 0 {
		return 0
	}
	return w.frames[len(w.frames)-1]
}

// seekInText returns the position of the next byte that means something in a
// text: a quote, a backslash, the end of a line.
func seekInText(data []byte, i int) int {
	for i < len(data) && data[i] != '"' && data[i] != '\\' && data[i] != '\n' {
		i++
	}
	return i
}

func isBlank(ch byte) bool {
	return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t' || ch == 0
}

// isWord reports whether ch may stand in a number, or in true, false or null.
func isWord(ch byte) bool {
	return '0' <= ch && ch <= '9' || 'a' <= ch && ch <= 'z' || ch == '-' || ch == '+' || ch == '.' || ch == 'E'
}
