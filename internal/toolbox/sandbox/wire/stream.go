package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	// ErrTooLarge is returned for a frame over [Max]; nothing was written.
	ErrTooLarge = errors.New("the frame is too large")
	// ErrMalformed is returned for a complete frame that is no valid message, and for a
	// frame with a value that is not JSON; nothing was written.
	ErrMalformed = errors.New("the frame is malformed")
)

const (
	head = 4
	// inPlace is the buffer of a stream: a frame that fits it is not copied.
	inPlace = 8 << 10
	// keep is the largest buffer that a writer keeps between frames, and the first
	// allocation of a reader for a frame that does not fit its own buffer.
	keep = 64 << 10
	// ahead is the factor between the arrived bytes and a reader's next allocation: a
	// length alone must cost little, and the arrived bytes are copied at each step.
	ahead = 4
)

// Reader reads frames. Only one goroutine may use it.
type Reader struct {
	from *bufio.Reader
}

// NewReader returns a reader of frames from a stream.
func NewReader(from io.Reader) *Reader { return &Reader{from: bufio.NewReaderSize(from, inPlace)} }

// Buffered returns the number of bytes that were read from the stream and not returned in a
// frame.
func (r *Reader) Buffered() int { return r.from.Buffered() }

// Read returns the next frame. The error is io.EOF if the stream ends between two frames.
// After any error the stream cannot be used.
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
	whole, err := r.large(int(size))
	if err != nil {
		return Frame{}, fmt.Errorf("%d of %d bytes: %w", len(whole), size, io.ErrUnexpectedEOF)
	}
	return decodeFrame(whole, true)
}

// large reads a frame into memory of its own, never more than ahead times the arrived
// bytes.
func (r *Reader) large(size int) ([]byte, error) {
	b := make([]byte, 0, min(size, keep))
	for len(b) < size {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(size, ahead*len(b))), b...)
		}
		n, err := io.ReadFull(r.from, b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// inPlace reads a frame that fits the buffer of the stream, without copying it.
func (r *Reader) inPlace(size int) (Frame, error) {
	whole, err := r.from.Peek(head + size)
	if err != nil {
		return Frame{}, fmt.Errorf("%d of %d bytes: %w", len(whole)-head, size, io.ErrUnexpectedEOF)
	}
	f, err := decodeFrame(whole[head:], false)
	_, _ = r.from.Discard(head + size) // it was peeked at
	return f, err
}

// Writer writes frames. Any goroutine may use it.
type Writer struct {
	mu     sync.Mutex
	to     io.Writer
	buffer []byte
}

// NewWriter returns a writer of frames to a stream.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes one frame. Its body is neither copied nor kept.
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
	body := f.body()
	size := len(b) - head + len(body)
	if size > Max {
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	binary.BigEndian.PutUint32(b, uint32(size))
	if _, err = w.to.Write(b); err != nil || len(body) == 0 {
		return err
	}
	_, err = w.to.Write(body) // not copied: it may be large
	return err
}
