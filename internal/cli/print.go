package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// printJSON prints v as one line.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printIndented prints JSON for people; numbers keep every digit.
func printIndented(w io.Writer, raw []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return fmt.Errorf("the server's answer is not JSON: %w", err)
	}
	return printText(w, out.String())
}

// printText prints text and ends its last line.
func printText(w io.Writer, text string) error {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// table prints rows in columns, each row on one line.
func table(w io.Writer, rows ...[]string) error {
	var text bytes.Buffer
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(out, "\t")
			}
			fmt.Fprint(out, oneLine(cell))
		}
		fmt.Fprintln(out)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// oneLine joins the lines and columns of a text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// printable returns w, or for a terminal a writer that prevents tool results from
// moving the cursor, changing the title, typing for the person or reversing the text
// direction.
func printable(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	if !isTerminal(f) {
		return w
	}
	return &terminal{w: f}
}

// raw returns the terminal behind w, for a program that draws on it itself.
func raw(w io.Writer) io.Writer {
	if t, ok := w.(*terminal); ok {
		return t.w
	}
	return w
}

// isTerminal reports whether f is a character device, which may be a person's terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// terminal replaces control characters, including those of writing direction. A
// character may be split between two writes; its first bytes wait in rest.
type terminal struct {
	w    io.Writer
	rest []byte
}

// Write writes p with its control characters replaced.
func (t *terminal) Write(p []byte) (int, error) {
	in := slices.Concat(t.rest, p)
	out := make([]byte, 0, len(in))
	for len(in) > 0 && utf8.FullRune(in) {
		r, size := utf8.DecodeRune(in)
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			r = utf8.RuneError
		}
		out = utf8.AppendRune(out, r)
		in = in[size:]
	}
	t.rest = bytes.Clone(in)
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}
