package cli

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"
)

// widthOf returns the number of columns of a terminal; 0 if w is none.
func widthOf(w io.Writer) int {
	var f *os.File
	switch out := w.(type) {
	case *os.File:
		f = out
	case *terminal:
		f, _ = out.w.(*os.File)
	}
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

// cutTo returns the beginning of a line that fits so many columns, all of it for 0.
func cutTo(line string, width int) string {
	letters := []rune(line)
	if width <= 0 || len(letters) <= width {
		return line
	}
	return string(letters[:width-1]) + "…"
}
