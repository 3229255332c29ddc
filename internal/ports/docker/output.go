package docker

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

const (
	// maxTotal is the size of output at which a container is killed.
	maxTotal = 64 << 20

	defaultOutput = 1 << 20
	mostOutput    = 16 << 20
)

// output holds the beginning of both streams of a container.
type output struct {
	limit int

	mu       sync.Mutex
	kept     [2][]byte // stdout, stderr
	cut      [2]int64
	total    int64
	overflow chan struct{} // closed when the output exceeds the limit
}

func newOutput(limit int) *output {
	return &output{limit: min(cmp.Or(max(limit, 0), defaultOutput), mostOutput), overflow: make(chan struct{})}
}

// Numbers of the streams in frames.
const (
	streamStdout = 1
	streamStderr = 2
	streamEngine = 3 // error messages of the engine itself
)

// collect reads the frames of both streams: a header of eight bytes (the stream, and
// the length of the data, big-endian) and the data. Its memory does not depend on the
// header's length.
func (o *output) collect(r io.Reader) error {
	var header [8]byte
	piece := make([]byte, 32<<10)
	for {
		if n, err := io.ReadFull(r, header[:]); err != nil {
			// An engine that closes a socket with unread input resets it; the end of
			// the container is reported separately.
			if n == 0 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
				return nil
			}
			return err
		}
		stream := header[0]
		if stream > streamEngine {
			return fmt.Errorf("the engine sent a frame of the unknown stream %d", stream)
		}
		for left := int64(binary.BigEndian.Uint32(header[4:])); left > 0; {
			n, err := io.ReadFull(r, piece[:min(left, int64(len(piece)))])
			o.add(stream, piece[:n])
			if err != nil {
				return err
			}
			left -= int64(n)
		}
		if stream == streamEngine {
			return fmt.Errorf("the engine ended the output: %q", o.stderr())
		}
	}
}

func (o *output) add(stream byte, piece []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := 0
	if stream >= streamStderr {
		i = 1
	}
	fits := min(len(piece), o.limit-len(o.kept[i]))
	o.kept[i] = append(o.kept[i], piece[:fits]...)
	o.cut[i] += int64(len(piece) - fits)
	before := o.total
	o.total += int64(len(piece))
	if before <= maxTotal && o.total > maxTotal {
		close(o.overflow)
	}
}

func (o *output) stderr() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept[1]
}
