package programs

import (
	"os"
	"testing"
	"time"

	"github.com/helve-dev/helve/tool"
)

// TestOutputBeforeTheDeadlineIsRead holds a reader up until its deadline has passed:
// what the program wrote in the meantime is still its output.
func TestOutputBeforeTheDeadlineIsRead(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // held open, as by a process that escaped
	write := func(text string) {
		t.Helper()
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	busy, resume := make(chan struct{}), make(chan struct{})
	first := true
	_, out, _ := newFlow(&tool.Program{Output: func([]byte) {
		if first {
			first = false
			close(busy)
			<-resume
		}
	}})
	s := &streams{ours: []*os.File{r}}
	s.read(r, r, out)
	write("one ")
	<-busy
	write("last")
	if err := r.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	close(resume)
	s.readers.Wait()
	if kept, _ := out.taken(); string(kept) != "one last" {
		t.Errorf("read %q, want all that was written", kept)
	}
}
