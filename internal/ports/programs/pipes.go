package programs

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/helve-dev/helve/tool"
)

// patience is the time to wait for output after all writers are gone.
const patience = 2 * time.Second

// streams holds both ends of a program's input and output.
type streams struct {
	theirs  [3]*os.File
	ours    []*os.File
	readers sync.WaitGroup
	begin   func() // starts the copying
}

// connect creates the streams of a run.
func connect(p *tool.Program, out, err *sink) (*streams, error) {
	if p.Terminal {
		return onTerminal(p, out)
	}
	s := &streams{}
	in, feed, failure := s.input(p)
	if failure != nil {
		return nil, failure
	}
	s.theirs[0] = in
	outRead, outWrite, e1 := os.Pipe()
	errRead, errWrite, e2 := os.Pipe()
	s.theirs[1], s.theirs[2] = outWrite, errWrite
	s.ours = append(s.ours, outRead, errRead)
	if failure := errors.Join(e1, e2); failure != nil {
		s.closeTheirs()
		s.close()
		return nil, failure
	}
	s.begin = func() {
		feed()
		s.read(outRead, outRead, out)
		s.read(errRead, errRead, err)
	}
	return s, nil
}

// input returns the program's input, and starts copying to it.
func (s *streams) input(p *tool.Program) (*os.File, func(), error) {
	if p.Stdin == nil {
		null, err := os.Open(os.DevNull)
		return null, func() {}, err
	}
	in, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	s.ours = append(s.ours, w)
	return in, func() {
		// This goroutine is not waited for: a source may never end. Closing w ends it
		// when it has something to write.
		go func() {
			_, _ = io.Copy(w, p.Stdin) // a program may end without reading all input
			_ = w.Close()
		}()
	}, nil
}

// read copies from to a sink, until its end or until the deadline of its file.
func (s *streams) read(from io.Reader, file *os.File, to *sink) {
	s.readers.Go(func() {
		buf := make([]byte, 32<<10)
		_, err := io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, buf) // a terminal ends with EIO
		if errors.Is(err, os.ErrDeadlineExceeded) {
			drain(file, to, buf)
		}
	})
}

// held is the capacity of a pipe with the usual system limits.
const held = 1 << 20

// drain copies the buffered data of a file to a sink without waiting. A reader that was
// still busy with earlier output at its deadline has not read everything that was
// written before it.
func drain(file *os.File, to *sink, buf []byte) {
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		for left := held; left > 0; {
			n, err := syscall.Read(int(fd), buf)
			switch {
			case errors.Is(err, syscall.EINTR):
			case err != nil || n <= 0:
				return
			default:
				_, _ = to.Write(buf[:n])
				left -= n
			}
		}
	})
}

// closeTheirs closes the program's ends once the program has them or will not start.
func (s *streams) closeTheirs() {
	for i, f := range s.theirs {
		if f != nil && (i == 0 || f != s.theirs[0]) {
			_ = f.Close()
		}
		s.theirs[i] = nil
	}
}

// finish waits until the output of a program that is gone has been read, and closes all
// files. It waits at most patience for processes that escaped with the program's end of
// a file.
func (s *streams) finish() {
	for _, f := range s.ours {
		_ = f.SetReadDeadline(time.Now().Add(patience))
	}
	s.readers.Wait()
	s.close()
}

func (s *streams) close() {
	for _, f := range s.ours {
		if f != nil {
			_ = f.Close()
		}
	}
}
