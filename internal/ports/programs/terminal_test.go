package programs

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// reads holds the results of reading a file, one read after the other; nil is EIO.
type reads [][]byte

func (r *reads) Read(p []byte) (int, error) {
	next := (*r)[0]
	if len(*r) > 1 {
		*r = (*r)[1:]
	}
	if next == nil {
		return 0, &os.PathError{Op: "read", Path: "/dev/ptmx", Err: syscall.EIO}
	}
	return copy(p, next), nil
}

// TestScreenReadsBeyondTheFirstEnd has the master report the program's end ahead of its
// last output, as Linux does now and then.
func TestScreenReadsBeyondTheFirstEnd(t *testing.T) {
	for name, from := range map[string]reads{
		"output after it": {[]byte("one "), nil, []byte("last"), nil},
		"output twice":    {nil, []byte("one "), nil, []byte("last"), nil},
		"none":            {[]byte("one last"), nil},
	} {
		var out strings.Builder
		if _, err := io.Copy(&out, screen{&from}); err == nil || out.String() != "one last" {
			t.Errorf("%s: read %q and %v, want all output and EIO", name, out.String(), err)
		}
	}
}
