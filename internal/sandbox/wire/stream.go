package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	// ErrTooLarge is returned for a frame over [Max]; nothing of it was written.
	ErrTooLarge = errors.New("the frame is too large")
	// ErrMalformed is returned for a frame that came whole and is none, and for one
	// with a value that is not JSON; nothing of it was written.
	ErrMalformed = errors.New("the frame is malformed")
)

const (
	head = 4
	// inPlace is the buffer of a stream: what fits it is not copied.
	inPlace = 8 << 10
	// keep is the most bytes of buffer that stay with a reader or writer between
	// frames that do not fit it.
	keep = 64 << 10
)

// Reader reads frames. Only one goroutine may use it.
type Reader struct {
	from *bufio.Reader
	body bytes.Buffer
}

// NewReader returns a reader of what from yields.
func NewReader(from io.Reader) *Reader { return &Reader{from: bufio.NewReaderSize(from, inPlace)} }

// Buffered is how many bytes were taken from the stream and belong to no frame that
// was read.
func (r *Reader) Buffered() int { return r.from.Buffered() }

// Read returns the next frame. The error is io.EOF where the stream ends between
// two frames. After any error the stream must be given up.
func (r *Reader) Read() (Frame, error) {
	prefix, err := r.from.Peek(head)
	if err != nil {
		if len(prefix) > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	size := int64(binary.BigEndian.Uint32(prefix))
	switch {
	case size > Max:
		return Frame{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	case size <= inPlace-head:
		return r.inPlace(int(size))
	}
	_, _ = r.from.Discard(head) // it was peeked at
	if r.body.Cap() > keep {
		r.body = bytes.Buffer{}
	}
	r.body.Reset()
	if n, err := io.CopyN(&r.body, r.from, size); err != nil {
		return Frame{}, fmt.Errorf("%d of %d bytes: %w", n, size, io.ErrUnexpectedEOF)
	}
	return decodeFrame(r.body.Bytes())
}

// inPlace reads a frame that fits the buffer of the stream, where it lies.
func (r *Reader) inPlace(size int) (Frame, error) {
	whole, err := r.from.Peek(head + size)
	if err != nil {
		return Frame{}, fmt.Errorf("%d of %d bytes: %w", len(whole)-head, size, io.ErrUnexpectedEOF)
	}
	f, err := decodeFrame(whole[head:])
	_, _ = r.from.Discard(head + size) // it was peeked at
	return f, err
}

// Writer writes frames. Any goroutine may use it.
type Writer struct {
	mu     sync.Mutex
	to     io.Writer
	buffer []byte
}

// NewWriter returns a writer to to.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes one frame, in one piece.
func (w *Writer) Write(f Frame) error {
	if err := f.check(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if cap(w.buffer) > keep {
		w.buffer = nil
	}
	b, err := appendFrame(append(w.buffer[:0], make([]byte, head)...), &f)
	if err != nil {
		return err
	}
	w.buffer = b
	size := len(b) - head
	if size > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	binary.BigEndian.PutUint32(b, uint32(size))
	_, err = w.to.Write(b)
	return err
}
