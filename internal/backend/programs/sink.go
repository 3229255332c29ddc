package programs

import (
	"cmp"
	"os/exec"
	"sync"
	"syscall"

	"github.com/helve-dev/helve/tool"
)

// sink keeps the beginning of what a program writes.
type sink struct {
	mu      sync.Mutex
	p       tool.Program
	cmd     *exec.Cmd
	kept    []byte
	cut     int64
	flooded bool
}

func newSink(p tool.Program, cmd *exec.Cmd) *sink {
	p.MaxOutput = cmp.Or(p.MaxOutput, 1<<20)
	p.MaxTotal = cmp.Or(p.MaxTotal, 64<<20)
	return &sink{p: p, cmd: cmd}
}

// Write implements [io.Writer].
func (s *sink) Write(piece []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.p.Output != nil {
		s.p.Output(piece)
	}
	fits := min(len(piece), s.p.MaxOutput-len(s.kept))
	s.kept = append(s.kept, piece[:fits]...)
	s.cut += int64(len(piece) - fits)
	if int64(len(s.kept))+s.cut > s.p.MaxTotal && !s.flooded {
		s.flooded = true
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	}
	return len(piece), nil
}
