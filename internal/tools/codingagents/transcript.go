package codingagents

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxKept is what is kept of a session, in bytes: its end, where an agent says
	// what it did.
	maxKept = 1_000_000
	// maxLine is the longest line that is read as one.
	maxLine = 1 << 20
	// Those who follow a session get its text by lines, or what comes to flushAt
	// bytes of one, in pieces of at most maxPiece bytes, and of no more than
	// maxStreamed and maxPieces in all.
	flushAt     = 512
	maxPiece    = 4 << 10
	maxStreamed = 1 << 20
	maxPieces   = 20_000
)

// transcript is the text of a session. It is used by one goroutine at a time.
type transcript struct {
	plain  plain
	redact redact
	reader reader
	// tell is handed the text as it comes; overspent is called when the agent says
	// that it spent more than the budget.
	tell      func(text string)
	budget    float64
	overspent func()

	line     strings.Builder // the line that has not ended
	pending  strings.Builder // what is not streamed yet
	kept     []byte
	total    int64 // bytes of text, before anything was cut
	streamed int
	pieces   int
}

// write takes what the program wrote.
func (t *transcript) write(piece []byte) { t.take(t.redact.write(t.plain.write(piece))) }

// close takes what was held back.
func (t *transcript) close() {
	t.take(t.redact.rest())
	if t.line.Len() > 0 {
		t.endLine("")
	}
	t.flush()
}

func (t *transcript) take(text string) {
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		t.line.WriteString(line)
		if !whole && t.line.Len() < maxLine {
			if !t.reader.events { // it is shown as it comes; the line is read when it ends
				t.show(line)
			}
			return
		}
		switch {
		case t.reader.events:
			t.endLine("\n")
		default:
			t.show(line + "\n")
			t.read()
		}
		text = rest
	}
}

// endLine reads a line of events and shows what it says.
func (t *transcript) endLine(end string) {
	shown, show := t.read()
	if t.reader.events && show {
		t.show(shown + end)
	}
}

func (t *transcript) read() (shown string, show bool) {
	shown, show = t.reader.line(t.line.String())
	t.line.Reset()
	if t.reader.certain && t.reader.cost != nil && *t.reader.cost > t.budget && t.overspent != nil && !t.reader.ended {
		t.overspent()
	}
	return shown, show
}

// show keeps a text and streams it.
func (t *transcript) show(text string) {
	t.total += int64(len(text))
	t.kept = append(t.kept, text...)
	if len(t.kept) > 2*maxKept {
		t.kept = append(t.kept[:0], tail(string(t.kept), maxKept)...)
	}
	if t.streamed >= maxStreamed || t.pieces >= maxPieces {
		return
	}
	t.pending.WriteString(text)
	if t.pending.Len() >= flushAt || strings.Contains(text, "\n") {
		t.flush()
	}
}

func (t *transcript) flush() {
	text := t.pending.String()
	t.pending.Reset()
	for text != "" && t.streamed < maxStreamed && t.pieces < maxPieces {
		n := len(head(text, maxPiece))
		t.tell(text[:n])
		t.streamed += n
		t.pieces++
		text = text[n:]
	}
}

// String is what is kept.
func (t *transcript) String() string { return tail(string(t.kept), maxKept) }

// head is the beginning of a text, at most so many bytes, in whole characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// tail is the end of a text in the same way.
func tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	from := len(text) - most
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// lastChars is the end of a text, at most so many characters.
func lastChars(text string, most int) string {
	n := utf8.RuneCountInString(text)
	for at := range text {
		if n <= most {
			return text[at:]
		}
		n--
	}
	return text
}

// firstChars is its beginning.
func firstChars(text string, most int) string {
	for at := range text {
		if most == 0 {
			return text[:at]
		}
		most--
	}
	return text
}
