package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	// ErrTooLarge is returned for a frame over [Max]; nothing of it was written.
	ErrTooLarge = errors.New("the frame is too large")
	// ErrMalformed is returned for a frame that came whole and is none, and for one
	// that cannot be JSON; nothing of it was written.
	ErrMalformed = errors.New("the frame is malformed")
)

const (
	head = 4
	// keep is the most bytes of buffer that stay with a reader between frames.
	keep = 64 << 10
)

// Reader reads frames. Only one goroutine may use it.
type Reader struct {
	from *bufio.Reader
	body bytes.Buffer
}

// NewReader returns a reader of what from yields.
func NewReader(from io.Reader) *Reader { return &Reader{from: bufio.NewReader(from)} }

// Read returns the next frame. The error is io.EOF where the stream ends between
// two frames. After any error the stream must be given up.
func (r *Reader) Read() (Frame, error) {
	var prefix [head]byte
	if _, err := io.ReadFull(r.from, prefix[:]); err != nil {
		return Frame{}, err
	}
	size := int64(binary.BigEndian.Uint32(prefix[:]))
	if size > Max {
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	if r.body.Cap() > keep {
		r.body = bytes.Buffer{}
	}
	r.body.Reset()
	if n, err := io.CopyN(&r.body, r.from, size); err != nil {
		return Frame{}, fmt.Errorf("%d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	var f Frame
	if err := json.Unmarshal(r.body.Bytes(), &f); err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return f, f.check()
}

// Writer writes frames. Any goroutine may use it.
type Writer struct {
	mu sync.Mutex
	to io.Writer
}

// NewWriter returns a writer to to.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes one frame, in one piece.
func (w *Writer) Write(f Frame) error {
	if err := f.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	b.Write(make([]byte, head))
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(f); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	size := b.Len() - head
	if size > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	binary.BigEndian.PutUint32(b.Bytes(), uint32(size))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.to.Write(b.Bytes())
	return err
}
