package cli

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPiped(t *testing.T) {
	broken, unread := errors.New("broken"), errors.New("unread")
	lines := func(n int, err error) func(io.Writer) error {
		return func(w io.Writer) error {
			if _, err := io.WriteString(w, strings.Repeat("line\n", n)); err != nil {
				return err
			}
			return err
		}
	}
	all := func(r io.Reader) error {
		_, err := io.ReadAll(r)
		return err
	}
	for _, tt := range []struct {
		name  string
		write func(io.Writer) error
		read  func(io.Reader) error
		want  error
	}{
		{"whole", lines(3, nil), all, nil},
		{"nothing", lines(0, nil), all, nil},
		{"the source breaks", lines(3, broken), all, broken},
		{"the source breaks and the reader hides it", lines(3, broken), func(r io.Reader) error { _ = all(r); return nil }, broken},
		{"the reader leaves", lines(3, nil), func(io.Reader) error { return unread }, unread},
		{"the reader has enough", lines(3, nil), func(io.Reader) error { return nil }, nil},
	} {
		if err := piped(tt.write, tt.read); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
			t.Errorf("%s: piped = %v, want %v", tt.name, err, tt.want)
		}
	}
}
