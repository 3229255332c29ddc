package programs

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/helve-dev/helve/tool"
)

// patience is how long output may still come when all that could write is gone.
const patience = 2 * time.Second

// streams are what a program reads and writes: its ends and ours.
type streams struct {
	theirs  [3]*os.File
	ours    []*os.File
	readers sync.WaitGroup
	begin   func() // starts to carry
}

// connect makes the streams of a run.
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
		s.letGo()
		s.close()
		return nil, failure
	}
	s.begin = func() {
		feed()
		s.read(outRead, out)
		s.read(errRead, err)
	}
	return s, nil
}

// input is what the program reads, and what feeds it.
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
		// Nobody waits for this one: a source may never end. Closing w ends it when it
		// has something to write.
		go func() {
			_, _ = io.Copy(w, p.Stdin) // a program may end without having read all
			_ = w.Close()
		}()
	}, nil
}

func (s *streams) read(from *os.File, to *sink) {
	s.readers.Go(func() {
		_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, 32<<10)) // a terminal ends with EIO
	})
}

// letGo closes the program's ends, when it has them or will not.
func (s *streams) letGo() {
	for i, f := range s.theirs {
		if f != nil && (i == 0 || f != s.theirs[0]) {
			_ = f.Close()
		}
		s.theirs[i] = nil
	}
}

// finish takes what is still on its way from a program that is gone, and closes all.
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
