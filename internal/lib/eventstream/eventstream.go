// Package eventstream reads server-sent events by the rules of the HTML Standard (9.2.6): lines end in
// LF, CRLF or CR, a byte order mark at the beginning is skipped, the lines of data of one event
// are joined, and comments and unknown fields are ignored.
//
// It promises that an event costs bounded memory, whatever a server sends. It does not decode
// UTF-8, reconnect or judge the type of a response.
package eventstream

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// Ends is the number of bytes kept at each end of data that is too long.
	Ends = 256
	// maxLine is the length in bytes at which a line ends its stream.
	maxLine = 512 << 20
	// maxField bounds the value of a field other than data.
	maxField = 4 << 10
)

// Errors of a stream.
var (
	// ErrEndless is the error for a line without end.
	ErrEndless = errors.New("it sends a line without end")
	// ErrTooLong is the error for an event that is longer than the limit; see [Reader.Data].
	ErrTooLong = errors.New("an event is too long")
)

// Event is one event, or an update of the stream's state if Data is nil.
type Event struct {
	// Type is the type that the server named; empty for a message.
	Type string
	// ID is the last id of the stream.
	ID string
	// Retry is the pause that the server asks for before a reconnection; 0 for none.
	Retry time.Duration
	Data  []byte
	// Size is the length of the data. If it is above the limit, Data is nil, and Head and
	// Tail are the two ends.
	Size       int64
	Head, Tail []byte
}

// TooLong reports whether the data was longer than the limit.
func (e *Event) TooLong() bool { return e.Head != nil }

// Reader reads the events of one stream.
type Reader struct {
	// Pace, if set, is called with the length of each line before the line is used.
	Pace func(bytes int) error

	in      *bufio.Reader
	longest int
	whole   bool // an event that is too long ends the stream
	began   bool
	afterCR bool // an LF at the beginning of the next line belongs to the CR before
	id      string
	next    Event
	any     bool // the next event has a field
}

// NewReader returns a reader of events with data of at most longest bytes.
func NewReader(r io.Reader, longest int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 32<<10), longest: longest}
}

// Next returns the next event. At the end of the stream it returns the error of the stream;
// an event that the end cut off is then available from Rest.
func (r *Reader) Next() (Event, error) {
	for {
		l, err := r.line()
		if err != nil {
			return Event{}, err
		}
		if r.Pace != nil {
			if err := r.Pace(int(l.size)); err != nil {
				return Event{}, err
			}
		}
		if l.size > 0 {
			if r.field(l); r.whole && r.next.TooLong() {
				return Event{}, ErrTooLong
			}
			continue
		}
		if e, ok := r.Rest(); ok {
			return e, nil
		}
	}
}

// Rest returns the event that no blank line has ended. The standard drops it.
func (r *Reader) Rest() (e Event, ok bool) {
	e, ok = r.next, r.any
	e.ID = r.id
	r.next, r.any = Event{}, false
	return e, ok
}

// Data returns the next event that has data. An event or a line that is too long ends the
// stream with [ErrTooLong] before more of it is read.
func (r *Reader) Data() (Event, error) {
	r.whole = true
	for {
		if e, err := r.Next(); err != nil || e.Data != nil {
			return e, err
		}
	}
}

// field reads a line that is not blank.
func (r *Reader) field(l *line) {
	text := l.text
	if l.head != nil {
		text = l.head
	}
	name, value, _ := bytes.Cut(text, []byte(":"))
	value, blank := bytes.CutPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		r.any = true
		before := l.size - int64(len(value)) // the name, the colon and the blank
		if l.head != nil {
			before = int64(min(len("data:"), len(text)))
			if blank {
				before++
			}
		}
		r.next.add(value, l.tail, l.size-before, r.longest)
	case "event":
		if l.head == nil && len(value) <= maxField {
			r.next.Type, r.any = string(value), true
		}
	case "id":
		if l.head == nil && len(value) <= maxField && !bytes.ContainsRune(value, 0) {
			r.id, r.any = string(value), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil && l.head == nil && !strings.HasPrefix(string(value), "+") {
			r.next.Retry, r.any = time.Duration(ms)*time.Millisecond, true
		}
	}
}

// add adds a line of data. If the line itself is too long, value is its beginning and tail its
// end.
func (e *Event) add(value, tail []byte, size int64, longest int) {
	first := e.Size == 0 && e.Data == nil && e.Head == nil
	if !first {
		value = append([]byte("\n"), value...)
		size++
	}
	e.Size += size
	if e.Size <= int64(longest) && tail == nil {
		if first {
			e.Data = []byte{}
		}
		e.Data = append(e.Data, value...)
		return
	}
	if e.Head == nil {
		whole := append(bytes.Clone(e.Data), value[:min(len(value), Ends)]...)
		e.Head, e.Tail = whole[:min(len(whole), Ends)], whole
		e.Data = nil
		if tail == nil {
			e.Tail = slices.Concat(whole, value[min(len(value), Ends):])
		}
	} else {
		e.Tail = append(e.Tail, value...)
	}
	e.Tail = append(e.Tail, tail...)
	e.Tail = bytes.Clone(e.Tail[max(0, len(e.Tail)-Ends):])
}
