package programs

import (
	"slices"
	"sync"

	"github.com/helve-dev/helve/tool"
)

const (
	maxOutput = 1 << 20  // kept of each stream
	maxTotal  = 64 << 20 // written in total
)

// flow holds both streams of a program.
type flow struct {
	mu      sync.Mutex
	output  func([]byte)
	most    int64
	total   int64
	flooded bool
	flood   func() // ends the program
}

// sink keeps the beginning of one stream.
type sink struct {
	flow *flow
	most int
	kept []byte
	cut  int64
}

func newFlow(p *tool.Program) (f *flow, out, err *sink) {
	f = &flow{output: p.Output, most: p.MaxTotal, flood: func() {}}
	if f.most <= 0 {
		f.most = maxTotal
	}
	most := p.MaxOutput
	if most <= 0 {
		most = maxOutput
	}
	return f, &sink{flow: f, most: most}, &sink{flow: f, most: most}
}

// Write implements [io.Writer]. It never fails, so that the program is not blocked.
func (s *sink) Write(piece []byte) (int, error) {
	s.flow.mu.Lock()
	defer s.flow.mu.Unlock()
	if s.flow.output != nil && len(piece) > 0 {
		s.flow.output(piece)
	}
	fits := min(len(piece), s.most-len(s.kept))
	s.kept = append(s.kept, piece[:fits]...)
	s.cut += int64(len(piece) - fits)
	s.flow.total += int64(len(piece))
	if s.flow.total > s.flow.most && !s.flow.flooded {
		s.flow.flooded = true
		s.flow.flood()
	}
	return len(piece), nil
}

// taken returns the stored beginning, even while the program still writes.
func (s *sink) taken() (kept []byte, cut int64) {
	s.flow.mu.Lock()
	defer s.flow.mu.Unlock()
	return slices.Clip(s.kept), s.cut
}
