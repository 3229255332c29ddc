package programs

import (
	"io"
	"os"

	"github.com/creack/pty"

	"github.com/helve-dev/helve/tool"
)

// endOfInput is what a person types at the end, Ctrl-D.
const endOfInput = 4

// onTerminal makes a terminal for the program; both of its outputs are one.
func onTerminal(p *tool.Program, out *sink) (*streams, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	s := &streams{theirs: [3]*os.File{slave, slave, slave}, ours: []*os.File{master}}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		s.letGo()
		s.close()
		return nil, err
	}
	s.begin = func() {
		if p.Stdin != nil {
			go func() { // see input: nobody waits for this one
				if _, err := io.Copy(master, p.Stdin); err == nil {
					_, _ = master.Write([]byte{endOfInput})
				}
			}()
		}
		s.read(master, out)
	}
	return s, nil
}
