package codingagents

import (
	"strings"

	"github.com/helve-dev/helve/internal/lib/textcut"
)

const (
	// maxKept limits the stored text of a session, in bytes. The end is kept, because
	// agents summarise their work there.
	maxKept = 1_000_000
	// maxLine is the length of the longest line that is parsed.
	maxLine = 1 << 20
	// Subscribers get a session's text line by line, or after flushAt bytes, in pieces
	// of at most maxPiece bytes, up to maxStreamed bytes and maxPieces pieces in total.
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
	// tell receives the text as it arrives; overspent is called when the agent reports
	// costs above the budget.
	tell      func(text string)
	budget    float64
	overspent func()

	line     strings.Builder // the incomplete line
	pending  strings.Builder // text not yet streamed
	kept     []byte
	total    int64 // bytes of text, before truncation
	streamed int
	pieces   int
}

// write processes the program's output.
func (t *transcript) write(piece []byte) { t.take(t.redact.write(t.plain.write(piece))) }

// close processes the text that was held back.
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
			if !t.reader.events { // it is shown immediately; the line is parsed when it ends
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

// endLine parses a line of events and shows its text.
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

// show stores a text and streams it.
func (t *transcript) show(text string) {
	t.total += int64(len(text))
	t.kept = append(t.kept, text...)
	if len(t.kept) > 2*maxKept {
		t.kept = append(t.kept[:0], textcut.Tail(string(t.kept), maxKept)...)
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
		n := len(textcut.Head(text, maxPiece))
		t.tell(text[:n])
		t.streamed += n
		t.pieces++
		text = text[n:]
	}
}

// String returns the stored text.
func (t *transcript) String() string { return textcut.Tail(string(t.kept), maxKept) }
