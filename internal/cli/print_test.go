package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/helve-dev/helve/internal/x/version"
)

func TestTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n":         "plain\ttext\n",
		"a\x1b[2Jb\x07\r\x00c":  "a\ufffd[2Jb\ufffd\ufffd\ufffdc",
		"caf\u00e9 \u9b5a":      "caf\u00e9 \u9b5a",
		"c1 \u009b31m \u0085":   "c1 \ufffd31m \ufffd",
		"bad \xff utf-8":        "bad \ufffd utf-8",
		"x\u202egpj.exe\u2066":  "x\ufffdgpj.exe\ufffd",
		"del \x7f and \xc2\x9d": "del \ufffd and \ufffd",
	} {
		var whole, bytewise bytes.Buffer
		n, err := (&terminal{w: &whole}).Write([]byte(in))
		if n != len(in) || err != nil || whole.String() != want {
			t.Errorf("Write(%q) = %d, %v shows %q, want %q", in, n, err, whole.String(), want)
		}
		out := &terminal{w: &bytewise}
		for i := range len(in) {
			out.Write([]byte{in[i]})
		}
		if bytewise.String() != want {
			t.Errorf("%q written byte by byte shows %q, want %q", in, bytewise.String(), want)
		}
	}
}

// TestPrintable keeps files as they are: what is piped must not be changed.
func TestPrintable(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := printable(f); got != f {
		t.Errorf("printable(a file) = %T, want the file", got)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if _, ok := printable(null).(*terminal); !ok {
		t.Errorf("printable(a device) = %T, want a terminal", printable(null))
	}
}

func TestCurrentBuild(t *testing.T) {
	if b := currentBuild(); b.Version != version.String() || b.Go == "" || b.Platform == "" {
		t.Errorf("currentBuild = %+v, want version %q with Go and platform", b, version.String())
	}
}
